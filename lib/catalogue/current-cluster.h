/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a cluster as it is, from the records of a layout or a plan, into the order for its next request. Hides what a node's
 * record says of nodes that are to go, and how numbers of nodes are kept from being given twice.
 */
#ifndef CATALOGUE_CURRENT_CLUSTER_H
#define CATALOGUE_CURRENT_CLUSTER_H

#include <stdbool.h>

struct error;
struct order;

/* Fills in the nodes of order, the next number of a node, and, unless they are given, the id, the number of machines and (if
 * keep_services) the services. Fails with EX_DATAERR if there is neither a cluster nor a node, with EX_NO if a node that is to be
 * replaced is missing. */
int current_cluster_read(const char *path, bool keep_services, struct order *order, struct error *err);

#endif
