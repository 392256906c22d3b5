/* SPDX-License-Identifier: Apache-2.0
 *
 * How the data of a cluster's services is protected, as the cluster's own definitions say: how often archives are made, how long they are
 * kept, and whether a lost machine is restored from them.
 */
#ifndef CLUSTER_PROTECTION_H
#define CLUSTER_PROTECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"
#include "model/entity.h"
#include "model/layout.h"

struct account;
struct error;
struct store;

struct protection { /* release it, also where it could not be read */
	struct layout layout; /* what is there; nothing of a terminated cluster */
	jv request;
	struct arena arena;
};

struct protected { /* a service */
	struct backup_policy policy;
	bool can_backup, can_restore; /* it has these actions */
	bool restores;                /* its machine, if it is lost, is replaced, and its data restored */
};

/* Reads the documents of a cluster, which may be terminated. */
int protection_read(struct protection *protection, struct account *account, int64_t cluster, struct error *err);
void protection_release(struct protection *protection);

/* Returns how a service of the cluster is protected; one that is not there any more, as the template says. */
struct protected protection_of(struct protection *protection, const char *service);

/* Returns the node of that id that is there; NULL: none is. */
const struct node *protection_node(const struct protection *protection, const char *id);

/* Fill ids with the numbers of at most limit clusters, by number, from after on: those that live and say "every"; those with archives,
 * terminated ones too, that say "keep". */
int protection_scheduled(struct store *store, int64_t after, int64_t *ids, size_t limit, size_t *count, struct error *err);
int protection_retained(struct store *store, int64_t after, int64_t *ids, size_t limit, size_t *count, struct error *err);

#endif
