/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/hook.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "hook/hook-call.h"
#include "hook/hook-list.h"
#include "json/json.h"

enum {
	BACKOFF_MAX_MS = 3600 * 1000,
	TAKEN_MS = 60 * 1000, /* that a delivery may take beside its hook's time limit */
};

/* Returns the members of a node that are told, owned: no config, no facts, nothing of a provider or a key. */
static jv
hook_public_node(jv record)
{
	static const char *const members[] = {"id", "nodenum", "hostname", "zone", "hardwaretype", "imagetype", "services",
		"ipaddresses"};
	jv node = jv_object();

	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		jv value = json_get(record, members[i]);

		if (jv_is_valid(value))
			json_set(&node, members[i], value);
		else
			jv_free(value);
	}
	return node;
}

/* Returns the nodes among the records, owned. A line that is not a record is left out. */
static jv
hook_public_nodes(const char *text, size_t length)
{
	jv nodes = jv_array();

	for (const char *line = text, *end; line && line < text + length; line = end + 1) {
		struct error ignored;
		char *kind;
		jv record;

		end = memchr(line, '\n', (size_t)(text + length - line));
		if (!end)
			end = text + length;
		if (end == line || json_parse("layout", line, (size_t)(end - line), &record, &ignored) < 0)
			continue;
		kind = json_get_string(record, "kind");
		if (kind && strcmp(kind, "node") == 0)
			nodes = jv_array_append(nodes, hook_public_node(record));
		free(kind);
		jv_free(record);
	}
	return nodes;
}

/* Returns the id of a message, the same for the same event of the same job; the caller frees it. */
static char *
hook_id_of(const struct hook_event *event)
{
	if (event->job || event->occasion)
		return memory_printf("%s.%s", event->job ? event->job : event->occasion, hook_event_name(event->event));
	return memory_printf("%s.%lld-%08x.%s", event->cluster_id ? event->cluster_id : "0", (long long)clock_wall_ms(),
	    randombytes_random(), hook_event_name(event->event));
}

/* Returns the message as JSON, which the caller frees. */
static char *
hook_body_of(const struct hook_event *event, const char *id)
{
	jv body = jv_object(), cluster = jv_object();
	char at[CLOCK_RFC3339_SIZE];
	struct buffer text = {0};

	json_set_string(&cluster, "id", event->cluster_id);
	json_set_string(&cluster, "name", event->cluster);
	json_set_string(&cluster, "owner", event->owner);
	json_set_string(&cluster, "tenant", event->tenant);
	json_set_string(&body, "kind", "hook");
	json_set_string(&body, "id", id);
	json_set_string(&body, "at", clock_rfc3339(clock_wall_ms(), at));
	json_set_string(&body, "event", hook_event_name(event->event));
	json_set_string(&body, "operation", event->operation);
	json_set(&body, "cluster", cluster);
	json_set_string(&body, "job", event->job);
	json_set_string(&body, "user", event->user);
	json_set_string(&body, "why", event->why);
	json_set_string(&body, "message", event->message);
	json_set(&body, "nodes", hook_public_nodes(event->layout, event->layout_length));
	json_dump(body, &text);
	jv_free(body);
	return buffer_take(&text);
}

/* Gathers the hooks of the event's tenant, and makes the message for them. Returns -1 where a hook is not what it has to be;
 * the others can be told. */
static int
hook_prepare(const struct hook_event *event, struct hook_messages *messages, struct error *err)
{
	int result;

	*messages = (struct hook_messages){0};
	result = hook_list_gather(&messages->hooks, event->tenant, err);
	if (messages->hooks.count == 0)
		return result;
	messages->id = hook_id_of(event);
	messages->body = hook_body_of(event, messages->id);
	messages->list = memory_zeroed(messages->hooks.count, sizeof *messages->list);
	for (size_t i = 0; i < messages->hooks.count; i++)
		if (hook_wants(&messages->hooks.list[i], event->event, event->operation))
			messages->list[messages->count++] = (struct outbox_message){.id = messages->id,
				.hook = messages->hooks.list[i].name, .event = hook_event_name(event->event),
				.operation = event->operation, .tenant = event->tenant, .body = messages->body,
				.told_ms = clock_wall_ms()};
	return result;
}

static void
hook_notice(const struct error *err, const char *what)
{
	char *text = memory_printf("%s; %s", err->text, what);

	message_notice(text);
	free(text);
}

void
hook_messages(const struct hook_event *event, struct hook_messages *messages)
{
	struct error err;

	if (hook_prepare(event, messages, &err) < 0)
		hook_notice(&err, "it is not told; what has been done stays");
}

void
hook_messages_release(struct hook_messages *messages)
{
	hook_list_release(&messages->hooks);
	free(messages->list);
	free(messages->id);
	free(messages->body);
	*messages = (struct hook_messages){0};
}

/* Asks one hook. One that cannot be asked is told later that it was not. */
static int
hook_ask(struct store *store, const struct hook *hook, const struct outbox_message *message, struct error *err)
{
	struct error later;

	switch (hook_call(hook, message, err)) {
	case HOOK_ACCEPTS:
		return 0;
	case HOOK_REFUSES:
		return -1;
	default:
		break;
	}
	if (hook->required)
		return -1;
	hook_notice(err, "it is told later");
	if (outbox_put(store, message, &later) == 0)
		return 0;
	*err = later;
	return -1;
}

int
hook_veto(struct store *store, const struct hook_event *event, struct error *err)
{
	struct hook_messages messages;
	int result = hook_prepare(event, &messages, err);

	for (size_t i = 0; i < messages.count && result == 0; i++)
		result = hook_ask(store, hook_list_find(&messages.hooks, messages.list[i].hook), &messages.list[i], err);
	hook_messages_release(&messages);
	return result;
}

int
hook_tell(struct store *store, const struct hook_event *event, struct error *err)
{
	struct hook_messages messages;
	int result = 0;

	hook_messages(event, &messages);
	for (size_t i = 0; i < messages.count && result == 0; i++)
		result = outbox_put(store, &messages.list[i], err);
	hook_messages_release(&messages);
	return result;
}

/* Returns when a message is due again: twice as long each time, and up to a quarter more, so that not all are due at once. */
static int64_t
hook_next_try(const struct hook *hook, const struct outbox_message *message)
{
	int64_t wait = hook->backoff_s * 1000;

	for (int64_t i = 0; i < message->attempts && wait < BACKOFF_MAX_MS; i++)
		wait *= 2;
	if (wait > BACKOFF_MAX_MS)
		wait = BACKOFF_MAX_MS;
	return clock_wall_ms() + wait + (wait ? (int64_t)randombytes_uniform((uint32_t)(wait / 4 + 1)) : 0);
}

static int
hook_drop(struct store *store, const struct outbox_message *message, struct hook_count *count, const struct error *why,
    struct error *err)
{
	hook_notice(why, "it is not told again");
	count->dropped++;
	return outbox_remove(store, message->id, message->hook, err);
}

/* Delivers a message that has been taken to its hook; NULL: there is none of that name any more. */
static int
hook_deliver_taken(struct store *store, const struct hook *hook, const struct outbox_message *message,
    struct hook_count *count, struct error *err)
{
	struct error why;

	if (!hook) {
		error_set(&why, EX_NO, "hook %s: the hook does not exist any more", message->hook);
		return hook_drop(store, message, count, &why, err);
	}
	switch (hook_call(hook, message, &why)) {
	case HOOK_ACCEPTS:
		count->delivered++;
		return outbox_remove(store, message->id, message->hook, err);
	case HOOK_REFUSES:
		return hook_drop(store, message, count, &why, err);
	default:
		break;
	}
	if (clock_wall_ms() - message->told_ms >= hook->patience_s * 1000)
		return hook_drop(store, message, count, &why, err);
	hook_notice(&why, "it is told again later");
	count->waiting++;
	return outbox_retry(store, message->id, message->hook, hook_next_try(hook, message), err);
}

/* Returns whether a time that should be near has not come; a clock that was set back holds nothing up for long. */
static bool
hook_is_ahead(int64_t at_ms, int64_t now_ms)
{
	return at_ms > now_ms && at_ms <= now_ms + 2 * (int64_t)BACKOFF_MAX_MS;
}

/* Delivers one message, if it is due and no other process has it. What is wrong with it must not keep the others from being
 * delivered. */
static void
hook_deliver_one(struct store *store, const struct outbox_message *waiting, struct hook_count *count)
{
	struct hook_list hooks = {0};
	struct outbox taken = {0};
	struct outbox_message message;
	const struct hook *hook;
	struct error err;
	int64_t now = clock_wall_ms();
	int got = 0;

	if (hook_is_ahead(waiting->next_ms, now)) {
		count->waiting++;
	} else if (!hook_is_ahead(waiting->taken_ms, now)) {
		got = hook_list_gather(&hooks, waiting->tenant, &err);
		hook = hook_list_find(&hooks, waiting->hook);
		if (got == 0 || hook)
			got = outbox_take(store, waiting->id, waiting->hook, now > waiting->taken_ms ? now : waiting->taken_ms,
			    now + TAKEN_MS + (hook ? hook->timeout_s * 1000 : 0), &taken, &message, &err);
		if (got > 0)
			got = hook_deliver_taken(store, hook, &message, count, &err);
	}
	if (got < 0) {
		count->waiting++;
		message_notice(err.text);
	}
	outbox_release(&taken);
	hook_list_release(&hooks);
}

int
hook_deliver(struct store *store, size_t limit, struct hook_count *count, struct error *err)
{
	struct outbox waiting = {0};
	int result;

	*count = (struct hook_count){0};
	result = outbox_list(store, &waiting, err);
	for (size_t i = 0; result == 0 && i < waiting.count && (limit == 0 || count->delivered + count->dropped < limit); i++)
		hook_deliver_one(store, &waiting.list[i], count);
	outbox_release(&waiting);
	return result;
}
