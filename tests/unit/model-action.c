/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of actions, and what repeats their rows: the JSON Schemas and the manual pages.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/json.h"
#include "model/action.h"
#include "tap.h"

static const char *
root(void)
{
	const char *given = getenv("COOPR_ROOT");

	return given ? given : ".";
}

/* Returns the schema of a kind of document; invalid if it cannot be read. */
static jv
read_schema(const char *kind)
{
	char *path = memory_printf("%s/share/coopr/schema/%s.json", root(), kind);
	struct error err;
	jv schema;

	if (json_read_file(path, &schema, &err) < 0) {
		printf("# %s\n", err.text);
		schema = jv_invalid();
	}
	free(path);
	return schema;
}

/* Returns what lies at a path of members, "a.b.c"; the caller frees it. */
static jv
look_up(jv value, const char *path)
{
	jv found = jv_copy(value);
	char *copy = memory_printf("%s", path), *rest = copy, *name;

	while ((name = strsep(&rest, "."))) {
		jv inner = json_get(found, name);

		jv_free(found);
		found = inner;
	}
	free(copy);
	return found;
}

/* Appends the names of actions with one of the owners, a space before each; of those of services the ones that they define. */
static void
append_actions(unsigned owners, struct buffer *out)
{
	for (int i = 0; i < ACTION_COUNT; i++)
		if (owners & 1u << action_table[i].owner && (owners == ~0u || !action_table[i].is_check))
			buffer_printf(out, " %s", action_table[i].name);
}

/* Appends the strings of an array, or the names of an object's members, a space before each. */
static void
append_words(jv value, struct buffer *out)
{
	jv list = jv_get_kind(value) == JV_KIND_OBJECT ? jv_keys(jv_copy(value)) : jv_copy(value);

	for (size_t i = 0; i < json_length(list); i++) {
		jv word = jv_array_get(jv_copy(list), (int)i);

		buffer_printf(out, " %s", json_string(word) ? json_string(word) : "?");
		jv_free(word);
	}
	jv_free(list);
}

static int
compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the words of a text in their order, the caller's to free: two lists that have the same words are equal then. */
static char *
sorted(const char *text)
{
	char *copy = memory_printf("%s", text ? text : ""), *rest = copy, *word;
	const char *words[256];
	struct buffer out = {0};
	size_t count = 0;

	while ((word = strsep(&rest, " ")))
		if (*word && count < sizeof words / sizeof *words)
			words[count++] = word;
	if (count)
		qsort(words, count, sizeof *words, compare_words);
	for (size_t i = 0; i < count; i++)
		buffer_printf(&out, " %s", words[i]);
	free(copy);
	return buffer_take(&out);
}

static void
is_words(const char *found, const char *expected, const char *title)
{
	char *a = sorted(found), *b = sorted(expected);

	tap_is_text(a, b, "%s", title);
	free(a);
	free(b);
}

static void
schema_has(const char *kind, const char *path, unsigned owners, const char *title)
{
	jv schema = read_schema(kind), value = look_up(schema, path);
	struct buffer found = {0}, expected = {0};

	append_words(value, &found);
	append_actions(owners, &expected);
	is_words(found.data, expected.data, title);
	jv_free(value);
	jv_free(schema);
	buffer_release(&found);
	buffer_release(&expected);
}

/* Appends the last words of the lines of a page that begin so, between the line that begins with from and the next that
 * begins with to. */
static void
append_items(const char *page, const char *from, const char *to, const char *item, struct buffer *out)
{
	char *path = memory_printf("%s/man/%s", root(), page), *line = NULL;
	FILE *file = fopen(path, "r");
	bool inside = false;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (inside && strncmp(line, to, strlen(to)) == 0)
			break;
		if (inside && strncmp(line, item, strlen(item)) == 0)
			buffer_printf(out, " %s", line + strlen(item));
		inside = inside || strncmp(line, from, strlen(from)) == 0;
	}
	if (file)
		fclose(file);
	free(line);
	free(path);
}

static void
test_pages(void)
{
	struct buffer found = {0}, expected = {0};

	append_items("man5/coopr-catalogue.5", ".It Va provisioner.actions", ".El", ".It Va ", &found);
	append_actions(1u << OWNER_SERVICE, &expected);
	is_words(found.data, expected.data, "coopr-catalogue(5) explains each action of a service");
	buffer_clear(&found);
	buffer_clear(&expected);
	append_items("man1/coopr-plan.1", ".Sh CLUSTER ACTIONS", ".El", ".It Cm ", &found);
	for (const char *const *name = cluster_action_names(); *name; name++)
		buffer_printf(&expected, " %s", *name);
	is_words(found.data, expected.data, "coopr-plan(1) explains each cluster action");
	buffer_release(&found);
	buffer_release(&expected);
}

/* What a table without designated values would get wrong: a row that is missing, a name or stage given twice. */
static void
test_rows(void)
{
	const enum action *chain = action_chain();
	bool whole = true, distinct = true, staged = true;

	for (int i = 0; i < ACTION_COUNT; i++) {
		whole = whole && action_table[i].name && action_table[i].done && action_table[i].expect_s > 0;
		distinct = distinct && action_of_name(action_table[i].name) == (enum action)i;
		staged = staged && (action_table[i].stage == 0 || action_table[i].owner == OWNER_SERVICE);
		for (int j = 0; j < i; j++)
			staged = staged && (!action_table[i].stage || action_table[i].stage != action_table[j].stage);
		for (size_t j = 0; j < action_table[i].undo.count; j++)
			whole = whole && action_of_name(action_table[i].undo.list[j]) != ACTION_NONE;
	}
	tap_ok(whole, "every action has a name, a word for what is done, and an expected time; what undoes it is an action");
	tap_ok(distinct, "every name leads back to its action");
	tap_ok(staged, "only actions of services have a stage, and no two have the same");
	while (chain[0] != ACTION_NONE && chain[1] != ACTION_NONE &&
	    action_table[chain[0]].stage < action_table[chain[1]].stage)
		chain++;
	tap_ok(chain[0] == ACTION_NONE || chain[1] == ACTION_NONE, "the chain of a service's actions is in the order of their stages");
}

static void
test_cluster_rows(void)
{
	bool distinct = true, known = true;

	for (const char *const *name = cluster_action_names(); *name; name++) {
		const struct cluster_action *action = cluster_action_find(*name);

		distinct = distinct && strcmp(action->name, *name) == 0 && cluster_action_of_job(action->job) == action;
		for (int i = 0; i < ACTION_COUNT; i++)
			if (action->standing & ACTION_BIT(i))
				known = known && (action_table[i].stage || i == ACTION_BOOTSTRAP);
	}
	tap_ok(distinct, "every cluster action is found by its name and by that of its job");
	tap_ok(known, "what a cluster action does to services that stand are actions that plans have");
	tap_ok(!cluster_action_find(NULL)->name && cluster_action_of_job("cluster_change") == cluster_action_find(NULL),
	    "without a name it is the whole difference");
}

int
main(void)
{
	test_rows();
	test_cluster_rows();
	schema_has("definitions", "$defs.action.enum", ~0u, "the schemas know every action");
	schema_has("service", "properties.provisioner.properties.actions.properties", 1u << OWNER_SERVICE,
	    "the schema of services has every action that a service may define");
	schema_has("provider", "properties.expect_s.properties", 1u << OWNER_PROVIDER | 1u << OWNER_AUTOMATOR,
	    "the schema of providers has the time of every action on a node");
	schema_has("task", "if.properties.action.enum", 1u << OWNER_PROVIDER | 1u << OWNER_AUTOMATOR,
	    "the schema of tasks knows the actions on a node");
	test_pages();
	return tap_end();
}
