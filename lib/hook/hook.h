/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks: what others want to be told of the operations on clusters, coopr-hooks(7). A hook is an executable in a folder
 * of hooks, or a URL in a file config or in a tenant's document. It is told of the start of an operation, which it may
 * veto, and of its success or failure; and that a lease is about to end.
 *
 * What is told is durable first: hook_tell puts it into STATE/hooks, a file per hook, and hook_deliver takes it away once
 * the hook has it. Whoever is killed between the two loses nothing; a hook may be told twice, and knows by the id.
 * What becomes of a delivery is said (message_notice).
 *
 *	if (hook_veto(&event, &err) < 0)        // event "start", before operation_begin
 *		...
 *	event.event = HOOK_SUCCESS;
 *	hook_tell(&event, &err);                // before operation_end: settled again, it is told again, under the same id
 *	operation_end(...);
 *	hook_deliver(0, &delivered, &err);      // at once, and from coopr reconcile for what was not to be had then
 */
#ifndef HOOK_HOOK_H
#define HOOK_HOOK_H

#include <stddef.h>

struct error;

enum hook_kind { HOOK_START, HOOK_SUCCESS, HOOK_FAILURE, HOOK_REMINDER, HOOK_KIND_COUNT };

struct hook_event { /* all borrowed; NULL where it is not known */
	enum hook_kind event;
	const char *operation; /* "create", "expand", ... */
	const char *cluster_id, *cluster, *tenant, *owner, *user, *why;
	const char *job;       /* makes the id, with the event */
	const char *occasion;  /* ... where there is no job */
	const char *message;   /* why it failed, or what is to be known */
	const char *layout;    /* the nodes as records, NDJSON; only names, places, types, services and addresses are told */
	size_t layout_length;
};

struct hook_count { /* of deliveries */
	size_t delivered, waiting, dropped; /* dropped: refused for good, or given up */
};

/* "start", "success", "failure", "reminder". */
const char *hook_event_name(enum hook_kind event);

/* Asks the hooks of "start". 0 where none objects; -1 with EX_NO and who refuses why: a non-zero exit of an executable, an
 * answer 4xx of a URL. One that cannot be asked (it hangs, 5xx, no connection) does not object, unless it is "required":
 * EX_TEMPFAIL; it is told later. EX_CONFIG where a hook is not what it has to be: it might have objected. */
int hook_veto(const struct hook_event *event, struct error *err);

/* Puts what is to be told into the queue, once under the same id. A hook that is not what it has to be is only said
 * (message_notice): what has been done must not wait for it. */
int hook_tell(const struct hook_event *event, struct error *err);

/* Delivers what is due: at most limit of it (0: all). Many may do so at once. -1 only where the queue cannot be read. */
int hook_deliver(size_t limit, struct hook_count *count, struct error *err);

#endif
