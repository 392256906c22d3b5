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
#include "hook/hook-queue.h"
#include "json/json.h"

enum { BACKOFF_MAX_MS = 3600 * 1000 };

const char *
hook_event_name(enum hook_kind event)
{
	static const char *const names[] = {"start", "success", "failure", "reminder"};

	return names[event];
}

/* What of a node is told: no config, no facts, nothing that a provider or a key belongs to. */
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

/* The nodes among the records, owned. What is no record is left out: it has been through the queue, and was one. */
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

/* The id of what is told: the same for the same event of the same job. */
static char *
hook_id_of(const struct hook_event *event)
{
	if (event->job || event->occasion)
		return memory_printf("%s.%s", event->job ? event->job : event->occasion, hook_event_name(event->event));
	return memory_printf("%s.%lld-%08x.%s", event->cluster_id ? event->cluster_id : "0", (long long)clock_wall_ms(),
	    randombytes_random(), hook_event_name(event->event));
}

/* The caller frees it. */
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

struct told { /* an event on its way to hooks */
	struct hook_list hooks;
	char *id, *body;
	struct hook_message message;
	const struct hook_event *event;
};

/* -1 where a hook is not what it has to be; the others can be told. */
static int
hook_told_open(struct told *told, const struct hook_event *event, struct error *err)
{
	int result;

	*told = (struct told){.event = event};
	result = hook_list_gather(&told->hooks, event->tenant, err);
	if (told->hooks.count == 0)
		return result;
	told->id = hook_id_of(event);
	told->body = hook_body_of(event, told->id);
	told->message = (struct hook_message){told->id, hook_event_name(event->event), event->operation, event->tenant,
	    told->body};
	return result;
}

static void
hook_told_release(struct told *told)
{
	hook_list_release(&told->hooks);
	free(told->id);
	free(told->body);
}

static void
hook_notice(const struct error *err, const char *what)
{
	char *text = memory_printf("%s; %s", err->text, what);

	message_notice(text);
	free(text);
}

/* Asks one. Who cannot be asked is told later, that it was not. */
static int
hook_ask(const struct told *told, const struct hook *hook, struct error *err)
{
	struct error later;

	switch (hook_call(hook, &told->message, err)) {
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
	if (hook_queue_put(hook->name, &told->message, &later) < 0) {
		*err = later;
		return -1;
	}
	return 0;
}

int
hook_veto(const struct hook_event *event, struct error *err)
{
	struct told told;
	int result = hook_told_open(&told, event, err);

	for (size_t i = 0; i < told.hooks.count && result == 0; i++)
		if (hook_wants(&told.hooks.list[i], event->event, event->operation))
			result = hook_ask(&told, &told.hooks.list[i], err);
	hook_told_release(&told);
	return result;
}

int
hook_tell(const struct hook_event *event, struct error *err)
{
	struct told told;
	int result = 0;

	if (hook_told_open(&told, event, err) < 0)
		hook_notice(err, "it is not told; what has been done stays");
	for (size_t i = 0; i < told.hooks.count && result == 0; i++)
		if (hook_wants(&told.hooks.list[i], event->event, event->operation))
			result = hook_queue_put(told.hooks.list[i].name, &told.message, err);
	hook_told_release(&told);
	return result;
}

/* When it is due again: twice as long each time, and up to a quarter more, so that not all come at once. */
static int64_t
hook_next_try(const struct hook *hook, const struct hook_item *item)
{
	int64_t wait = hook->backoff_s * 1000;

	for (int64_t i = 0; i < item->attempts && wait < BACKOFF_MAX_MS; i++)
		wait *= 2;
	if (wait > BACKOFF_MAX_MS)
		wait = BACKOFF_MAX_MS;
	return clock_wall_ms() + wait + (wait ? (int64_t)randombytes_uniform((uint32_t)(wait / 4 + 1)) : 0);
}

/* A clock that was set back holds nothing up for long. */
static bool
hook_is_due(const struct hook_item *item)
{
	int64_t now = clock_wall_ms();

	return item->next_ms <= now || item->next_ms > now + 2 * (int64_t)BACKOFF_MAX_MS;
}

static int
hook_drop(struct hook_item *item, struct hook_count *count, const struct error *why, struct error *err)
{
	hook_notice(why, "it is not told again");
	count->dropped++;
	return hook_queue_drop(item, err);
}

static int
hook_hook_deliver(const struct hook_list *hooks, struct hook_item *item, struct hook_count *count, struct error *err)
{
	const struct hook *hook = hook_list_find(hooks, item->hook);
	struct error why;

	if (!hook) {
		error_set(&why, EX_NO, "hook %s: the hook does not exist any more", item->hook);
		return hook_drop(item, count, &why, err);
	}
	switch (hook_call(hook, &item->message, &why)) {
	case HOOK_ACCEPTS:
		count->delivered++;
		return hook_queue_drop(item, err);
	case HOOK_REFUSES:
		return hook_drop(item, count, &why, err);
	default:
		break;
	}
	if (clock_wall_ms() - item->told_ms >= hook->patience_s * 1000)
		return hook_drop(item, count, &why, err);
	hook_notice(&why, "it is told again later");
	count->waiting++;
	return hook_queue_again(item, hook_next_try(hook, item), err);
}

/* One file: what is wrong with it must not keep the others from being delivered. */
static void
hook_deliver_file(const char *file, struct hook_count *count)
{
	struct hook_list hooks = {0};
	struct hook_item item;
	struct error err;
	int got = hook_queue_take(file, &item, &err);

	if (got > 0 && !hook_is_due(&item)) {
		count->waiting++;
	} else if (got > 0) {
		got = hook_list_gather(&hooks, item.message.tenant, &err);
		if (got == 0 || hook_list_find(&hooks, item.hook))
			got = hook_hook_deliver(&hooks, &item, count, &err);
		hook_list_release(&hooks);
	}
	if (got < 0) {
		count->waiting++;
		message_notice(err.text);
	}
	hook_item_release(&item);
}

int
hook_deliver(size_t limit, struct hook_count *count, struct error *err)
{
	struct hook_names names;

	*count = (struct hook_count){0};
	if (hook_queue_names(&names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count && (limit == 0 || count->delivered + count->dropped < limit); i++)
		hook_deliver_file(names.list[i], count);
	hook_queue_free(&names);
	return 0;
}
