/* SPDX-License-Identifier: Apache-2.0
 *
 * What was, from an older layout of the same cluster: coopr-plan --from.
 */
#ifndef MODEL_SINCE_H
#define MODEL_SINCE_H

struct layout;
struct problems;

/* Sets every "was" of layout to what old says: of its nodes, what stood on them; of the cluster, its configuration and
 * the definitions that differ. Nodes that only old has leave; what old knows of a node (addresses, facts) and the newer
 * layout does not, is taken over. What cannot be (another cluster, a machine of another type) goes to problems. Borrows from
 * old, which has to outlive layout. */
void layout_since(struct layout *layout, const struct layout *old, struct problems *problems);

#endif
