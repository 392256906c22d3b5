/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims of nodes on machines that exist already (provider static): a machine is given to one node only, and to that node again
 * when it asks again, from whichever host.
 */
#ifndef STORE_CLAIMS_H
#define STORE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "json/place.h"

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
 * which need not be one of these; 0 where all are in use; -1. Durable. claim->machine is not looked at. A machine is in use where
 * any of its addresses is claimed, by whichever tenant and in whichever spelling, address/machine-address.h. One whose name does
 * not resolve is passed over; -1 with EX_TEMPFAIL where no other is free. So is one of whose addresses any is in none of the ranges, unless
 * ranges is NULL: -1 with EX_NOPERM. */
int claims_take(struct store *store, const struct claim *claim, const char *const *machines, size_t count,
    const struct string_list *ranges, struct arena *arena, const char **machine, struct error *err);

/* Sets *machine (in arena) to what the node has: 1, or 0 where that is nothing. */
int claims_find(struct store *store, const char *node, struct arena *arena, const char **machine, struct error *err);

/* Checks that the machine "ADDRESS:PORT" is the one that the node has claimed. Returns -1 with EX_CONFIG otherwise. Does nothing where
 * the claimed machine is called by something else than an address. */
int claims_check_address(struct store *store, const char *node, const char *machine, struct error *err);

/* Keeps the host keys ("TYPE BASE64") that the machine of the node shows. Returns -1 with EX_CONFIG where the machine of another
 * node has shown one of them, unless shared is set. Does nothing for a node without a claim. */
int claims_keep_host_keys(struct store *store, const char *node, const struct string_list *keys, bool shared, struct error *err);

/* Gives back what the node has; nothing is fine. */
int claims_give_back(struct store *store, const char *node, struct error *err);

/* Adds what is claimed by nodes of a provider (NULL: of any). */
int claims_list(struct store *store, const char *provider, struct claim_list *list, struct error *err);
void claim_list_release(struct claim_list *list);

#endif
