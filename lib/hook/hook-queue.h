/* SPDX-License-Identifier: Apache-2.0
 *
 * What hooks are still to be told: a file for each message and hook in STATE/hooks, there from the instant it is durable
 * until the hook has it. Who delivers one holds a lock on its file.
 */
#ifndef HOOK_HOOK_QUEUE_H
#define HOOK_HOOK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "hook/hook-call.h"

struct error;

struct hook_item { /* strings live in its arena; release it */
	struct arena arena;
	int folder, fd;   /* fd: locked */
	const char *file;
	const char *hook; /* its name */
	struct hook_message message;
	int64_t attempts, told_ms, next_ms;
};

/* Puts a message to a hook, due at once; nothing where it is there already. */
int hook_queue_put(const char *hook, const struct hook_message *message, struct error *err);

/* The names of the files, sorted, in a growable list that the caller frees as a whole with hook_queue_free. */
struct hook_names {
	char **list;
	size_t count;
};
int hook_queue_names(struct hook_names *names, struct error *err);
void hook_queue_free(struct hook_names *names);

/* Takes one: 1; 0 where it is gone, or somebody else has it; -1. */
int hook_queue_take(const char *file, struct hook_item *item, struct error *err);

/* It is over; or it is due again at next_ms, after one attempt more. */
int hook_queue_drop(struct hook_item *item, struct error *err);
int hook_queue_again(struct hook_item *item, int64_t next_ms, struct error *err);

void hook_item_release(struct hook_item *item);

#endif
