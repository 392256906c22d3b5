/* SPDX-License-Identifier: Apache-2.0 */
#include "automator/container.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "automator/attributes.h"
#include "base/error.h"
#include "json/place.h"
#include "ssh/shell-words.h"

static const char name_first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
static const char name_others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

/* Returns what the container is called, in the arena: as the field says, or "coopr-" and the last part of the image's name. */
static const char *
container_name(const struct place *fields, const char *image, struct arena *arena)
{
	const char *name = place_string(fields, "container_name", NEED_OPTIONAL, arena), *last = strrchr(image, '/');
	struct place field = place_member(fields, "container_name");
	char *made;

	if (name && *name) {
		if (!strchr(name_first, *name) || name[strspn(name, name_others)])
			place_problem(&field, "\"%.80s\" is not a name of a container: letters, digits, and _ . - not at its beginning", name);
		return name;
	}
	made = arena_printf(arena, "coopr-%s", last ? last + 1 : image);
	made[strcspn(made, "@")] = '\0';
	for (char *at = made; *at; at++)
		if (!strchr(name_others, *at))
			*at = '-';
	return made;
}

/* Returns whether a character begins or ends what is in quotes; *quote is the one that has begun it, or NUL. */
static bool
container_is_quote(char c, char *quote)
{
	bool is = *quote ? c == *quote : c == '"' || c == '\'';

	if (is)
		*quote = *quote ? '\0' : c;
	return is;
}

/* Returns where the part of a list that begins at text ends: at a comma that is not in quotes, or at its end. */
static const char *
container_part_end(const char *text)
{
	char quote = '\0';

	for (; *text && (quote || *text != ','); text++)
		container_is_quote(*text, &quote);
	return text;
}

/* Takes the next part of a list, without the blanks around it, into the arena. Returns false at its end. */
static bool
container_next_part(const char **at, struct arena *arena, char **part)
{
	while (**at) {
		const char *end = container_part_end(*at), *start = *at, *last = end;

		*at = *end ? end + 1 : end;
		while (start < last && isspace((unsigned char)*start))
			start++;
		while (last > start && isspace((unsigned char)last[-1]))
			last--;
		if (last > start) {
			*part = arena_substring(arena, start, (size_t)(last - start));
			return true;
		}
	}
	return false;
}

/* Adds an option for each part of a field, as "--volume=/data:/var/lib/mysql". A port alone is that of the node and of the container. */
static void
container_add_list(const struct place *fields, const char *field, const char *option, struct arena *arena, struct arguments *words)
{
	const char *at = place_string(fields, field, NEED_OPTIONAL, arena);
	char *part;

	while (at && container_next_part(&at, arena, &part)) {
		if (strcmp(field, "publish_ports") == 0 && !strchr(part, ':'))
			arguments_printf(words, "%s=%.*s:%s", option, (int)strcspn(part, "/"), part, part);
		else
			arguments_printf(words, "%s=%s", option, part);
	}
}

static void
container_add_command(const struct place *fields, struct arena *arena, struct arguments *words)
{
	const char *command = place_string(fields, "command", NEED_OPTIONAL, arena);
	struct place field = place_member(fields, "command");
	struct arguments parts = {0};
	struct error why;

	if (command && shell_words_split(command, &parts, &why) < 0)
		place_problem(&field, "%s", why.text);
	for (size_t i = 0; i < parts.count; i++)
		arguments_push(words, parts.list[i]);
	arguments_release(&parts);
}

/* Sets a variable. The file that hands them over has one a line. */
static void
container_set_variable(const struct place *place, const char *name, const char *value, jv *variables)
{
	if (!*name || strpbrk(name, " \t\n=#"))
		place_problem(place, "\"%.80s\" is not a name of a variable", name);
	else if (strpbrk(value, "\n\r"))
		place_problem(place, "%s: a variable of a container has one line", name);
	else
		json_set_string(variables, name, value);
}

/* Takes the variables that the service names itself. Quotes are those of the shell that Coopr gave them to. */
static void
container_read_variables(const struct place *fields, struct arena *arena, jv *variables)
{
	const char *at = place_string(fields, "environment_variables", NEED_OPTIONAL, arena);
	struct place field = place_member(fields, "environment_variables");
	char *part;

	while (at && container_next_part(&at, arena, &part)) {
		char *equals = strchr(part, '='), *to, quote = '\0';

		if (!equals) {
			place_problem(&field, "\"%.80s\": expected NAME=VALUE", part);
			continue;
		}
		*equals = '\0';
		to = equals + 1;
		for (const char *from = to; *from; from++)
			if (!container_is_quote(*from, &quote))
				*to++ = *from;
		*to = '\0';
		container_set_variable(&field, part, equals + 1, variables);
	}
}

/* Returns what stands at a path such as mysql/environment, owned; invalid where there is nothing. */
static jv
container_find(jv config, const char *path)
{
	char *pointer = memory_printf("/%s", path + strspn(path, "/"));
	size_t length = strlen(pointer);
	jv found;

	while (length > 0 && pointer[length - 1] == '/')
		pointer[--length] = '\0';
	found = json_at(config, pointer);
	free(pointer);
	return found;
}

/* Takes the variables that the configuration has at the place that the field names. */
static void
container_read_environment(const struct task *task, const struct place *fields, struct arena *arena, jv *variables)
{
	const char *path = place_string(fields, "environment", NEED_OPTIONAL, arena);
	jv config, object;
	struct members members;
	struct place place, member;

	if (!path)
		return;
	config = attributes_config(task);
	object = container_find(config, path);
	place = place_named(fields, "environment", object);
	if (jv_get_kind(object) != JV_KIND_OBJECT) {
		place_problem(&place, "the configuration has no object at /%s", path + strspn(path, "/"));
	} else {
		members = members_of(&place);
		while (members_next(&members, &member)) {
			jv text = jv_get_kind(member.value) == JV_KIND_STRING ? jv_copy(member.value) : jv_dump_string(jv_copy(member.value), 0);

			if (jv_get_kind(member.value) == JV_KIND_OBJECT || jv_get_kind(member.value) == JV_KIND_ARRAY)
				place_problem(&member, "expected string, number or boolean, found %s", json_kind_name(member.value));
			else if (jv_get_kind(member.value) != JV_KIND_NULL)
				container_set_variable(&member, member.name, json_string(text), variables);
			jv_free(text);
		}
	}
	jv_free(object);
	jv_free(config);
}

/* Adds the file of all variables. */
static int
container_put_variables(const struct task *task, jv variables, struct bundle *bundle, struct error *err)
{
	struct place all = place_root(variables, NULL), member;
	struct members members = members_of(&all);
	struct buffer text = {0};
	int failed;

	while (members_next(&members, &member))
		buffer_printf(&text, "%s=%s\n", member.name, json_string(member.value));
	failed = tool_put(task, "environment", &text, bundle, err);
	buffer_release(&text);
	return failed;
}

/* Adds the name of the image, without blanks as Coopr took it, and when it is fetched. Returns the name, in the arena. */
static const char *
container_read_image(const struct place *fields, struct arena *arena, struct arguments *words)
{
	const char *given = place_string(fields, "image_name", NEED_REQUIRED, arena), *pull = place_string(fields, "pull", NEED_OPTIONAL, arena);
	struct place name = place_member(fields, "image_name"), when = place_member(fields, "pull");
	char *plain = tool_without_blanks(given ? given : "");
	const char *image = arena_string(arena, plain);

	if (given && (!*image || *image == '-'))
		place_problem(&name, "\"%.80s\" is not a name of an image", given);
	if (pull && strcmp(pull, "always") != 0 && strcmp(pull, "missing") != 0 && strcmp(pull, "never") != 0)
		place_problem(&when, "expected always, missing or never, found \"%.80s\"", pull);
	arguments_printf(words, "image=%s", image);
	arguments_printf(words, "pull=%s", pull ? pull : "always");
	free(plain);
	return image;
}

/* Reads the fields into words for the program on the node, and variables. */
static int
container_read_fields(const char *engine, const struct task *task, struct arena *arena, struct arguments *words, jv *variables,
    struct error *err)
{
	struct problems problems = {0};
	struct place fields = place_root(task->fields, &problems), links = place_member(&fields, "links");
	const char *image = container_read_image(&fields, arena, words);
	int failed;

	arguments_printf(words, "name=%s", container_name(&fields, image, arena));
	arguments_push(words, "--");
	container_add_list(&fields, "publish_ports", "--publish", arena, words);
	container_add_list(&fields, "volumes", "--volume", arena, words);
	container_add_list(&fields, "links", "--link", arena, words);
	if (place_present(&links) && strcmp(engine, "docker") != 0)
		place_problem(&links, "%s has none; name the address of the other container in the configuration", engine);
	arguments_push(words, image);
	container_add_command(&fields, arena, words);
	container_read_variables(&fields, arena, variables);
	container_read_environment(task, &fields, arena, variables);
	failed = problems_error(&problems, "fields", EX_CONFIG, err);
	problems_release(&problems);
	return failed;
}

/* Returns whether a container has that action. */
static bool
container_has_action(enum action action)
{
	return ACTION_BIT(action) & (ACTION_BIT(ACTION_BOOTSTRAP) | ACTION_BIT(ACTION_INSTALL) | ACTION_BIT(ACTION_CONFIGURE) |
	    ACTION_BIT(ACTION_INITIALIZE) | ACTION_BIT(ACTION_START) | ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_REMOVE) |
	    ACTION_BIT(ACTION_STATUS));
}

int
container_prepare(const char *engine, const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	static const char *const files[] = {NULL};
	const struct tool tool = {engine, "container.sh", "image_name", files, false};
	jv variables = jv_object();
	int failed;

	if (!container_has_action(task->action)) {
		jv_free(variables);
		return error_set(err, EX_CONFIG, "a container has no action %s: let the automator shell do it", action_name(task->action));
	}
	arguments_printf(&work->words, "engine=%s", engine);
	failed = tool_prepare(&tool, task, jv_invalid(), arena, work, err);
	if (!failed && task->action != ACTION_BOOTSTRAP) {
		failed = container_read_fields(engine, task, arena, &work->words, &variables, err);
		if (!failed)
			failed = container_put_variables(task, variables, &work->bundle, err);
	}
	jv_free(variables);
	return failed;
}
