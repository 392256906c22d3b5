/* SPDX-License-Identifier: Apache-2.0
 *
 * Who uses what is kept under a digest: the definitions of clusters name scripts and resources by it, also those of earlier revisions,
 * to which a cluster can be rolled back.
 */
#ifndef CLUSTER_DIGEST_USER_H
#define CLUSTER_DIGEST_USER_H

#include <stdint.h>

struct account;
struct arena;
struct error;
struct names;

/* Finds a cluster, of a tenant or of any (0), that is not terminated and names the digest: 1, and *name (unless NULL) the caller's to free;
 * 0 where there is none; -1. */
int digest_user_find(struct account *account, int64_t tenant, const char *digest, char **name, struct error *err);

/* Interns all digests that these clusters, of any tenant, name, and perhaps more; the strings go to the arena. */
int digest_user_list(struct account *account, struct arena *arena, struct names *digests, struct error *err);

#endif
