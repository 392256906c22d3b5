/* SPDX-License-Identifier: Apache-2.0 */
#include "model/layout.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/plural.h"
#include "json/json.h"
#include "json/record.h"
#include "model/document.h"
#include "model/name.h"
#include "model/request.h"
#include "model/unavailable.h"

/* Drops what stands twice in the sorted list; that the same name means two things is a problem. Returns how many stay. */
static size_t
layout_merge_doubles(const struct place *list, struct service *definitions, size_t total)
{
	size_t count = 0;

	for (size_t i = 0; i < total; i++) {
		if (!count || strcmp(definitions[count - 1].name, definitions[i].name) != 0) {
			definitions[count++] = definitions[i];
			continue;
		}
		if (!jv_equal(jv_copy(definitions[count - 1].source), jv_copy(definitions[i].source)))
			place_problem(list, "\"%s\" is defined twice", definitions[i].name);
		jv_free(definitions[i].source);
	}
	return count;
}

static void
layout_sort_definitions(const struct place *object, struct service *definitions, size_t *count)
{
	struct place list = place_member(object, "definitions");

	for (size_t i = 0; i < *count; i++)
		if (!definitions[i].name)
			return;
	if (*count)
		qsort(definitions, *count, sizeof *definitions, service_compare_names);
	*count = layout_merge_doubles(&list, definitions, *count);
}

/* Takes the limit that the cluster's template sets to rolling changes. */
static void
cluster_take_limit(const struct place *place, struct arena *arena, struct cluster *cluster)
{
	struct place template = place_member(place, "template"), rolling = place_member(&template, "rolling");
	jv limit = json_get(rolling.value, "max_unavailable");

	if (json_string(limit) && unavailable_is_valid(json_string(limit)))
		cluster->max_unavailable = arena_string(arena, json_string(limit));
	jv_free(limit);
}

static void
cluster_sort_all(const struct place *place, struct arena *arena, void *to)
{
	struct cluster *cluster = to;
	struct place was = place_member(place, "was");

	cluster_take_limit(place, arena, cluster);
	layout_sort_definitions(place, cluster->definitions, &cluster->definition_count);
	layout_sort_definitions(&was, cluster->was_definitions, &cluster->was_definition_count);
}

static bool
cluster_has_was(const void *from)
{
	const struct cluster *cluster = from;

	return jv_get_kind(cluster->was_config) == JV_KIND_OBJECT || cluster->was_definition_count > 0;
}

static void
cluster_release_was(void *to)
{
	jv_free(((struct cluster *)to)->was_source);
}

static const struct member was_members[] = {
	{"config", MEMBER_VALUE(struct cluster, was_config), 0},
	{"definitions", MEMBER_LIST(struct cluster, was_definitions, struct service, was_definition_count), 0,
	    .inner = &service_table},
};
static const struct document was_table = {DOCUMENT_MEMBERS(was_members)};

static const struct member cluster_members[] = {
	{"config", MEMBER_VALUE(struct cluster, config), 0},
	{"definitions", MEMBER_LIST(struct cluster, definitions, struct service, definition_count), 0, .inner = &service_table},
	{"id", MEMBER_STRING(struct cluster, id), MEMBER_REQUIRED, .is_valid = cluster_id_is_valid, .what = "not a cluster id"},
	{"kind", MEMBER_KIND_MAYBE("cluster")},
	{"name", MEMBER_NAME(struct cluster, name), MEMBER_REQUIRED},
	{"provider", MEMBER_OBJECT(struct cluster, provider), MEMBER_REQUIRED, .inner = &provider_table},
	{"services", MEMBER_SET(struct cluster, services), 0},
	{"solution", MEMBER_PASSED, 0},
	{"template", MEMBER_PASSED, 0},
	{"tenant", MEMBER_NAME(struct cluster, tenant), 0, .otherwise = "default"},
	{"was", MEMBER_INLINE, 0, .inner = &was_table, .is_printed = cluster_has_was},
};
const struct document cluster_table = {DOCUMENT_MEMBERS(cluster_members), .size = sizeof(struct cluster),
	DOCUMENT_SOURCE(struct cluster, source), .check = cluster_sort_all, .release = cluster_release_was};

void
cluster_parse(const struct place *place, struct arena *arena, struct cluster *cluster)
{
	document_parse(&cluster_table, place, arena, cluster);
}

void
cluster_print(const struct cluster *cluster, struct buffer *out)
{
	document_print(&cluster_table, cluster, out);
}

void
cluster_release(struct cluster *cluster)
{
	document_release(&cluster_table, cluster);
}

static const struct service *
layout_find_definition(const struct service *definitions, size_t count, const char *service)
{
	struct service key = {.name = service};

	return count ? bsearch(&key, definitions, count, sizeof key, service_compare_names) : NULL;
}

const struct node *
layout_node(const struct layout *layout, const char *id)
{
	for (size_t i = 0; i < layout->node_count; i++)
		if (strcmp(layout->nodes[i].id, id) == 0)
			return &layout->nodes[i];
	return NULL;
}

const struct service *
cluster_definition(const struct cluster *cluster, const char *service)
{
	return layout_find_definition(cluster->definitions, cluster->definition_count, service);
}

const struct service *
cluster_definition_before(const struct cluster *cluster, const char *service)
{
	const struct service *was = layout_find_definition(cluster->was_definitions, cluster->was_definition_count, service);

	return was ? was : cluster_definition(cluster, service);
}

bool
cluster_is_stateful(const struct cluster *cluster, jv today, const char *service)
{
	const struct service *before = cluster_definition_before(cluster, service), *now = cluster_definition(cluster, service);

	if ((before && service_says_data(before)) || (now && service_says_data(now)))
		return (before && service_has_data(before)) || (now && service_has_data(now));
	return json_array_has(today, NULL, service);
}

void
layout_take(struct layout *layout, const struct place *record)
{
	const char *kind = record_kind(record->value);

	if (strcmp(kind, "cluster") == 0 && layout->has_cluster) {
		place_problem(record, "a second cluster record");
	} else if (strcmp(kind, "cluster") == 0) {
		cluster_parse(record, &layout->arena, &layout->cluster);
		layout->has_cluster = true;
	} else if (strcmp(kind, "node") == 0) {
		ARRAY_ROOM(layout->nodes, layout->node_count, layout->node_capacity);
		node_parse(record, &layout->arena, &layout->nodes[layout->node_count++]);
	}
}

/* Takes a record; ids are those of the nodes before it. */
static void
layout_add_record(struct layout *layout, const struct place *record, struct names *ids)
{
	size_t nodes = layout->node_count, known = ids->count;
	const char *id;

	layout_take(layout, record);
	id = layout->node_count > nodes ? layout->nodes[nodes].id : NULL;
	if (id && (size_t)names_intern(ids, id) < known)
		place_problem(record, "a second node with the id \"%s\"", id);
}

/* Refuses the record of coopr-solve that says that there is no layout, with its reason, which would be lost in the pipe. */
static int
layout_refuse_answer(const struct record_reader *reader, jv answer, struct error *err)
{
	char *because = json_get_string(answer, "because");

	error_set(err, EX_NO, "%s: no layout satisfies the request: %s", reader->name, because ? because : "unsatisfiable");
	free(because);
	return -1;
}

static int
layout_read_records(struct record_reader *reader, bool any_answer, struct layout *layout, struct problems *problems,
    struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	struct names ids = {0};
	jv value;
	int got = 1;

	*layout = (struct layout){0};
	while (got > 0 && (got = record_read(reader, &value, err)) > 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = problems};

		if (strcmp(record_kind(value), "unsatisfiable") != 0) {
			layout_add_record(layout, &record, &ids);
		} else if (!any_answer) {
			got = layout_refuse_answer(reader, value, err);
		} else {
			layout->unsatisfiable = true;
			layout->not_minimal = !place_boolean(&record, "minimal", true);
			layout->conflict = place_strings(&record, "conflict", &layout->arena);
			if (!layout->conflict.count)
				place_problem(&record, "a conflict without members");
		}
		jv_free(value);
	}
	names_release(&ids);
	if (got < 0)
		return -1;
	if (!layout->has_cluster && !layout->unsatisfiable)
		place_problem(&stream, "there is no cluster record");
	if (layout->has_cluster && layout->unsatisfiable)
		place_problem(&stream, "both a layout and the reason why there is none");
	nodes_sort(&stream, layout->nodes, layout->node_count);
	return 0;
}

int
layout_read(struct record_reader *reader, struct layout *layout, struct problems *problems, struct error *err)
{
	return layout_read_records(reader, false, layout, problems, err);
}

int
layout_read_answer(struct record_reader *reader, struct layout *layout, struct problems *problems,
    struct error *err)
{
	return layout_read_records(reader, true, layout, problems, err);
}

void
layout_check_whole(const struct layout *layout, struct problems *problems)
{
	jv solution = json_get(layout->cluster.source, "solution"), objective = json_get(solution, "objective"),
	   machines = json_get(objective, "machines");
	struct place stream = place_root((jv){0}, problems);
	size_t staying = 0;

	for (size_t i = 0; i < layout->node_count; i++)
		staying += !layout->nodes[i].leaves;
	if (jv_get_kind(machines) == JV_KIND_NUMBER && jv_number_value(machines) > (double)staying)
		place_problem(&stream, "its solution counts %.0f %s, and %zu %s here: something is missing "
		    "(where that is meant, take the solution out of the cluster record)", jv_number_value(machines),
		    plural(jv_number_value(machines), "machine", "machines"), staying, plural(staying, "is", "are"));
	jv_free(machines);
	jv_free(objective);
	jv_free(solution);
}

void
layout_release(struct layout *layout)
{
	for (size_t i = 0; i < layout->node_count; i++)
		jv_free(layout->nodes[i].source);
	free(layout->nodes);
	cluster_release(&layout->cluster);
	arena_release(&layout->arena);
	*layout = (struct layout){0};
}

int
layout_parse_text(const char *text, struct layout *layout, struct error *err)
{
	struct problems problems = {0};
	struct record_reader reader;
	int fd = memfd_create("layout", MFD_CLOEXEC), result;

	*layout = (struct layout){.cluster = {.source = jv_invalid(), .was_source = jv_invalid(), .config = jv_invalid()}};
	if (!*text) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	if (fd < 0 || file_write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		error_errno(err, EX_OSERR, "a layout in memory");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	record_reader_init(&reader, fd, "the layout");
	result = layout_read(&reader, layout, &problems, err);
	if (result == 0)
		result = problems_error(&problems, "the layout", EX_DATAERR, err);
	problems_release(&problems);
	record_reader_release(&reader);
	close(fd);
	return result;
}

static bool
layout_is_same_list(const struct string_list *a, const struct string_list *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = strcmp(a->list[i], b->list[i]) == 0;
	return same;
}

bool
layout_is_whole(const struct layout *layout)
{
	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		if (node->leaves || node->is_new || node->unready || node->partial.count > 0 || node->stale.count > 0 ||
		    !layout_is_same_list(&node->services, &node->was))
			return false;
	}
	return true;
}

bool
layout_is_stopped(const struct layout *layout)
{
	bool any = false;

	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		for (size_t j = 0; j < node->was.count; j++) {
			const struct service *service = cluster_definition_before(&layout->cluster, node->was.list[j]);
			bool is_stopped = name_set_has(&node->stopped, node->was.list[j]);

			if (!is_stopped && service && service->actions[ACTION_STOP].present)
				return false;
			any = any || is_stopped;
		}
	}
	return any;
}

void
layout_print_standing(const struct layout *layout, struct buffer *out)
{
	struct cluster cluster = layout->cluster;

	/* The solution counts machines that may not be there. Where the configuration is not applied is said of each
	 * service. */
	if (layout->has_cluster) {
		cluster.source = jv_object_delete(jv_copy(cluster.source), jv_string("solution"));
		cluster.was_config = jv_invalid();
		cluster_print(&cluster, out);
		jv_free(cluster.source);
	}
	for (size_t i = 0; i < layout->node_count; i++) {
		struct node node = layout->nodes[i];

		if (node.is_new)
			continue;
		node.leaves = false;
		node.services = node.was;
		node_print(&node, out);
	}
}
