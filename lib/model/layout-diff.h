/* SPDX-License-Identifier: Apache-2.0
 *
 * Two layouts of one cluster: which nodes are the same, what differs, what the newer one makes of the older.
 */
#ifndef MODEL_LAYOUT_DIFF_H
#define MODEL_LAYOUT_DIFF_H

#include <stddef.h>

struct buffer;
struct layout;
struct problems;

struct node_pair {
	const struct node *before, *after; /* of the same id; NULL: that layout has none of it */
};

/* Returns the nodes of both layouts by id: each of before in its order, then those that only after has. The caller frees it. */
struct node_pair *layout_diff_nodes(const struct layout *before, const struct layout *after, size_t *count);

/* Appends a line for each difference; returns how many there are:
 *	+ node 00000042-1004 shop42-1004.local small: nginx
 *	- node 00000042-1002 shop42-1002.local small: php-fpm
 *	~ node 00000042-1000 + memcached - varnish
 *	~ node 00000042-1001 hardwaretype small -> large
 *	~ config /nginx/workers 2 -> 4
 */
size_t layout_diff_print(const struct layout *before, const struct layout *after, struct buffer *out);

/* Sets every "was" of layout to what old says, as coopr-plan --from does: of its nodes, what stood on them; of the cluster, its
 * configuration and the definitions that differ. Nodes that only old has leave; what old knows of a node (addresses, facts) and
 * the newer layout does not, is taken over. Contradictions (another cluster, a machine of another type) go to problems. Borrows
 * from old, which has to outlive layout. */
void layout_diff_set_was(struct layout *layout, const struct layout *old, struct problems *problems);

#endif
