/* SPDX-License-Identifier: Apache-2.0
 *
 * The turn of one cluster in coopr apply: the cluster is looked at, and changed step by step until it is as its file says.
 */
#ifndef APPLY_APPLY_TURN_H
#define APPLY_APPLY_TURN_H

#include <stdbool.h>

struct application;
struct apply;
struct apply_turn;
struct cluster_record;
struct error;

/* Returns whether a cluster has changed between two looks at it, of which NULL says that there was none. */
bool apply_turn_has_changed(const struct cluster_record *seen, const struct cluster_record *now);

/* Does the whole turn. */
void apply_turn(struct apply *apply, const struct apply_turn *begin, struct application *application);

/* Remembers durably which clusters agree with their files. */
int apply_remember(struct apply *apply, struct error *err);

#endif
