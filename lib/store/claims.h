/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims of nodes on machines that exist already (provider static): a machine is given to one node only, and to that node again
 * when it asks again, from whichever host.
 */
#ifndef STORE_CLAIMS_H
#define STORE_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct error;
struct store;

struct claim {
	const char *machine, *node;                /* "192.0.2.11:22", "00000042-1000" */
	const char *provider, *cluster, *hostname; /* or NULL */
};

struct claim_list { /* zero-initialise; release it. Strings live in its arena */
	struct arena arena;
	struct claim *list; /* by machine */
	size_t count, capacity;
};

/* Claims for claim->node the first of the machines that is free, or finds what the node has: 1, and *machine (in arena) is which,
 * which need not be one of these; 0 where all are in use; -1. Durable. claim->machine is not looked at. */
int claims_take(struct store *store, const struct claim *claim, const char *const *machines, size_t count, struct arena *arena,
    const char **machine, struct error *err);

/* Gives back what the node has; nothing is fine. */
int claims_give_back(struct store *store, const char *node, struct error *err);

/* Adds what is claimed by nodes of a provider (NULL: of any). */
int claims_list(struct store *store, const char *provider, struct claim_list *list, struct error *err);
void claim_list_release(struct claim_list *list);

#endif
