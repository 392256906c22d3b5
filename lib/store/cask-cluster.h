/* SPDX-License-Identifier: Apache-2.0
 *
 * Clusters of Cask's Coopr: requests to create one, and the records that its server shows, as cluster specifications.
 */
#ifndef STORE_CASK_CLUSTER_H
#define STORE_CASK_CLUSTER_H

#include <jv.h>

struct buffer;

/* Returns the text of the specification, pretty-printed, which the caller frees; NULL if there can be none. Appends to note what
 * was left out of it, or why there is none. */
char *cask_cluster_specification(jv cluster, struct buffer *note);

#endif
