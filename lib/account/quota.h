/* SPDX-License-Identifier: Apache-2.0
 *
 * Quotas of tenants, and what counts against them. Clusters that are being changed count with the most they may come to hold, so
 * that no two of them together exceed what each alone would not.
 */
#ifndef ACCOUNT_QUOTA_H
#define ACCOUNT_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "model/entity.h"

struct arena;
struct buffer;
struct error;
struct holding;
struct store;

struct quota { /* also: what is in use */
	int64_t clusters, nodes; /* -1: any number */
	double cost;             /* of an hour, of machines and volumes; -1: any */
	struct amounts resources; /* of those not listed, any */
	int64_t archives;         /* bytes that archives of services take; -1: any number */
	int64_t volumes;          /* GiB of volumes and their snapshots; -1: any number */
	int64_t uploads;          /* bytes that resources take, equal ones once; -1: any number */
};

/* Reads the quota of a tenant. */
int quota_read(struct store *store, int64_t tenant, struct arena *arena, struct quota *quota, struct error *err);

/* Sums up what a tenant uses: all its volumes, and its clusters, all but the one of number except (0: all). */
int quota_use(struct store *store, int64_t tenant, int64_t except, struct arena *arena, struct quota *use,
    struct error *err);

/* Sums up what the nodes of a holding use; as one cluster. */
int quota_of(struct store *store, const struct holding *holding, struct arena *arena, struct quota *use, struct error *err);

/* Appends resources as JSON: {"cpu":8}. */
void quota_resources_text(const struct amounts *resources, struct buffer *out);

/* Return the amount of a resource: of a use, 0 if it is not listed; of a limit, -1. quota_lists: whether it is listed. */
double quota_used(const struct quota *use, const char *resource);
double quota_limit(const struct quota *limit, const char *resource);
bool quota_lists(const struct quota *quota, const char *resource);

/* Checks that a cluster of the tenant may grow from what it uses now to peak. Fails with EX_NO, and the numbers, where the quota
 * forbids it; a cluster that does not grow is never refused. */
int quota_check(struct store *store, int64_t tenant, int64_t cluster, const struct quota *now, const struct quota *peak,
    struct error *err);

/* Checks that the tenant may keep more archives: how large one will be is not known before. Fails as quota_check does. */
int quota_check_archives(struct store *store, int64_t tenant, struct error *err);

/* Checks, inside a transaction, that the tenant may have volumes of so many GiB more, which cost so much an hour. Fails as quota_check does. */
int quota_check_volumes(struct store *store, int64_t tenant, int64_t size_gb, double cost, struct error *err);

/* Inside a transaction. reserve: counts bytes that the store's tenant is about to keep by their digest, so that what is uploaded at the same
 * time, and what is killed, counts as well; fails as quota_check does. record: a version names them now. */
int quota_reserve_upload(struct store *store, const char *digest, int64_t bytes, struct error *err);
int quota_record_upload(struct store *store, const char *digest, struct error *err);

#endif
