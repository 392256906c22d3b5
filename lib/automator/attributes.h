/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration as tools of others read it, of which none knows coopr-config: a JSON object with what the action reads of the
 * cluster's configuration, and what coopr knows of the node and of the others.
 */
#ifndef AUTOMATOR_ATTRIBUTES_H
#define AUTOMATOR_ATTRIBUTES_H

#include "json/json.h"

struct error;
struct task;

/* Returns the members of the cluster's configuration that the action reads, owned: all, or those that its field config names. */
jv attributes_config(const struct task *task);

/* Makes what coopr knows, owned: {"action","service","clusterId","hostname","nodenum","ipaddresses","services","nodes"}; the nodes, without
 * those that leave, by their ids. Returns -1 where the list of nodes cannot be read. */
int attributes_coopr(const struct task *task, jv *out, struct error *err);

/* Makes both in one, owned: the configuration, and under "coopr" what coopr knows. Returns -1 as attributes_coopr does. */
int attributes_all(const struct task *task, jv *out, struct error *err);

/* Returns the value, owned, with all its texts changed; change_name, which may be NULL, changes the names of members. Both borrow a string. */
jv attributes_change_texts(jv value, jv (*change_text)(jv), jv (*change_name)(jv));

#endif
