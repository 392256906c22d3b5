/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks: who is told of the operations on clusters, coopr-hooks(7). A hook is an executable in a folder of hooks, or a
 * URL in a file config or in a tenant's document. It is told of the start of an operation, which it may veto, and of its
 * success or failure; and that a lease is about to end.
 *
 * Messages are durable before they are delivered: they are put into the store's outbox, by operation_end in its own
 * transaction, and hook_deliver removes each when its hook has it. A process that is killed loses nothing; a hook may be
 * told twice, and knows by the id. Failures of a delivery are told by message_notice.
 *
 *	if (hook_veto(store, &event, &err) < 0)        // event "start", before operation_begin
 *		...
 *	event.event = HOOK_SUCCESS;
 *	hook_messages(&event, &messages);
 *	operation_end(...);                            // with messages.list
 *	hook_deliver(store, 0, &delivered, &err);      // at once, and from coopr reconcile for hooks that did not answer
 */
#ifndef HOOK_HOOK_H
#define HOOK_HOOK_H

#include <stddef.h>

#include "hook/hook-list.h"
#include "store/outbox.h"

struct error;
struct store;

struct hook_event { /* all borrowed; NULL where it is not known */
	enum hook_kind event;
	const char *operation; /* "create", "expand", ... */
	const char *cluster_id, *cluster, *tenant, *owner, *user, *why;
	const char *job;       /* makes the id, with the event */
	const char *occasion;  /* ... where there is no job */
	const char *message;   /* why it failed, or another notice */
	const char *layout;    /* the nodes as records, NDJSON; only names, places, types, services and addresses are told */
	size_t layout_length;
};

struct hook_messages { /* release it */
	struct hook_list hooks;
	char *id, *body;
	struct outbox_message *list; /* for each hook that wants the event */
	size_t count;
};

struct hook_count { /* of deliveries */
	size_t delivered, waiting, dropped; /* dropped: refused for good, or cancelled */
};

/* Asks the hooks of "start". Returns 0 where none objects; -1 with EX_NO and the reason where one does: a non-zero exit of
 * an executable, an answer 4xx of a URL. A hook that cannot be asked (it hangs, 5xx, no connection) does not object, unless
 * it is "required": EX_TEMPFAIL; it is told later. Fails with EX_CONFIG where a hook is not what it has to be, since it
 * might have objected. */
int hook_veto(struct store *store, const struct hook_event *event, struct error *err);

/* Makes the messages of an event. A hook that is not what it has to be only gets a notice: what has been done must not wait
 * for it. */
void hook_messages(const struct hook_event *event, struct hook_messages *messages);
void hook_messages_release(struct hook_messages *messages);

/* Puts the messages of an event into the outbox, once under the same id. */
int hook_tell(struct store *store, const struct hook_event *event, struct error *err);

/* Delivers messages that are due: at most limit (0: all). Many processes may do so at once. Returns -1 only where the outbox
 * cannot be read. */
int hook_deliver(struct store *store, size_t limit, struct hook_count *count, struct error *err);

#endif
