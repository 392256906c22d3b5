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

#define PROTECTION_REPLACED "reconcile: its machine is lost; its data is restored" /* why a machine was replaced to be restored */

struct unrestored { /* a new machine whose data is not restored yet */
	int64_t cluster;
	const char *node;
};

struct unrestored_list { /* zero-initialise; release it. Strings live in its arena */
	struct arena arena;
	struct unrestored *list; /* by cluster */
	size_t count, capacity;
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

/* Fill ids with the numbers of at most limit clusters, by number, from after on: those that live and say "every"; those with archives,
 * terminated ones too, that say "keep". */
int protection_scheduled(struct store *store, int64_t after, int64_t *ids, size_t limit, size_t *count, struct error *err);
int protection_retained(struct store *store, int64_t after, int64_t *ids, size_t limit, size_t *count, struct error *err);

/* Adds the machines that replaced lost ones to be restored, in clusters on which no restore was begun since. */
int protection_unrestored(struct store *store, struct unrestored_list *list, struct error *err);
void unrestored_list_release(struct unrestored_list *list);

#endif
