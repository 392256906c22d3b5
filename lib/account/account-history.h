/* SPDX-License-Identifier: Apache-2.0
 *
 * What was done to tenants and their members: when, by whom, why, and what they are since then.
 */
#ifndef ACCOUNT_ACCOUNT_HISTORY_H
#define ACCOUNT_ACCOUNT_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct account;
struct error;
struct store;

struct account_event { /* strings live in the list's arena */
	const char *kind, *name; /* "tenant" or "member" */
	int64_t at_ms;
	const char *by;
	const char *why, *document; /* or NULL: nothing was said; it was taken away */
};

struct account_event_list { /* zero-initialise; release it */
	struct arena arena;
	struct account_event *list;
	size_t count, capacity;
};

/* Adds an event, inside a transaction. document is NULL if it was removed. */
int account_history_add(struct store *store, int64_t tenant, const char *kind, const char *name, const char *document,
    struct error *err);

/* The same of a member who has that role, and groups, a JSON array. */
int account_history_add_member(struct store *store, int64_t tenant, const char *user, const char *role, const char *groups,
    struct error *err);

/* Adds the events of the account's tenant, the oldest first. Only for its admin. */
int account_history_list(struct account *account, struct account_event_list *list, struct error *err);
void account_event_list_release(struct account_event_list *list);

#endif
