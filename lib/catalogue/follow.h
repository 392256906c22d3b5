/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges three ways: what a template gave by default before, what the cluster has, and what the template gives now. What the user
 * has set stays, what was left as it was given follows the template.
 */
#ifndef CATALOGUE_FOLLOW_H
#define CATALOGUE_FOLLOW_H

#include <stdbool.h>

#include <jv.h>

struct buffer;

/* Returns the configuration, owned: objects are merged member by member, anything else is one value, and an absent member is a
 * value, too. Appends a line for each default that has changed, and that the cluster does not have already. */
jv follow_config(jv was, jv own, jv is, struct buffer *lines);

/* Brings the request of a cluster to the defaults of the template of today, which is merged: its configuration, and its services
 * unless some of the former defaults were taken out. Appends a line for each default that has changed. A request without a
 * template says nothing of former defaults: it stays, and that is said. */
void follow_template(jv *request, jv template, struct buffer *lines);

#endif
