/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the hooks: executables in the folders of hooks, sections of the files config, and those of the tenant's document.
 */
#ifndef HOOK_HOOK_LIST_H
#define HOOK_HOOK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct error;

enum hook_kind { HOOK_START, HOOK_SUCCESS, HOOK_FAILURE, HOOK_REMINDER, HOOK_KIND_COUNT };

/* Returns "start", "success", "failure", "reminder". */
const char *hook_event_name(enum hook_kind event);

struct hook { /* strings live in the list's arena */
	const char *name;
	const char *program, *url;  /* one of them; the other NULL */
	const char *where;          /* "/etc/coopr/config:7", "tenant qa", the folder */
	unsigned events;            /* bits 1 << HOOK_START ... */
	const char *operations;     /* blanks between; NULL: all */
	const char *secret;         /* name of a secret in the tenant's store, or NULL */
	const char *secretfile;     /* or a file, or NULL */
	int64_t timeout_s, backoff_s, patience_s;
	bool required;
};

struct hook_list { /* zero-initialise; release it */
	struct arena arena;
	struct hook *list;
	size_t count, capacity;
};

/* Adds all hooks of a tenant (NULL: of none). Fails with EX_CONFIG where one is not what coopr-hooks(7) allows; the list has
 * the others. Release it in any case. */
int hook_list_gather(struct hook_list *hooks, const char *tenant, struct error *err);

/* Returns whether the hook wants to know of an event of an operation. */
bool hook_wants(const struct hook *hook, enum hook_kind event, const char *operation);

/* Returns the hook of that name, NULL where there is none. */
struct hook *hook_list_find(const struct hook_list *hooks, const char *name);

void hook_list_release(struct hook_list *hooks);

#endif
