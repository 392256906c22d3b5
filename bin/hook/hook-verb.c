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
#include "base/location.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "hook/hook-list.h"
#include "hook/hook.h"
#include "model/show/list.h"
#include "store/store.h"

enum { LAYOUT_BYTES = 256 * 1024 * 1024 };

static const char *tenant, *format, *colour, *layout, *cluster, *job, *failure;
static struct option_change change;
static bool queue_only;
static long limit;

static const struct option_spec list_options[] = {
	OPTION_STRING('T', "tenant", &tenant, "TENANT", "include the hooks of this tenant (default: $COOPR_TENANT)"),
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_NAMES),
	OPTION_END
};

static const struct command list_command = {
	"coopr-hook list", "[OPTION]...", "List the hooks, and how many messages wait for each.", list_options,
	"  coopr-hook list\n"
	"  coopr-hook list -T qa -o name\n"};

static const struct option_spec try_options[] = {
	OPTION_STRING('T', "tenant", &tenant, "TENANT", "of a cluster of this tenant (default: $COOPR_TENANT, else default)"),
	OPTION_STRING('c', "cluster", &cluster, "NAME", "of a cluster of this name (default: example)"),
	OPTION_STRING('J', "job", &job, "JOB", "of this job; two messages about one job have one id"),
	OPTION_STRING(0, "layout", &layout, "FILE", "with the nodes of this layout"),
	OPTION_RETIRED('l', NULL, "--layout"),
	OPTION_STRING('m', "message", &failure, "TEXT", "why it failed"),
	OPTION_FLAG(0, "queue", &queue_only, "only queue the message, for coopr-hook deliver"),
	OPTION_RETIRED('q', NULL, "--queue"),
	OPTION_FLAG('y', "yes", &change.yes, "do not ask for confirmation"),
	OPTION_FLAG(0, "quiet", &change.quiet, "print nothing but errors"),
	OPTION_END
};

static const struct command try_command = {
	"coopr-hook try", "[OPTION]... start|success|failure|reminder [OPERATION]",
	"Tell all hooks of an event that does not happen, to see what they do.", try_options,
	"  coopr-hook try start create\n"
	"  coopr-hook try failure expand --cluster shop --message 'no room'\n"};

static const struct option_spec deliver_options[] = {
	OPTION_NUMBER('l', "limit", &limit, "N", "deliver at most N messages (default: all that are due)"),
	OPTION_RETIRED('n', NULL, "-l"),
	OPTION_CHANGE(&change),
	OPTION_END
};

static const struct command deliver_command = {
	"coopr-hook deliver", "[OPTION]...", "Deliver the messages that are due.", deliver_options,
	"  coopr-hook deliver\n"};

/* Opens the installation's store: 1; 0 where there is none yet; -1, also where it has no tenant of that name (NULL: any). */
static int
hook_verb_open(enum store_mode mode, const char *of, struct store **store, struct error *err)
{
	char *path = location_store(NULL);
	int result = mode != STORE_CREATE && file_is_absent(AT_FDCWD, path) ? 0
	    : store_open(store, path, mode, of, err) < 0 ? -1 : 1;

	free(path);
	return result;
}

/* The context of this function is the struct outbox of the messages that wait. */
static void
hook_verb_fill_waiting(const void *row, struct list_cell *cell)
{
	const struct hook *hook = row;
	const struct outbox *outbox = cell->context;
	int64_t count = 0;

	for (size_t i = 0; i < outbox->count; i++)
		count += strcmp(outbox->list[i].hook, hook->name) == 0;
	list_cell_integer(cell, count);
	cell->style = count ? STYLE_WARN : STYLE_PLAIN;
}

/* Leaves out what may be a secret in a URL: its user and its path. */
static void
hook_verb_fill_called(const void *row, struct list_cell *cell)
{
	const struct hook *hook = row;
	const char *host = hook->url ? strstr(hook->url, "://") + 3 : NULL, *at;
	size_t length = host ? strcspn(host, "/?#") : 0;
	char *called;

	if (!host) {
		list_cell_text(cell, hook->program);
		return;
	}
	at = memrchr(host, '@', length);
	called = memory_printf("%.*s%.*s%s", (int)(host - hook->url), hook->url,
	    (int)(at ? length - (size_t)(at + 1 - host) : length), at ? at + 1 : host, host[length] ? "/..." : "");
	list_cell_text(cell, called);
	free(called);
}

static void
hook_verb_fill_events(const void *row, struct list_cell *cell)
{
	const struct hook *hook = row;
	struct buffer words = {0};

	for (int event = 0; event < HOOK_KIND_COUNT; event++)
		if (hook->events & 1u << event)
			buffer_printf(&words, "%s%s", words.length ? " " : "", hook_event_name((enum hook_kind)event));
	list_cell_text(cell, words.data);
	buffer_release(&words);
}

static void
hook_verb_fill_operations(const void *row, struct list_cell *cell)
{
	const struct hook *hook = row;

	if (!hook->operations)
		list_cell_show(cell, STYLE_PLAIN, "all");
}

static void
hook_verb_fill_signed(const void *row, struct list_cell *cell)
{
	const struct hook *hook = row;

	list_cell_json(cell, hook->secret || hook->secretfile ? "true" : "false");
}

#define AT(type, member) LIST_AT(type, struct hook, member)

static const struct list_column columns[] = {
	{"HOOK", "name", AT(TEXT, name), .style = STYLE_BOLD},
	{"WAITING", "waiting", .fill = hook_verb_fill_waiting},
	{"EVENTS", "events", .fill = hook_verb_fill_events},
	{"OPERATIONS", "operations", AT(TEXT, operations), .fill = hook_verb_fill_operations},
	{"CALLED", "called", .fill = hook_verb_fill_called},
	{"FROM", "from", AT(TEXT, where)},
	{NULL, "required", AT(FLAG, required)},
	{NULL, "signed", .fill = hook_verb_fill_signed},
	{0}};

static const struct list list = {.kind = "hooks", .rows = "hooks", .columns = columns, .row_size = sizeof(struct hook)};

int
hook_verb_list(int argc, char **argv)
{
	struct hook_list hooks = {0};
	struct outbox outbox = {0};
	struct store *store = NULL;
	struct output output;
	struct error err;
	int code = 0, opened;

	argv += option_parse(&list_command, argc, argv);
	if (*argv)
		return option_misuse(&list_command, "unexpected argument '%s'", *argv);
	output = output_open(format, colour);
	output.context = &outbox;
	opened = hook_verb_open(STORE_READ, tenant, &store, &err);

	if (opened < 0 || (opened > 0 && outbox_list(store, &outbox, &err) < 0) ||
	    hook_list_gather(&hooks, tenant ? tenant : "default", &err) < 0)
		code = message_error(&err);
	else
		list_print(&list, hooks.list, hooks.count, &output);

	outbox_release(&outbox);
	store_release(store);
	hook_list_release(&hooks);
	return message_end(code);
}

/* Prints "2 delivered, 1 waiting, 0 cancelled"; returns 1 where not all was delivered. */
static int
hook_verb_say_count(const struct hook_count *count)
{
	if (!change.quiet)
		printf("%zu delivered, %zu waiting, %zu cancelled\n", count->delivered, count->waiting, count->dropped);
	return count->waiting || count->dropped ? EX_NO : 0;
}

static int
hook_verb_tell(const struct hook_event *event)
{
	bool asks = event->event == HOOK_START && !queue_only;
	struct hook_count count = {0};
	struct store *store = NULL;
	struct error err;
	int result = hook_verb_open(STORE_CREATE, NULL, &store, &err);

	if (result >= 0)
		result = asks ? hook_veto(store, event, &err) : hook_tell(store, event, &err);
	if (result >= 0 && !asks && !queue_only)
		result = hook_deliver(store, 0, &count, &err);
	store_release(store);
	if (result < 0)
		return message_error(&err);
	return asks || queue_only ? 0 : hook_verb_say_count(&count);
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
		return option_misuse(&try_command, "unknown event '%s': expected start, success, failure or reminder", argv[0]);
	if (failure && hook_verb_event_of(argv[0]) != HOOK_FAILURE)
		return option_misuse(&try_command, "--message: has no effect with the event %s, only with failure", argv[0]);
	if (layout && file_read(AT_FDCWD, layout, LAYOUT_BYTES, &nodes, &err) < 0)
		return message_error(&err);

	user = process_user(geteuid());
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
	struct hook_count count = {0};
	struct store *store = NULL;
	struct error err;
	int opened;

	argv += option_parse(&deliver_command, argc, argv);
	if (*argv)
		return option_misuse(&deliver_command, "unexpected argument '%s'", *argv);
	opened = hook_verb_open(STORE_WRITE, NULL, &store, &err);
	if (opened < 0 || (opened > 0 && hook_deliver(store, (size_t)limit, &count, &err) < 0))
		return message_error(&err);
	store_release(store);
	return message_end(hook_verb_say_count(&count));
}
