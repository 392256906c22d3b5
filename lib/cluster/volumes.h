/* SPDX-License-Identifier: Apache-2.0
 *
 * The volumes of nodes, and their snapshots, as the store records them. A volume is of one service of one cluster, and is either attached
 * to a node or free; a node takes a free one of its cluster, service and name before a new one is made, so that it has at most one of
 * each, and a volume at most one node. It is recorded before its provider is asked for it, and until its provider has deleted it, so that
 * none is forgotten. Volumes outlive their node, and those that are kept also their cluster.
 */
#ifndef CLUSTER_VOLUMES_H
#define CLUSTER_VOLUMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct account;
struct error;
struct store;
struct volume_wish;

struct volume { /* strings live in the list's arena; zone, node, promised and of may be NULL */
	const char *id;           /* "v-0123456789abcdef", also at the provider */
	const char *tenant, *provider, *zone;
	const char *service, *name;
	int64_t cluster;          /* the number of that whose nodes had it last */
	const char *cluster_name; /* as it is called today */
	const char *node;         /* that has it; NULL: it is free */
	const char *promised;     /* the name of the cluster that takes it next */
	const char *of;           /* of a snapshot: its volume; of a volume: the snapshot that it is made from */
	int64_t size_gb;
	bool keep, is_snapshot;
	bool is_blank;            /* no file system was made in it yet */
	int64_t made_ms;
	bool is_orphaned;         /* its cluster is gone */
	double cost;              /* of all of it for an hour */
	bool is_leaving;          /* its deletion was begun; of a snapshot perhaps its making, which nobody saw completed */
};

struct volume_list { /* zero-initialise; release it */
	struct arena arena;
	struct volume *list;
	size_t count, capacity;
};

struct volume_place { /* a service of a node that gets a volume */
	int64_t cluster;      /* the cluster's number */
	const char *provider, *zone, *node, *service; /* zone may be NULL */
	double cost;          /* of a GiB for an hour, of one that is made */
};

/* Adds the volume of the wish: the one that the node has already, or a free one, or a new one; then the node has it, durably. EX_NO where
 * the only free one of the cluster is in another zone, or the tenant's quota forbids a new one. */
int volumes_assign(struct store *store, const struct volume_place *place, const struct volume_wish *wish, struct volume_list *list,
    struct error *err);

/* Adds those that a node has. */
int volumes_of_node(struct store *store, const char *node, struct volume_list *list, struct error *err);

/* Records that those of the node have file systems. */
int volumes_set_mounted(struct store *store, const char *node, struct error *err);

/* Tells whether it stays when its node goes. To one that was never mounted nothing was written, and perhaps it was never made. */
bool volume_stays(const struct volume *volume);

/* Records that the node is gone: its volumes are free, and those that do not stay were deleted. */
int volumes_release(struct store *store, const char *node, struct error *err);

/* Records that those which nodes of the cluster have are free, but for the nodes in the JSON array of ids: these are all that are there. */
int volumes_release_others(struct store *store, int64_t cluster, const char *nodes, int64_t now_ms, struct error *err);

/* Adds those, and their snapshots, that the account may see: of a cluster by name or id (NULL: of all); everywhere: of all tenants, for
 * superadmins. */
int volumes_list(struct account *account, const char *cluster, bool everywhere, struct volume_list *list, struct error *err);

/* Adds those that are promised to the cluster of that number, and that none of its nodes has. */
int volumes_promised(struct account *account, int64_t cluster, struct volume_list *list, struct error *err);

/* Returns whether the store knows a volume or snapshot of that id, which was not gone at that time: 1, 0 or -1. */
int volumes_is_known(struct store *store, const char *id, int64_t at_ms, struct error *err);

/* Adds the one of that id. EX_NO where there is none that the account may see. */
int volumes_find(struct account *account, const char *id, struct volume_list *list, struct error *err);

/* Records a snapshot of a volume that is about to be made, which is leaving up to volumes_stay, or a volume that is to be made from a
 * snapshot, and adds it. The quota holds as for a new one. */
int volumes_copy(struct store *store, const struct volume *original, struct volume_list *list, struct error *err);

/* Records that a snapshot was made. */
int volumes_stay(struct store *store, const char *id, struct error *err);

/* Promises a free volume to the cluster of that name, which may not be there yet. EX_NO where it is not free any more. */
int volumes_promise(struct store *store, const char *id, const char *cluster, struct error *err);

/* Records that it is gone. EX_NO where a node has it. */
int volumes_remove(struct store *store, const char *id, struct error *err);

/* Begins the deletion of a free one, so that no node gets it meanwhile. EX_NO where a node has it. */
int volumes_leave(struct store *store, const char *id, struct error *err);

/* Sets *entity to the provider of the volume as the newest cluster of its tenant knows it, JSON, which the caller frees. EX_NO where none
 * does. */
int volumes_provider(struct store *store, const struct volume *volume, char **entity, struct error *err);

/* Adds those of a tenant, by number. */
int volumes_of_tenant(struct store *store, int64_t tenant, struct volume_list *list, struct error *err);

void volume_list_release(struct volume_list *list);

#endif
