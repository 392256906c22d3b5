/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads all contents that the store names, of versions of resources and of clusters' scripts, and says which are missing or damaged, and
 * for whom.
 */
#ifndef CLUSTER_CONTENTS_CHECK_H
#define CLUSTER_CONTENTS_CHECK_H

struct buffer;
struct error;
struct store;

/* Appends what is kept under a digest, compared with it, or says why not. */
typedef int contents_check_reader(const char *digest, struct buffer *out, struct error *err);

/* Calls say for each fault, once for each version and each cluster that it concerns. What an executable of the installation keeps
 * whole is fetched from there, which mends this host's folder. Returns the number of faults, or -1. */
int contents_check(struct store *store, contents_check_reader *read, void (*say)(const char *fault, void *data), void *data,
    struct error *err);

#endif
