/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the machines and providers that the store records, of all tenants at once, for comparing them with what providers list.
 * Only superadmins may ask; no document of a cluster is read for it.
 */
#ifndef CLUSTER_CENSUS_H
#define CLUSTER_CENSUS_H

#include <stdint.h>

struct account;
struct error;
struct sql_rows;

struct census { /* end it */
	struct sql_rows *rows;
};

/* The machines, in the order of their clusters' numbers. EX_NOPERM for others than superadmins. */
int census_nodes(struct account *account, struct census *census, struct error *err);

/* The next one: 1, 0 at the end, -1. The node's id is borrowed until the next call. */
int census_next_node(struct census *census, int64_t *cluster, const char **node, struct error *err);

struct census_provider { /* borrowed until the next call */
	const char *tenant, *name;
	const char *entity; /* JSON, as the newest cluster knows it; NULL: it knows none */
};

/* The providers of all clusters that there are or were. As above. */
int census_providers(struct account *account, struct census *census, struct error *err);
int census_next_provider(struct census *census, struct census_provider *provider, struct error *err);

void census_end(struct census *census);

#endif
