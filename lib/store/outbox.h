/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages that hooks have not got yet. A message is stored in the transaction of the event that it tells of, until its
 * hook has it. A process that delivers one takes it for a time, so that no other delivers it at once; if it dies
 * meanwhile, others may take it after that time.
 */
#ifndef STORE_OUTBOX_H
#define STORE_OUTBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct error;
struct store;

struct outbox_message {
	const char *id, *hook; /* together, what it is known by */
	const char *event, *operation;
	const char *tenant; /* or NULL */
	const char *body;
	int64_t told_ms; /* when it was put here; wall clock, as all below */
	int64_t attempts;
	int64_t next_ms;  /* not to be tried before; 0: at once */
	int64_t taken_ms; /* somebody is at it until then; 0: nobody */
};

struct outbox { /* zero-initialise; release it. Strings live in its arena */
	struct arena arena;
	struct outbox_message *list; /* by id and hook */
	size_t count, capacity;
};

/* Adds a message, inside the caller's transaction; nothing where it is there already. */
int outbox_add(struct store *store, const struct outbox_message *message, struct error *err);

/* Adds one durably. */
int outbox_put(struct store *store, const struct outbox_message *message, struct error *err);

/* Adds all messages to the list, without their bodies: outbox_take gives one with its body. */
int outbox_list(struct store *store, struct outbox *list, struct error *err);

/* Takes a message until until_ms: 1, and message is as it is now, in list's arena; 0 where it is gone, or somebody else has it at
 * now_ms; -1. */
int outbox_take(struct store *store, const char *id, const char *hook, int64_t now_ms, int64_t until_ms, struct outbox *list,
    struct outbox_message *message, struct error *err);

/* Removes a message that its hook has got, or can never get. */
int outbox_remove(struct store *store, const char *id, const char *hook, struct error *err);

/* Gives back a message that could not be delivered: it is due again at next_ms. Counts the attempt. */
int outbox_retry(struct store *store, const char *id, const char *hook, int64_t next_ms, struct error *err);

void outbox_release(struct outbox *list);

#endif
