/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of clusters that an account may see. Its columns are in status/state-line.c.
 */
#ifndef SHOW_CLUSTER_LIST_H
#define SHOW_CLUSTER_LIST_H

#include "status/status.h"

/* Prints the clusters that the filter lets through. Returns 1 if there are more than its limit; the name of the last one that
 * was printed is then in *last, the caller's to free. */
int cluster_list_print(const struct status_options *options, const struct cluster_filter *filter, struct output *output,
    char **last, struct error *err);

#endif
