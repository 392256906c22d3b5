/* SPDX-License-Identifier: Apache-2.0
 *
 * The host keys of a cluster's nodes, as they were pinned when the nodes were made, in the form that ssh(1) reads: so
 * that a person who logs in by hand is as safe as coopr itself, and is not asked.
 */
#ifndef OPERATION_KNOWN_HOSTS_H
#define OPERATION_KNOWN_HOSTS_H

#include <jv.h>

struct buffer;
struct error;
struct workdir;

/* Writes the member known_hosts from the member layout. */
int known_hosts_keep(const struct workdir *workdir, const char *layout, struct error *err);

/* Appends the lines of a node record (borrowed): one for each key that was pinned. */
void known_hosts_add(jv node, struct buffer *lines);

#endif
