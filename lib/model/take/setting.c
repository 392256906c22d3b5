/* SPDX-License-Identifier: Apache-2.0 */
#include "model/take/setting.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "model/document.h"
#include "model/name.h"
#include "model/node.h"
#include "model/print.h"
#include "model/take/facts.h"

enum { POINTERS_ROOM = 1 << 20 }; /* bytes that the pointers of one list have together, at most */

/* The end of the text if everything could be expanded. */
static const char no_problems[] = "\"unexpanded\":[]}";

struct making { /* a setting while it is made */
	struct setting *setting;
	struct macro_context context;
	bool strict;
	struct buffer *out;
};

int
setting_add_node(struct setting_nodes *nodes, const char *record, size_t length, struct error *err)
{
	ARRAY_ROOM(nodes->list, nodes->count, nodes->capacity);
	if (facts_read(record, length, &nodes->arena, &nodes->list[nodes->count], err) < 0)
		return -1;
	nodes->count++;
	return 0;
}

void
setting_hide(struct setting_nodes *nodes, jv without)
{
	for (size_t i = 0; i < nodes->count; i++) {
		struct node *node = &nodes->list[i];
		struct string_list left = {arena_alloc(&nodes->arena, node->services.count, sizeof *left.list), 0};

		for (size_t j = 0; j < node->services.count; j++) {
			jv hidden = json_get(without, node->services.list[j]);

			if (!json_array_has(hidden, NULL, node->id))
				left.list[left.count++] = node->services.list[j];
			jv_free(hidden);
		}
		node->services = left;
	}
}

void
setting_release_nodes(struct setting_nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++)
		jv_free(nodes->list[i].source);
	free(nodes->list);
	arena_release(&nodes->arena);
	*nodes = (struct setting_nodes){0};
}

static int
setting_compare_numbers(const void *a, const void *b)
{
	int64_t x = ((const struct macro_node *)a)->nodenum, y = ((const struct macro_node *)b)->nodenum;

	return (x > y) - (x < y);
}

static struct macro_node *
setting_sorted_nodes(const struct setting_nodes *nodes)
{
	struct macro_node *list = memory_zeroed(nodes->count, sizeof *list);

	for (size_t i = 0; i < nodes->count; i++)
		list[i] = macro_node_of(&nodes->list[i]);
	if (nodes->count)
		qsort(list, nodes->count, sizeof *list, setting_compare_numbers);
	return list;
}

/* Leaves the string to each task. What its pointer takes is counted as what macros stand for: names of members may be long, and
 * many strings may have the same. */
static void
setting_add_gap(struct making *making, const struct place *place, const char *string, size_t start)
{
	size_t *room = making->context.room;
	struct setting *setting = making->setting;
	struct buffer pointer = {0};

	if (*room > 0)
		place_pointer(place, &pointer);
	if (pointer.length >= *room) {
		*room = 0;
		place_problem(place, MACRO_TOO_MUCH, MACRO_ROOM >> 20);
		buffer_release(&pointer);
		return;
	}
	*room -= pointer.length;
	ARRAY_ROOM(setting->gaps, setting->gap_count, setting->gap_capacity);
	setting->gaps[setting->gap_count++] = (struct setting_gap){start, making->out->length - start,
	    arena_string(&setting->arena, pointer.data), arena_string(&setting->arena, string)};
	buffer_release(&pointer);
}

/* Expands all macros of a string but those that speak of the node itself. */
static void
setting_expand_others(const struct place *place, const struct macro_context *context, struct buffer *out)
{
	const char *text = json_string(place->value), *done = text;
	struct macro macro;

	while (macro_next(&text, &macro)) {
		char *alone;
		struct error err;

		if (macro.is_self)
			continue;
		buffer_append(out, done, (size_t)(macro.text.start - done));
		done = macro.text.start + macro.text.length;
		alone = memory_substring(macro.text.start, macro.text.length);
		if (macro_expand_text(alone, context, out, &err) < 0)
			place_problem(place, "%s", err.text);
		free(alone);
	}
	buffer_text(out, done);
}

static void
setting_print_string_value(struct making *making, const struct place *place)
{
	struct buffer string = {0};
	size_t start = making->out->length;

	setting_expand_others(place, &making->context, &string);
	json_quote(string.data, making->out);
	if (macro_speaks_of_self(json_string(place->value)))
		setting_add_gap(making, place, string.data, start);
	buffer_release(&string);
}

/* Prints as json_dump does, but notes where each string comes to stand. */
static void
setting_print_config(struct making *making, const struct place *place)
{
	struct members members;
	struct place part;
	char before = '{';

	switch (jv_get_kind(place->value)) {
	case JV_KIND_OBJECT:
		members = members_of(place);
		for (; members_next(&members, &part); before = ',') {
			buffer_byte(making->out, before);
			json_quote(part.name, making->out);
			buffer_byte(making->out, ':');
			setting_print_config(making, &part);
		}
		buffer_text(making->out, before == ',' ? "}" : "{}");
		break;
	case JV_KIND_ARRAY:
		buffer_byte(making->out, '[');
		for (size_t i = 0; i < json_length(place->value); i++) {
			part = place_element(place, i);
			if (i)
				buffer_byte(making->out, ',');
			setting_print_config(making, &part);
		}
		buffer_byte(making->out, ']');
		break;
	case JV_KIND_STRING:
		setting_print_string_value(making, place);
		break;
	default:
		json_dump(place->value, making->out);
	}
}

struct told { /* of problems in a list that has no end */
	size_t count, bytes, more;
};

/* Appends the problem behind a comma, if there is room for it. */
static void
setting_print_problem(struct told *told, const char *pointer, const char *text, struct buffer *out)
{
	told->bytes += strlen(pointer);
	if (told->count >= PROBLEMS_KEPT || told->bytes > POINTERS_ROOM) {
		told->more++;
		return;
	}
	told->count++;
	buffer_text(out, ",{\"pointer\":");
	json_quote(pointer, out);
	buffer_text(out, ",\"text\":");
	json_quote(text, out);
	buffer_byte(out, '}');
}

/* Appends one more that stands for all those for which there was no room: it is of the whole configuration. */
static void
setting_print_more(const struct told *told, struct buffer *out)
{
	if (told->more)
		buffer_printf(out, ",{\"pointer\":\"\",\"text\":\"it has a macro that cannot be expanded, as %zu more\"}", told->more);
}

static void
setting_print_member(struct print *print, const char *name, jv cluster)
{
	jv value = json_get(cluster, name);

	print_value(print, name, value);
	jv_free(value);
}

/* Prints the services that macros of the configuration ask for: plans know that they are looked up. */
static void
setting_print_asked(struct print *print, jv config)
{
	static const enum macro_source sources[] = {MACRO_HOST, MACRO_IP, MACRO_NUM, MACRO_INSTANCE};
	struct string_list all = {0};
	struct arena arena = {0};
	size_t capacity = 0;

	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		struct string_list asked = macro_services_of(config, sources[i], &arena);

		for (size_t j = 0; j < asked.count; j++) {
			ARRAY_ROOM(all.list, all.count, capacity);
			all.list[all.count++] = asked.list[j];
		}
	}
	name_set_make(&all);
	print_strings(print, "asked", &all);
	free(all.list);
	arena_release(&arena);
}

/* Prints the object with "unexpanded" as its last member, so that more can be added to it. */
static void
setting_print_cluster(struct making *making, jv cluster)
{
	jv config = json_get_object(cluster, "config");
	struct problems problems = {0};
	struct buffer list = {0}; /* of problems, each behind a comma */
	struct told told = {0};
	struct place place = place_root(config, &problems);
	struct print print;

	print_begin(&print, (jv){0}, making->out);
	setting_print_asked(&print, config);
	setting_print_member(&print, "catalogue", cluster);
	print_name(&print, "config");
	setting_print_config(making, &place);
	setting_print_member(&print, "id", cluster);
	setting_print_member(&print, "name", cluster);
	setting_print_member(&print, "provider", cluster);
	if (making->strict)
		print_value(&print, "strict", jv_true());
	setting_print_member(&print, "tenant", cluster);
	print_name(&print, "unexpanded");
	buffer_byte(making->out, '[');
	for (size_t i = 0; i < problems.count; i++)
		setting_print_problem(&told, problems.list[i].pointer, problems.list[i].text, &list);
	told.more += problems.total - problems.count;
	setting_print_more(&told, &list);
	if (list.length)
		buffer_append(making->out, list.data + 1, list.length - 1);
	buffer_release(&list);
	buffer_byte(making->out, ']');
	print_close(&print);
	problems_release(&problems);
	jv_free(config);
}

int
setting_make(struct setting *setting, const char *text, size_t length, const struct setting_nodes *nodes, bool strict,
    struct error *err)
{
	struct macro_node *list;
	struct buffer out = {0};
	size_t room = MACRO_ROOM;
	struct making making = {setting, {.node_count = nodes->count, .room = &room}, strict, &out};
	char *owner, *address;
	jv cluster;

	if (json_parse("cluster record", text, length, &cluster, err) < 0)
		return -1;
	making.context.nodes = list = setting_sorted_nodes(nodes);
	making.context.owner = owner = json_get_string(cluster, "owner");
	making.context.address = address = json_get_string(cluster, "address");
	setting_print_cluster(&making, cluster);
	setting->length = out.length;
	setting->text = buffer_take(&out);
	jv_free(cluster);
	free(address);
	free(owner);
	free(list);
	return 0;
}

/* Prints the setting with its gaps filled; what cannot be expanded is added to "unexpanded". */
static void
setting_print_gaps(const struct setting *setting, const struct macro_node *self, const struct macro_instance *instances,
    size_t count, struct buffer *out)
{
	size_t done = 0, end = setting->length - 2, none = sizeof no_problems - 1;
	size_t room = MACRO_ROOM;
	struct told told = {0};
	struct buffer problems = {0}; /* each behind a comma */
	bool first = setting->length >= none &&
	    memcmp(setting->text + setting->length - none, no_problems, none) == 0;

	for (size_t i = 0; i < setting->gap_count; i++) {
		const struct setting_gap *gap = &setting->gaps[i];
		struct buffer string = {0};
		struct error err;

		buffer_append(out, setting->text + done, gap->start - done);
		if (macro_expand_self(gap->string, self, instances, count, &room, &string, &err) < 0)
			setting_print_problem(&told, gap->pointer, err.text, &problems);
		json_quote(string.data, out);
		buffer_release(&string);
		done = gap->start + gap->length;
	}
	buffer_append(out, setting->text + done, end - done);
	setting_print_more(&told, &problems);
	if (problems.length)
		buffer_append(out, problems.data + first, problems.length - first);
	buffer_text(out, "]}");
	buffer_release(&problems);
}

int
setting_print(const struct setting *setting, const char *record, size_t length,
    const struct macro_instance *instances, size_t count, struct buffer *out, struct error *err)
{
	struct arena arena = {0};
	struct macro_node self;
	struct node node;

	if (setting->gap_count == 0) {
		buffer_append(out, setting->text, setting->length);
		return 0;
	}
	if (facts_read(record, length, &arena, &node, err) < 0) {
		arena_release(&arena);
		return -1;
	}
	self = macro_node_of(&node);
	setting_print_gaps(setting, &self, instances, count, out);
	jv_free(node.source);
	arena_release(&arena);
	return 0;
}

void
setting_release(struct setting *setting)
{
	arena_release(&setting->arena);
	free(setting->text);
	free(setting->gaps);
	*setting = (struct setting){0};
}
