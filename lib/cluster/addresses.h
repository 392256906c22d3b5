/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses that clusters have beside those of their machines, such as one that moves from node to node: of ranges that the provider names. No two
 * living clusters have one address, be it of providers of the installation, or of those of one tenant, whose networks are its own. A cluster has at
 * most one, until it is terminated.
 */
#ifndef CLUSTER_ADDRESSES_H
#define CLUSTER_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct error;
struct store;
struct string_list;

/* Finds the address of the cluster, or for one without, or a new one, the first of the ranges that none has. is_shared: the provider is the
 * installation's. Returns 1 with the address in the arena, 0 where all are taken, -1. */
int cluster_address_find(struct store *store, int64_t cluster, const struct string_list *ranges, bool is_shared, struct arena *arena, const char **address,
    struct error *err);

/* Returns whether a living cluster but this one, or a new one, has the address: 1, 0 or -1. */
int cluster_address_is_taken(struct store *store, int64_t cluster, const char *address, bool is_shared, struct error *err);

/* Gives the cluster the address, inside a transaction. Fails with error_outdated where another one has it by now. */
int cluster_address_take(struct store *store, int64_t cluster, const char *address, bool is_shared, struct error *err);

#endif
