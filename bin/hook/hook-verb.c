/* SPDX-License-Identifier: Apache-2.0 */
#include "hook-verb.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "base/terminal.h"
#include "hook/hook-list.h"
#include "hook/hook-queue.h"
#include "hook/hook.h"
#include "json/record.h"

enum { LAYOUT_BYTES = 256 * 1024 * 1024 };

static const char *tenant, *format, *colour, *layout, *cluster, *job, *failure;
static bool queue_only;
static long limit;

static const struct option_spec list_options[] = {
	OPTION_STRING('T', "tenant", &tenant, "TENANT", "also those in this tenant's document (default: $COOPR_TENANT)"),
	OPTION_STRING('o', "output", &format, "table|json|name", "output format (default: table on a terminal, else json)"),
	OPTION_STRING(0, "color", &colour, "auto|always|never", "when to colour (default: auto, on a terminal)"),
	OPTION_END
};

static const struct command list_command = {
	"coopr-hook list", "[OPTION]...", "List the hooks there are, and how much waits for each.", list_options,
	"  coopr-hook list\n"
	"  coopr-hook list -T qa -o name\n"};

static const struct option_spec try_options[] = {
	OPTION_STRING('T', "tenant", &tenant, "TENANT", "of a cluster of this tenant (default: $COOPR_TENANT, else default)"),
	OPTION_STRING('c', "cluster", &cluster, "NAME", "of a cluster of this name (default: example)"),
	OPTION_STRING('J', "job", &job, "JOB", "of this job; what is told twice of a job has one id"),
	OPTION_STRING('l', "layout", &layout, "FILE", "with these nodes (a layout)"),
	OPTION_STRING('m', "message", &failure, "TEXT", "why it failed"),
	OPTION_FLAG('q', "queue", &queue_only, "only put it into the queue, as what coopr-hook deliver is for"),
	OPTION_END
};

static const struct command try_command = {
	"coopr-hook try", "[OPTION]... start|success|failure|reminder [OPERATION]",
	"Tell all hooks of something that does not happen, to see what they do.", try_options,
	"  coopr-hook try start create\n"
	"  coopr-hook try failure expand --cluster shop --message 'no room'\n"};

static const struct option_spec deliver_options[] = {
	OPTION_NUMBER('n', "limit", &limit, "N", "at most so many (default: all that is due)"),
	OPTION_END
};

static const struct command deliver_command = {
	"coopr-hook deliver", "[OPTION]...", "Deliver what is due of what hooks could not be told.", deliver_options,
	"  coopr-hook deliver\n"};

/* How many files wait for a hook: what stands behind the comma is its name. */
static size_t
hook_verb_waiting(const struct hook_names *names, const char *hook)
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++)
		count += strcmp(strchr(names->list[i], ',') + 1, hook) == 0;
	return count;
}

/* Where it is, but for what may be a secret in a URL: its path. */
static void
hook_verb_place_of(const struct hook *hook, struct buffer *out)
{
	const char *host = hook->url ? strstr(hook->url, "://") + 3 : NULL, *at;
	size_t length = host ? strcspn(host, "/?#") : 0;

	buffer_clear(out);
	if (!host) {
		buffer_text(out, hook->program);
		return;
	}
	at = memrchr(host, '@', length);
	buffer_append(out, hook->url, (size_t)(host - hook->url));
	if (at) {
		length -= (size_t)(at + 1 - host);
		host = at + 1;
	}
	buffer_append(out, host, length);
	buffer_text(out, host[length] ? "/..." : "");
}

static void
hook_verb_events_of(const struct hook *hook, struct buffer *out)
{
	buffer_clear(out);
	for (int event = 0; event < HOOK_KIND_COUNT; event++)
		if (hook->events & 1u << event)
			buffer_printf(out, "%s%s", out->length ? " " : "", hook_event_name((enum hook_kind)event));
}

static void
hook_verb_print_table(const struct hook_list *hooks, const struct hook_names *names)
{
	static const char *const columns[] = {"HOOK", "WAITING", "EVENTS", "OPERATIONS", "CALLED", "FROM", NULL};
	struct buffer place = {0}, events = {0};
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < hooks->count; i++) {
		const struct hook *hook = &hooks->list[i];
		size_t count = hook_verb_waiting(names, hook->name);

		hook_verb_place_of(hook, &place);
		hook_verb_events_of(hook, &events);
		table_cell(&table, STYLE_BOLD, "%s", hook->name);
		table_cell(&table, count ? STYLE_WARN : STYLE_PLAIN, "%zu", count);
		table_cell(&table, STYLE_PLAIN, "%s", events.data);
		table_cell(&table, STYLE_PLAIN, "%s", hook->operations ? hook->operations : "all");
		table_cell(&table, STYLE_PLAIN, "%s", place.data);
		table_cell(&table, STYLE_PLAIN, "%s", hook->where);
	}
	table_print(&table, stdout, terminal_colour(colour, stdout), true);
	table_release(&table);
	buffer_release(&place);
	buffer_release(&events);
}

static void
hook_verb_print_record(const struct hook *hook, const struct hook_names *names)
{
	struct buffer place = {0}, events = {0};
	jv record = jv_object();

	hook_verb_place_of(hook, &place);
	hook_verb_events_of(hook, &events);
	json_set_string(&record, "kind", "hooks");
	json_set_string(&record, "name", hook->name);
	json_set_number(&record, "waiting", (double)hook_verb_waiting(names, hook->name));
	json_set_string(&record, "events", events.data);
	json_set_string(&record, "operations", hook->operations);
	json_set_string(&record, "called", place.data);
	json_set_string(&record, "from", hook->where);
	json_set(&record, "required", hook->required ? jv_true() : jv_false());
	json_set(&record, "signed", hook->secret || hook->secretfile ? jv_true() : jv_false());
	record_write(record, stdout);
	jv_free(record);
	buffer_release(&place);
	buffer_release(&events);
}

static void
hook_verb_print_list(const struct hook_list *hooks, const struct hook_names *names)
{
	if (strcmp(format, "table") == 0) {
		hook_verb_print_table(hooks, names);
		return;
	}
	for (size_t i = 0; i < hooks->count; i++)
		if (strcmp(format, "name") == 0)
			puts(hooks->list[i].name);
		else
			hook_verb_print_record(&hooks->list[i], names);
}

int
hook_verb_list(int argc, char **argv)
{
	struct hook_list hooks = {0};
	struct hook_names names = {0};
	struct error err;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	if (*argv)
		return option_misuse(&list_command, "there are no operands");
	if (!format)
		format = isatty(STDOUT_FILENO) ? "table" : "json";
	if (strcmp(format, "table") != 0 && strcmp(format, "json") != 0 && strcmp(format, "name") != 0)
		return option_misuse(&list_command, "unknown format '%s': table, json or name", format);

	if (hook_list_gather(&hooks, tenant ? tenant : "default", &err) < 0 || hook_queue_names(&names, &err) < 0)
		code = message_error(&err);
	else
		hook_verb_print_list(&hooks, &names);

	hook_queue_free(&names);
	hook_list_release(&hooks);
	return message_end(code);
}

/* "2 delivered, 1 waits, 0 given up"; exit code 1 where not all has been delivered. */
static int
hook_verb_say_count(const struct hook_count *count)
{
	printf("%zu delivered, %zu waiting, %zu given up\n", count->delivered, count->waiting, count->dropped);
	return count->waiting || count->dropped ? EX_NO : 0;
}

static int
hook_verb_tell(const struct hook_event *event)
{
	struct hook_count count;
	struct error err;

	if (event->event == HOOK_START && !queue_only)
		return hook_veto(event, &err) < 0 ? message_error(&err) : 0;
	if (hook_tell(event, &err) < 0 || (!queue_only && hook_deliver(0, &count, &err) < 0))
		return message_error(&err);
	return queue_only ? 0 : hook_verb_say_count(&count);
}

static enum hook_kind
hook_verb_event_of(const char *name)
{
	int event = 0;

	while (event < HOOK_KIND_COUNT && strcmp(hook_event_name((enum hook_kind)event), name) != 0)
		event++;
	return (enum hook_kind)event;
}

int
hook_verb_try(int argc, char **argv)
{
	struct buffer nodes = {0};
	struct hook_event event;
	struct error err;
	char *user;
	int code;

	argv += option_parse(&try_command, argc, argv);
	if (!argv[0] || (argv[1] && argv[2]))
		return option_misuse(&try_command, "expected an event, and perhaps an operation");
	if (hook_verb_event_of(argv[0]) == HOOK_KIND_COUNT)
		return option_misuse(&try_command, "'%s' is no event: start, success, failure or reminder", argv[0]);
	if (layout && file_read(AT_FDCWD, layout, LAYOUT_BYTES, &nodes, &err) < 0)
		return message_error(&err);

	user = process_user();
	event = (struct hook_event){.event = hook_verb_event_of(argv[0]), .operation = argv[1] ? argv[1] : "create",
	    .cluster_id = "00000000", .cluster = cluster ? cluster : "example", .tenant = tenant ? tenant : "default",
	    .owner = user, .user = user, .why = "a trial: nothing happens", .job = job, .message = failure,
	    .layout = nodes.data,
	    .layout_length = nodes.length};
	code = hook_verb_tell(&event);

	buffer_release(&nodes);
	free(user);
	return message_end(code);
}

int
hook_verb_deliver(int argc, char **argv)
{
	struct hook_count count;
	struct error err;

	argv += option_parse(&deliver_command, argc, argv);
	if (*argv)
		return option_misuse(&deliver_command, "there are no operands");
	if (hook_deliver((size_t)limit, &count, &err) < 0)
		return message_error(&err);
	return message_end(hook_verb_say_count(&count));
}
