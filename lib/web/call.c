/* SPDX-License-Identifier: Apache-2.0 */
#include "web/call.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "admin/command-table.h"
#include "base/error.h"
#include "base/toolbox.h"
#include "http/exchange.h"
#include "json/dump.h"

/* Pushes the path of a command and its subcommands: "store get". */
static bool
call_push_command(const char *command, struct arguments *argv)
{
	size_t length = strcspn(command, " ");
	char *name = memory_substring(command, length), *path = toolbox_find_internal(name);
	bool found = path;

	if (found)
		arguments_push(argv, path);
	if (found && command[length])
		arguments_push(argv, command + length + 1);
	free(name);
	free(path);
	return found;
}

const struct command_table *
call_table(const struct route *route)
{
	static struct {
		char *command;
		struct command_table table;
	} *known;
	static size_t count, capacity;
	struct arguments argv = {0};
	struct command_table table = {0};
	bool answers;

	for (size_t i = 0; i < count; i++)
		if (strcmp(known[i].command, route->command) == 0)
			return &known[i].table;
	answers = call_push_command(route->command, &argv) && command_table_ask(&table, &argv);
	arguments_release(&argv);
	if (!answers)
		return NULL;
	ARRAY_ROOM(known, count, capacity);
	known[count].command = memory_string(route->command);
	known[count].table = table;
	return &known[count++].table;
}

/* Returns whether the option is one by which a command that shows something, or changes it (it has --yes), only looks. */
static bool
call_looks(const struct command_option *option)
{
	static const char *const looking[] = {"as", "expanded", "node", "tenant"};

	if (strcmp(option->name, "tenant") == 0 && option->kind && strcmp(option->kind, "TENANT") != 0)
		return false; /* it sets something of that tenant */
	for (size_t i = 0; i < sizeof looking / sizeof *looking; i++)
		if (strcmp(option->name, looking[i]) == 0)
			return true;
	return false;
}

/* Returns whether the route itself gives the option, or its path has a variable of that name: then a member does not say it otherwise. */
static bool
call_is_given(const struct route *route, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = route->fixed; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " =") == length + 2 && strncmp(at + 2, name, length) == 0)
			return true;
	for (const char *at = strchr(route->path, '{'); at; at = strchr(at + 1, '{'))
		if (strcspn(at + 1, "}") == length && strncmp(at + 1, name, length) == 0)
			return true;
	return false;
}

bool
call_is_flag(const struct command_option *option)
{
	return !option->kind || strcmp(option->name, "save") == 0;
}

bool
call_takes(const struct route *route, const struct command_table *table, const struct command_option *option)
{
	static const char *const ours[] = {"color", "detach", "help", "output", "probe", "quiet", "secret", "server", "settings", "spool", "store", "version",
		"watch", "yes"};
	const char *kind = option->kind ? option->kind : "";

	if (!*option->name || call_is_given(route, option->name) || strcmp(kind, "DIR") == 0 || (strstr(kind, "FILE") && strcmp(kind, "FILE") != 0))
		return false;
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (strcmp(option->name, ours[i]) == 0)
			return false;
	if (strcmp(option->name, ROUTE_FOLLOW) == 0)
		return route->answer == ROUTE_TEXT;
	return strcmp(route->method, "GET") != 0 || !command_table_option(table, "--yes") || call_looks(option);
}

/* Returns the option that a member names; adds a problem where there is none. */
static const struct command_option *
call_option(const struct route *route, const struct command_table *table, const struct place *member)
{
	char *word = memory_printf("--%s", member->name);
	const struct command_option *option = command_table_option(table, word);

	free(word);
	if (option && call_takes(route, table, option))
		return option;
	place_problem(member, "there is no such member");
	return NULL;
}

/* Adds the value as the text of an argument. */
static bool
call_text(const struct place *place, struct buffer *out)
{
	switch (jv_get_kind(place->value)) {
	case JV_KIND_STRING:
		buffer_text(out, json_string(place->value));
		return true;
	case JV_KIND_NUMBER:
		json_dump(place->value, out);
		return true;
	default:
		place_problem(place, "expected a string or a number, found %s", json_kind_name(place->value));
		return false;
	}
}

/* Makes the value of a member the command's standard input, which the option names. */
static void
call_add_document(struct call *call, const struct command_option *option, const struct place *member)
{
	if (call->input.length > call->secrets) {
		place_problem(member, "one document at most can be sent");
		return;
	}
	json_dump(member->value, &call->input);
	arguments_printf(&call->argv, "--%s=-", option->name);
}

/* Makes secrets the first line of the command's standard input: a document behind it is for another option. */
static void
call_add_secrets(struct call *call, const struct place *member)
{
	struct buffer line = {0};

	if (!place_object(member, NEED_REQUIRED))
		return;
	json_dump(member->value, &line);
	buffer_byte(&line, '\n');
	call->secrets = line.length;
	buffer_append(&line, call->input.data, call->input.length);
	buffer_release(&call->input);
	call->input = line;
	arguments_push(&call->argv, "--secrets=-");
}

/* Adds an option with the value of a member. */
static void
call_add_option(struct call *call, const struct command_option *option, const struct place *member)
{
	struct buffer text = {0};

	if (jv_get_kind(member->value) == JV_KIND_TRUE && (call_is_flag(option) || option->optional)) {
		arguments_printf(&call->argv, "--%s%s", option->name, option->kind && !option->optional ? "=-" : "");
	} else if (jv_get_kind(member->value) == JV_KIND_FALSE && call_is_flag(option)) {
		;
	} else if (call_is_flag(option)) {
		place_problem(member, "expected true or false, found %s", json_kind_name(member->value));
	} else if (strcmp(option->name, "secrets") == 0) {
		call_add_secrets(call, member);
	} else if (strcmp(option->kind, "FILE") == 0) {
		call_add_document(call, option, member);
	} else if (jv_get_kind(member->value) == JV_KIND_ARRAY) {
		for (size_t i = 0; i < json_length(member->value); i++) {
			jv value = json_element(member->value, i);
			struct place element = place_element(member, i);

			element.value = value;
			call_add_option(call, option, &element);
			jv_free(value);
		}
	} else if (call_text(member, &text)) {
		arguments_printf(&call->argv, "--%s=%s", option->name, buffer_string(&text));
	}
	buffer_release(&text);
}

/* Returns whether a member is an operand of the route. */
static bool
call_is_operand(const struct route *route, const char *name)
{
	const char *at = route->operands;
	size_t length = strlen(name);

	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, "! ") == length && strncmp(at, name, length) == 0)
			return true;
	return false;
}

/* Adds the options that the members of an object are. */
static void
call_add_options(struct call *call, const struct route *route, const struct command_table *table, const struct place *object)
{
	struct members members = members_of(object);
	struct place member;

	while (members_next(&members, &member)) {
		const struct command_option *option;

		if (!place_present(&member) || call_is_operand(route, member.name))
			continue;
		option = call_option(route, table, &member);
		if (option)
			call_add_option(call, option, &member);
	}
}

/* Adds the operand that a member is: a string, or a list of them. */
static void
call_add_member(struct call *call, const struct place *member)
{
	struct arena arena = {0};
	struct string_list list;
	struct buffer text = {0};

	if (!place_present(member))
		return;
	if (jv_get_kind(member->value) == JV_KIND_ARRAY) {
		list = place_read_strings(member, &arena);
		for (size_t i = 0; i < list.count; i++)
			arguments_push(&call->argv, list.list[i]);
	} else if (call_text(member, &text)) {
		arguments_push(&call->argv, buffer_string(&text));
	}
	buffer_release(&text);
	arena_release(&arena);
}

/* Adds the argument that a word like {kind}/{name} stands for. */
static void
call_add_path(struct call *call, const struct route_match *match, const char *word, size_t length)
{
	struct buffer text = {0};

	for (const char *at = word; at < word + length; at++) {
		size_t name = strcspn(at, "}");

		if (*at != '{') {
			buffer_byte(&text, *at);
			continue;
		}
		buffer_text(&text, route_variable(match, at + 1, name - 1));
		at += name;
	}
	arguments_push(&call->argv, buffer_string(&text));
	buffer_release(&text);
}

/* Adds the operands, behind a "--" that ends the options. */
static void
call_add_operands(struct call *call, const struct route_match *match, const struct place *object)
{
	const char *at = match->route->operands;

	if (at)
		arguments_push(&call->argv, "--");
	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		if (*at == '{') {
			call_add_path(call, match, at, length);
		} else if (*at == '-') {
			arguments_push(&call->argv, "-");
		} else {
			char *name = memory_substring(at, strcspn(at, "! "));
			jv value = json_get(object->value, name);
			struct place member = place_named(object, name, value);

			if (at[length - 1] == '!' && !place_present(&member))
				place_problem(&member, "the member is missing");
			call_add_member(call, &member);
			jv_free(value);
			free(name);
		}
	}
}

/* Adds a member of the query to the object, where one that appears several times is a list; what is a flag is true. */
static void
call_read_field(const struct http_field *field, const struct command_table *table, jv *object)
{
	char *word = memory_printf("--%s", field->name);
	const struct command_option *option = command_table_option(table, word);
	bool flag = option && call_is_flag(option) && (!*field->value || strcmp(field->value, "true") == 0);
	jv before = json_get(*object, field->name), value = flag ? jv_true() : jv_string(field->value);

	free(word);
	if (jv_get_kind(before) == JV_KIND_ARRAY)
		json_set(object, field->name, jv_array_append(before, value));
	else if (jv_is_valid(before))
		json_set(object, field->name, jv_array_append(jv_array_append(jv_array(), before), value));
	else
		jv_free(before), json_set(object, field->name, value);
}

/* Adds the members of the query, but for what is asked of the answer. */
static void
call_read_query(const struct route *route, const struct http_fields *query, const struct command_table *table, jv *object)
{
	for (size_t i = 0; i < query->count; i++)
		if (!route_has_fields(route) || strcmp(query->list[i].name, ROUTE_FIELDS) != 0)
			call_read_field(&query->list[i], table, object);
}

/* Reads the members of the query and of the body. */
static int
call_read(const struct route *route, struct http_exchange *exchange, const struct command_table *table, jv *object,
    struct problems *problems)
{
	struct error err;
	struct place root;

	*object = jv_object();
	if (route->body == ROUTE_OPTIONS && exchange->body.length > 0) {
		jv_free(*object);
		if (json_parse("the body", exchange->body.data, exchange->body.length, object, &err) < 0) {
			*object = jv_object();
			root = place_root(*object, problems);
			place_problem(&root, "%s", err.text);
			return -1;
		}
		root = place_root(*object, problems);
		if (!place_object(&root, NEED_REQUIRED))
			return -1;
	}
	call_read_query(route, &exchange->query, table, object);
	return 0;
}

/* Adds the options that are the server's. */
static void
call_add_fixed(struct call *call, const struct route_match *match, const struct http_exchange *exchange, const struct command_table *table)
{
	const struct route *route = match->route;
	const char *at = route->fixed;
	const struct command_option *output = command_table_option(table, "--output");

	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		char *option = memory_substring(at, strcspn(at, " ="));

		if (command_table_option(table, option))
			call_add_path(call, match, at, strcspn(at, " "));
		free(option);
	}
	if (!route_is_text(route, exchange) && output && output->kind && strstr(output->kind, "json"))
		arguments_push(&call->argv, "--output=json");
}

/* Makes the call of a command that understands requests by itself: the variables of the path are its operands. */
static int
call_make_whole(struct call *call, const struct route_match *match, const struct http_exchange *exchange)
{
	if (!call_push_command(match->route->command, &call->argv))
		return -1;
	if (match->route->body == ROUTE_UPLOAD)
		arguments_push(&call->argv, "--stream");
	for (size_t i = 0; i < exchange->query.count; i++)
		arguments_printf(&call->argv, "--query=%s=%s", exchange->query.list[i].name, exchange->query.list[i].value);
	arguments_push(&call->argv, "--");
	for (const char *at = strchr(match->route->path, '{'); at; at = strchr(at + 1, '{'))
		arguments_push(&call->argv, route_variable(match, at + 1, strcspn(at + 1, "}")));
	buffer_append(&call->input, exchange->body.data, exchange->body.length);
	return 0;
}

int
call_make(struct call *call, const struct route_match *match, struct http_exchange *exchange, struct problems *problems)
{
	const struct route *route = match->route;
	const struct command_table *table;
	struct place root;
	jv object;

	if (route->answer == ROUTE_WHOLE)
		return call_make_whole(call, match, exchange);
	table = call_table(route);
	if (!table || !call_push_command(route->command, &call->argv))
		return -1;
	if (call_read(route, exchange, table, &object, problems) == 0) {
		root = place_root(object, problems);
		call_add_fixed(call, match, exchange, table);
		call_add_options(call, route, table, &root);
		call_add_operands(call, match, &root);
		if (route->body == ROUTE_DOCUMENT || route->body == ROUTE_SECRET)
			buffer_append(&call->input, exchange->body.data, exchange->body.length);
		if (route->body == ROUTE_SECRET)
			call->secrets = call->input.length;
	}
	jv_free(object);
	return problems->total ? -1 : 0;
}

void
call_release(struct call *call)
{
	arguments_release(&call->argv);
	if (call->secrets)
		sodium_memzero(call->input.data, call->secrets);
	buffer_release(&call->input);
}
