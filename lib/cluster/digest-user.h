/* SPDX-License-Identifier: Apache-2.0
 *
 * Who uses what is kept under a digest: the definitions of clusters name scripts and resources by it, also those of earlier revisions,
 * to which a cluster can be rolled back.
 */
#ifndef CLUSTER_DIGEST_USER_H
#define CLUSTER_DIGEST_USER_H

struct account;
struct error;

/* Finds a cluster, of any tenant, that is not terminated and names the digest: 1, and *name (unless NULL) the caller's to free; 0 where
 * there is none; -1. */
int digest_user_find(struct account *account, const char *digest, char **name, struct error *err);

#endif
