/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-context: keeps the servers that a user knows by a name, and which of them is in use, coopr-remote(7). Exits with 0; 1 where there is
 * no context of that name, or none at all; 64 on misuse; 73 where the user's file cannot be written; 78 where it is malformed, or others
 * could read it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/subcommand.h"
#include "model/name.h"
#include "model/show/list.h"
#include "remote/contexts.h"
#include "remote/destination.h"

static const char *format, *colour, *ca, *token_file;
static struct option_change change;
static bool none;
static struct contexts contexts; /* until the end, as what is given out of it */

struct context_row {
	const char *name, *server, *ca, *token, *user;
	int64_t expires_ms;
	bool is_current;
};

static void
context_fill_current(const void *row, struct list_cell *cell)
{
	const struct context_row *context = row;

	list_cell_show(cell, STYLE_GOOD, "%s", context->is_current ? "in use" : "");
}

#define AT(type, member) LIST_AT(type, struct context_row, member)
static const struct list_column context_columns[] = {
	{"NAME", "name", AT(TEXT, name)},
	{"SERVER", "server", AT(TEXT, server)},
	{"USER", "user", AT(TEXT, user), .when = LIST_FILLED},
	{"TOKEN", "token", AT(TEXT, token), .when = LIST_FILLED},
	{"EXPIRES", "expires", AT(TIME, expires_ms), .when = LIST_FILLED},
	{"CA", "ca", AT(TEXT, ca), .when = LIST_WIDE | LIST_FILLED},
	{"", "current", AT(FLAG, is_current), .fill = context_fill_current},
	{0}};
static const struct list context_list = {.kind = "context", .columns = context_columns, .row_size = sizeof(struct context_row),
	.rows = "contexts"};

static const struct option_spec list_options[] = {
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_NAMES),
	OPTION_END
};
static const struct command list_command = {"coopr-context list", "[OPTION]...", "List the contexts.", list_options,
	"  coopr-context list\n"};

static const struct option_spec use_options[] = {
	OPTION_FLAG(0, "none", &none, "use no server: commands act on this machine"),
	OPTION_CHANGE(&change),
	OPTION_END
};
static const struct command use_command = {"coopr-context use", "[OPTION]... [NAME]", "Have the server of a context do the commands.",
	use_options,
	"  coopr-context use work\n"
	"  coopr-context use --none\n"};

static const struct option_spec set_options[] = {
	OPTION_STRING(0, "ca", &ca, "FILE", "who may have signed the server's certificate (PEM)"),
	OPTION_STRING(0, "token-file", &token_file, "FILE", "the token for the server, which nobody else may read"),
	OPTION_CHANGE(&change),
	OPTION_END
};
static const struct command set_command = {"coopr-context set", "[OPTION]... NAME ADDRESS", "Add a context, or change it.", set_options,
	"  coopr-context set work https://coopr.example.net:8443 --token-file ~/.config/coopr/work.token\n"};

static const struct option_spec delete_options[] = {
	OPTION_CHANGE(&change),
	OPTION_END
};
static const struct command delete_command = {"coopr-context delete", "[OPTION]... NAME...", "Delete contexts.", delete_options,
	"  coopr-context delete work\n"};

static int
context_list_all(int argc, char **argv)
{
	struct output output;
	static struct context_row *rows;
	struct error err;

	argv += option_parse(&list_command, argc, argv);
	if (*argv)
		return option_misuse(&list_command, "unexpected argument '%s'", *argv);
	output = output_open(format, colour);
	if (contexts_read(&contexts, &err) < 0)
		return message_error(&err);
	rows = memory_zeroed(contexts.count + 1, sizeof *rows);
	for (size_t i = 0; i < contexts.count; i++) {
		const struct context *context = &contexts.list[i];

		rows[i] = (struct context_row){.name = context->name, .server = context->server, .ca = context->ca, .user = context->user,
		    .token = context->token ? "kept" : context->token_file, .is_current = context == contexts_current(&contexts),
		    .expires_ms = context->expires ? clock_parse_rfc3339(context->expires) : 0};
	}
	list_print(&context_list, rows, contexts.count, &output);
	return message_end(contexts.count ? 0 : EX_NO);
}

/* Tells that there is no such context; returns the exit code. */
static int
context_missing(const char *name)
{
	message("no context named \"%s\"; coopr context list shows them", name);
	return EX_NO;
}

static int
context_write(void)
{
	struct error err;

	return contexts_write(&contexts, &err) < 0 ? message_error(&err) : message_end(0);
}

static int
context_use(int argc, char **argv)
{
	const struct context *context;
	struct error err;

	argv += option_parse(&use_command, argc, argv);
	if (none ? argv[0] != NULL : !argv[0] || argv[1])
		return option_misuse(&use_command, "expected one context, or --none");
	if (contexts_read(&contexts, &err) < 0)
		return message_error(&err);
	context = none ? NULL : contexts_find(&contexts, argv[0]);
	if (!none && !context)
		return context_missing(argv[0]);
	contexts.current = none ? NULL : context->name;
	return context_write();
}

/* Returns the context with what was given: what was not stays, but for the token of another server. */
static struct context
context_changed(const char *name, const char *server)
{
	const struct context *before = contexts_find(&contexts, name);
	struct context context = {.name = name, .server = server};

	if (before && strcmp(before->name, name) == 0 && strcmp(before->server, server) == 0)
		context = *before;
	if (ca)
		context.ca = contexts_absolute(&contexts, ca);
	if (token_file) {
		context.token_file = contexts_absolute(&contexts, token_file);
		context.token = context.user = context.expires = NULL;
	}
	return context;
}

static int
context_set(int argc, char **argv)
{
	struct context context;
	struct error err;

	argv += option_parse(&set_command, argc, argv);
	if (!argv[0] || !argv[1] || argv[2])
		return option_misuse(&set_command, "expected the name of a context and the address of its server");
	if (!name_is_valid(argv[0]))
		return option_misuse(&set_command, "invalid name '%s': expected 1 to 255 letters, digits, _ . -", argv[0]);
	if (destination_check(argv[1], &err) < 0 || contexts_read(&contexts, &err) < 0 ||
	    (token_file && contexts_check_private(token_file, &err) < 0))
		return message_error(&err);
	context = context_changed(argv[0], argv[1]);
	contexts_set(&contexts, &context);
	if (contexts.count == 1)
		contexts.current = context.name;
	return context_write();
}

static int
context_delete(int argc, char **argv)
{
	struct error err;

	argv += option_parse(&delete_command, argc, argv);
	if (!argv[0])
		return option_misuse(&delete_command, "missing argument NAME");
	if (contexts_read(&contexts, &err) < 0)
		return message_error(&err);
	for (; *argv; argv++) {
		size_t before = contexts.count;

		contexts_remove(&contexts, *argv);
		if (contexts.count == before)
			return context_missing(*argv);
	}
	return context_write();
}

static const struct option_spec options[] = {
	OPTION_END
};

static const struct subcommand subcommands[] = {
	{"list", context_list_all, "list the contexts"},
	{"use", context_use, "have the server of a context do the commands"},
	{"set", context_set, "add a context, or change it"},
	{"delete", context_delete, "delete contexts"},
	{0}};

static const struct command command = {
	"coopr-context", "COMMAND [OPTION]... [ARGUMENT]...", "Keep the servers that you know by a name.", options,
	"  coopr-context set work https://coopr.example.net:8443\n"
	"  coopr-context use work\n"
	"  coopr-context list\n"};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
