/* SPDX-License-Identifier: Apache-2.0
 *
 * The archives of services, as the store records them: an archive that has no record does not count, and one that has is complete. What
 * the archives say is kept by the installation's executable, archive/storage.h. Archives outlive their node and their cluster.
 */
#ifndef CLUSTER_ARCHIVES_H
#define CLUSTER_ARCHIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct account;
struct error;
struct store;

struct archive {
	const char *id;           /* also the key that it is kept under */
	int64_t cluster;          /* its number */
	const char *cluster_name; /* at that time */
	const char *service, *node, *hostname; /* hostname may be NULL */
	int64_t operation;        /* the number of the one that made it */
	int64_t began_ms, ended_ms;
	int64_t bytes;            /* as it is kept, encrypted */
	const char *sum;          /* SHA-256 of that, hexadecimal */
};

struct archive_list { /* zero-initialise; release it. Strings live in its arena */
	struct arena arena;
	struct archive *list;
	size_t count, capacity;
};

/* Records a complete archive of the cluster's tenant, inside a transaction; again replaces what was kept under that id before.
 * cluster_name NULL: today's. */
int archives_record(struct store *store, const struct archive *archive, struct error *err);

/* Records what is kept, durably, under a key that a task has: JOB-NODENUM-SERVICE. One that is not of that form counts for nobody. */
int archives_record_kept(struct store *store, const char *key, int64_t began_ms, int64_t bytes, const char *sum, struct error *err);

/* Adds the archives of a cluster (0: of all clusters) that the account may see, the newest first; for a superadmin of all tenants. */
int archives_list(struct account *account, int64_t cluster, struct archive_list *list, struct error *err);

/* Finds one of those by its id, with strings in arena. EX_NO where there is none that the account may see. */
int archives_find(struct account *account, const char *id, struct arena *arena, struct archive *archive, struct error *err);

/* Finds the newest archive of a cluster's service, made on node (NULL: on any): 1, 0 where there is none, -1. */
int archives_newest(struct store *store, int64_t cluster, const char *service, const char *node, struct arena *arena,
    struct archive *archive, struct error *err);

/* Adds the archives of a service of a cluster, whoever asks, the newest first. */
int archives_of_service(struct store *store, int64_t cluster, const char *service, struct archive_list *list, struct error *err);

/* Adds the archives of a tenant, also those that are being deleted. */
int archives_of_tenant(struct store *store, int64_t tenant, struct archive_list *list, struct error *err);

/* Begins to delete an archive: from then on it does not count, but for the quota. Durable. Again is fine. */
int archives_leave(struct store *store, const char *id, struct error *err);

/* Adds the archives whose deletion has begun. */
int archives_leaving(struct store *store, struct archive_list *list, struct error *err);

/* Ends the deletion: what was kept of it is gone. */
int archives_forget(struct store *store, const char *id, struct error *err);

void archive_list_release(struct archive_list *list);

#endif
