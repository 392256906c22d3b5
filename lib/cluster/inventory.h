/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the machines and providers that the store records, of all tenants at once, for comparing them with what providers list.
 * Only superadmins may ask; no document of a cluster is read for it.
 */
#ifndef CLUSTER_INVENTORY_H
#define CLUSTER_INVENTORY_H

#include <stdint.h>

struct account;
struct error;
struct sql_rows;

struct inventory { /* end it */
	struct sql_rows *rows;
};

/* Begins to read the machines, in the order of their clusters' numbers. EX_NOPERM for others than superadmins. */
int inventory_nodes(struct account *account, struct inventory *inventory, struct error *err);

/* Reads the next one: 1, 0 at the end, -1. The node's id is borrowed until the next call. */
int inventory_next_node(struct inventory *inventory, int64_t *cluster, const char **node, struct error *err);

struct inventory_provider { /* borrowed until the next call */
	const char *tenant, *name;
	const char *entity; /* JSON, as the newest cluster knows it; NULL: it knows none */
};

/* Do the same with the providers of all clusters that there are or were. */
int inventory_providers(struct account *account, struct inventory *inventory, struct error *err);
/* Only those from which a cluster of that tenant has had volumes. */
int inventory_volume_providers(struct account *account, struct inventory *inventory, struct error *err);
int inventory_next_provider(struct inventory *inventory, struct inventory_provider *provider, struct error *err);

void inventory_end(struct inventory *inventory);

#endif
