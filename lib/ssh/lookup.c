/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/place.h"
#include "json/record.h"
#include "model/document.h"
#include "model/node.h"
#include "model/take/macro.h"
#include "ssh/bundle.h"
#include "ssh/shell-words.h"

static bool
lookup_has_macro(jv value)
{
	const char *text = json_string(value);
	struct macro macro;

	return text && macro_next(&text, &macro);
}

/* Returns why there is no value at pointer ("/nginx/upstream"), NULL if there is one; the caller frees it. What is said of the
 * whole configuration is said of each macro in it. */
static char *
lookup_find_unexpanded(jv unexpanded, const char *pointer, jv value)
{
	char *found = NULL;

	for (size_t i = 0; i < json_length(unexpanded) && !found; i++) {
		jv entry = json_element(unexpanded, i);
		char *at = json_get_string(entry, "pointer");

		if (at && (*at ? strcmp(at, pointer) == 0 : lookup_has_macro(value)))
			found = json_get_string(entry, "text");
		free(at);
		jv_free(entry);
	}
	return found;
}

static bool
lookup_is_scalar(jv value)
{
	jv_kind kind = jv_get_kind(value);

	return kind == JV_KIND_STRING || kind == JV_KIND_NUMBER || kind == JV_KIND_TRUE || kind == JV_KIND_FALSE;
}

/* Appends the value as a line. */
static void
lookup_append_line(jv value, struct buffer *line)
{
	if (json_string(value))
		buffer_text(line, json_string(value));
	else
		json_dump(value, line);
	buffer_byte(line, '\n');
}

/* Returns "it is an object; its members: a, b" if the value is nothing that can be printed, else NULL. */
static char *
lookup_describe_inner(const struct place *place)
{
	struct buffer text = {0};
	struct members members;
	struct place member;
	const char *between = "it is an object; its members: ";

	if (jv_get_kind(place->value) == JV_KIND_ARRAY) {
		for (size_t i = 0; i < json_length(place->value); i++)
			if (!lookup_is_scalar(place_element(place, i).value))
				return memory_printf("it is a list of more than values; give an index (0 to %zu)",
				    json_length(place->value) - 1);
		return NULL;
	}
	if (jv_get_kind(place->value) != JV_KIND_OBJECT)
		return NULL;
	if (json_length(place->value) == 0)
		return memory_string("it is an object without members");
	members = members_of(place);
	while (members_next(&members, &member)) {
		buffer_printf(&text, "%s%s", between, member.name);
		between = ", ";
	}
	return buffer_take(&text);
}

struct lookup {
	jv unexpanded;
	struct buffer *out;
	struct buffer pointer; /* scratch */
};

/* Returns why there is nothing to print, NULL if there is; the caller frees it. */
static char *
lookup_find_problem(struct lookup *lookup, const struct place *place)
{
	bool is_list = jv_get_kind(place->value) == JV_KIND_ARRAY && json_length(lookup->unexpanded) > 0;
	char *problem = lookup_find_unexpanded(lookup->unexpanded, lookup->pointer.data, place->value);

	for (size_t i = 0; is_list && i < json_length(place->value) && !problem; i++) {
		char *element = memory_printf("%s/%zu", lookup->pointer.data, i);

		problem = lookup_find_unexpanded(lookup->unexpanded, element, place_element(place, i).value);
		free(element);
	}
	return problem ? problem : lookup_describe_inner(place);
}

/* Appends one case of the table: 'nginx/port') coopr_value='80'... */
static void
lookup_append_case(struct lookup *lookup, const struct place *place)
{
	struct buffer lines = {0};
	char *problem;

	buffer_clear(&lookup->pointer);
	buffer_text(&lookup->pointer, "");
	place_pointer(place, &lookup->pointer);
	problem = lookup_find_problem(lookup, place);
	buffer_text(&lines, "");
	if (!problem && lookup_is_scalar(place->value))
		lookup_append_line(place->value, &lines);
	for (size_t i = 0; !problem && jv_get_kind(place->value) == JV_KIND_ARRAY && i < json_length(place->value); i++)
		lookup_append_line(place_element(place, i).value, &lines);
	buffer_byte(lookup->out, '\t');
	shell_words_quote(lookup->pointer.length ? lookup->pointer.data + 1 : "", lookup->out);
	buffer_text(lookup->out, problem ? ") coopr_problem=" : ") coopr_value=");
	shell_words_quote(problem ? problem : lines.data, lookup->out);
	buffer_text(lookup->out, " ;;\n");
	free(problem);
	buffer_release(&lines);
}

/* Appends the cases of the value and of all that is in it. Null counts as absent. Long names with many members come to more than
 * any script may have: the rest is left out of what is not sent. */
static void
lookup_append_cases(struct lookup *lookup, const struct place *place)
{
	struct members members;
	struct place member;

	if (!place_present(place) || lookup->out->length > BUNDLE_BYTES)
		return;
	lookup_append_case(lookup, place);
	if (jv_get_kind(place->value) == JV_KIND_ARRAY) {
		for (size_t i = 0; i < json_length(place->value); i++) {
			struct place element = place_element(place, i);

			lookup_append_cases(lookup, &element);
		}
	} else if (jv_get_kind(place->value) == JV_KIND_OBJECT) {
		members = members_of(place);
		while (members_next(&members, &member))
			lookup_append_cases(lookup, &member);
	}
}

void
lookup_config(jv config, jv unexpanded, struct buffer *out)
{
	struct lookup lookup = {.unexpanded = unexpanded, .out = out};
	struct problems problems = {0};
	struct place root = place_root(config, &problems);

	buffer_text(out, "coopr_lookup()\n{\n\tcase $1 in\n");
	lookup_append_cases(&lookup, &root);
	buffer_text(out, "\t*) return 1 ;;\n\tesac\n}\n");
	buffer_release(&lookup.pointer);
	problems_release(&problems);
}

struct listed {
	int64_t nodenum;
	size_t order; /* of its record in the file */
	const char *id;
	char *call;
};

struct listing {
	jv without;
	char *(*make)(const struct place *, const struct node *, jv without); /* returns the call of a node */
	struct arena arena;
	struct listed *list;
	size_t count, capacity;
};

static const char *
lookup_address(const struct place *node, const char *type, const char *other)
{
	struct place addresses = place_member(node, "ipaddresses"), first = place_member(&addresses, type),
	    second = place_member(&addresses, other);
	const char *text = json_string(first.value);

	text = text ? text : json_string(second.value);
	return text ? text : "";
}

/* Returns "\tcoopr_node ID HOSTNAME BIND ACCESS ' SERVICE SERVICE '"; nothing for a node that leaves. */
static char *
lookup_make_call(const struct place *place, const struct node *node, jv without)
{
	struct buffer call = {0}, services = {0};
	const char *words[] = {node->id, node->hostname, lookup_address(place, "bind_v4", "bind_v6"),
	    lookup_address(place, "access_v4", "access_v6"), NULL};

	buffer_text(&services, " ");
	for (size_t i = 0; i < node->services.count; i++) {
		jv hidden = json_get(without, node->services.list[i]);

		if (!json_array_has(hidden, NULL, node->id))
			buffer_printf(&services, "%s ", node->services.list[i]);
		jv_free(hidden);
	}
	words[4] = services.data;
	buffer_text(&call, node->leaves ? "" : "\tcoopr_node");
	for (size_t i = 0; !node->leaves && i < sizeof words / sizeof *words; i++) {
		buffer_byte(&call, ' ');
		shell_words_quote(words[i], &call);
	}
	buffer_text(&call, node->leaves ? "" : "\n");
	buffer_release(&services);
	return buffer_take(&call);
}

/* Returns "\tadd_name ADDRESS HOSTNAME"; nothing for a node that leaves, or whose address is not known yet. */
static char *
lookup_make_name(const struct place *place, const struct node *node, jv without)
{
	const char *address = lookup_address(place, "bind_v4", "bind_v6");
	struct buffer call = {0};

	(void)without; /* an instance that is hidden has its name still */
	buffer_text(&call, "");
	if (node->leaves || !*address)
		return buffer_take(&call);
	buffer_text(&call, "\tadd_name ");
	shell_words_quote(address, &call);
	buffer_byte(&call, ' ');
	shell_words_quote(node->hostname, &call);
	buffer_byte(&call, '\n');
	return buffer_take(&call);
}

static int
lookup_list_node(struct listing *listing, const char *path, jv record, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(record, &problems);
	struct node node;
	int failed;

	node_parse(&root, &listing->arena, &node);
	failed = problems_error(&problems, path, EX_DATAERR, err);
	if (failed == 0) {
		ARRAY_ROOM(listing->list, listing->count, listing->capacity);
		listing->list[listing->count] =
		    (struct listed){node.nodenum, listing->count, node.id, listing->make(&root, &node, listing->without)};
		listing->count++;
	}
	problems_release(&problems);
	jv_free(node.source);
	return failed;
}

/* Orders by nodenum; of the records of one node the last comes first. */
static int
lookup_compare_listed(const void *a, const void *b)
{
	const struct listed *one = a, *other = b;

	if (one->nodenum != other->nodenum)
		return one->nodenum < other->nodenum ? -1 : 1;
	return one->order > other->order ? -1 : one->order < other->order;
}

static int
lookup_read_nodes(const char *path, struct listing *listing, struct error *err)
{
	struct record_reader reader;
	jv record;
	int got;

	if (record_reader_open(&reader, path, err) < 0)
		return -1;
	while ((got = record_read(&reader, &record, err)) > 0) {
		if (strcmp(record_kind(record), "node") == 0 && lookup_list_node(listing, path, record, err) < 0)
			got = -1;
		jv_free(record);
		if (got < 0)
			break;
	}
	record_reader_release(&reader);
	return got;
}

/* Appends the function of that name, with a call for each node. */
static int
lookup_append_listing(struct listing *listing, const char *function, const char *path, struct buffer *out, struct error *err)
{
	int failed = path ? lookup_read_nodes(path, listing, err) : 0;

	if (listing->count > 0)
		qsort(listing->list, listing->count, sizeof *listing->list, lookup_compare_listed);
	buffer_printf(out, "%s()\n{\n\t:\n", function);
	for (size_t i = 0; i < listing->count; i++) {
		if (i == 0 || strcmp(listing->list[i].id, listing->list[i - 1].id) != 0)
			buffer_text(out, listing->list[i].call);
	}
	buffer_text(out, "}\n");
	for (size_t i = 0; i < listing->count; i++)
		free(listing->list[i].call);
	free(listing->list);
	arena_release(&listing->arena);
	return failed;
}

int
lookup_nodes(const char *path, jv without, struct buffer *out, struct error *err)
{
	struct listing listing = {.make = lookup_make_call, .without = without};

	return lookup_append_listing(&listing, "coopr_each_node", path, out, err);
}

int
lookup_names(const char *path, struct buffer *out, struct error *err)
{
	struct listing listing = {.make = lookup_make_name};

	return lookup_append_listing(&listing, "each_name", path, out, err);
}

/* Appends NAME=' a b ', of these lists of names. */
static void
lookup_append_names(const char *name, jv first, jv second, struct buffer *out)
{
	struct buffer names = {0};
	jv lists[] = {first, second};

	buffer_text(&names, " ");
	for (int list = 0; list < 2; list++) {
		for (size_t i = 0; jv_get_kind(lists[list]) == JV_KIND_ARRAY && i < json_length(lists[list]); i++) {
			jv word = json_element(lists[list], i);

			if (json_string(word))
				buffer_printf(&names, "%s ", json_string(word));
			jv_free(word);
		}
	}
	buffer_printf(out, "%s=", name);
	shell_words_quote(names.data, out);
	buffer_byte(out, '\n');
	buffer_release(&names);
}

void
lookup_declared(jv cluster, jv fields, struct buffer *out)
{
	jv asked = json_get(cluster, "asked"), nodes = json_get(fields, "nodes"), config = json_get(fields, "config");

	if (jv_get_kind(asked) == JV_KIND_ARRAY)
		lookup_append_names("coopr_asked", asked, nodes, out);
	if (jv_get_kind(config) == JV_KIND_ARRAY)
		lookup_append_names("coopr_reads", config, jv_invalid(), out);
	if (json_is(cluster, "strict", JV_KIND_TRUE))
		buffer_text(out, "coopr_strict=yes\n");
	jv_free(asked);
	jv_free(nodes);
	jv_free(config);
}
