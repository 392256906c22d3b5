/* SPDX-License-Identifier: Apache-2.0
 *
 * What a service script can look up on a node without a JSON parser there: the configuration and the list
 * of nodes, laid out here as functions of the shell, which share/coopr/shell/lib.sh calls.
 */
#ifndef SSH_LOOKUP_H
#define SSH_LOOKUP_H

#include "json/json.h"

struct buffer;
struct error;

/* Appends coopr_lookup(): for each path of config ("nginx/port"; "/" in a name as ~1, "~" as ~0) what
 * coopr_config prints, or why it cannot: it is an object, null, or a macro that could not be expanded
 * (unexpanded: [{"pointer","text"}], or invalid; "" points to each macro that is left). Where that is more than BUNDLE_BYTES it is
 * cut off behind so many. */
void lookup_config(jv config, jv unexpanded, struct buffer *out);

/* Appends coopr_each_node(): one call of coopr_node for each node, by nodenum, from the file of node records at path (NULL: no
 * nodes), without the instances that are hidden: {"app":["00000042-1000"]}. Of several records of a node the last one counts. */
int lookup_nodes(const char *path, jv without, struct buffer *out, struct error *err);

/* Appends what coopr_nodes and coopr_config check: the services and members that the action's fields and the configuration declare,
 * and whether it is an error to look up others. A task without the member "asked" of its cluster is not checked. */
void lookup_declared(jv cluster, jv fields, struct buffer *out);

/* Appends each_name(): one call of add_name with address and host name for each node whose address is known, from the same file. */
int lookup_names(const char *path, struct buffer *out, struct error *err);

#endif
