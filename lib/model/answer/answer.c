/* SPDX-License-Identifier: Apache-2.0 */
#include "model/answer/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/names.h"
#include "model/answer/canonical.h"
#include "model/document.h"
#include "model/print.h"
#include "model/request.h"

static int
answer_compare_services(const void *a, const void *b)
{
	return strcmp((*(const struct service *const *)a)->name, (*(const struct service *const *)b)->name);
}

static const struct member solution_members[] = {
	{"bound", MEMBER_AMOUNTS(struct solution, bound), 0},
	{"explored", MEMBER_INTEGER(struct solution, explored), 0},
	{"gap", MEMBER_AMOUNTS(struct solution, gap), MEMBER_OMITTED},
	{"objective", MEMBER_AMOUNTS(struct solution, objective), MEMBER_REQUIRED},
	{"status", MEMBER_STRING(struct solution, status), MEMBER_REQUIRED},
};
const struct document solution_table = {DOCUMENT_MEMBERS(solution_members), .size = sizeof(struct solution)};

void
solution_parse(const struct place *record, struct arena *arena, struct solution *solution)
{
	struct place place = place_member(record, "solution");

	*solution = (struct solution){0};
	if (place_present(&place))
		document_parse(&solution_table, &place, arena, solution);
}

static bool
unsatisfiable_is_pointer(const char *text)
{
	for (const char *p = text; *p; p++)
		if (*p == '~' && p[1] != '0' && p[1] != '1')
			return false;
	return !*text || *text == '/';
}

static void
unsatisfiable_check_conflict(const struct place *conflict)
{
	for (size_t i = 0; i < json_length(conflict->value); i++) {
		struct place pointer = place_element(conflict, i);
		const char *text = json_string(pointer.value);

		if (text && !unsatisfiable_is_pointer(text))
			place_problem(&pointer, "\"%.80s\" is not a JSON Pointer", text);
	}
}

static const struct member unsatisfiable_members[] = {
	{"because", MEMBER_STRING(struct unsatisfiable, because), MEMBER_REQUIRED},
	{"conflict", MEMBER_STRINGS(struct unsatisfiable, conflict), MEMBER_REQUIRED, .check = unsatisfiable_check_conflict},
	{"kind", MEMBER_KIND("unsatisfiable")},
	{"minimal", MEMBER_BOOLEAN(struct unsatisfiable, minimal), MEMBER_OMITTED, .integer = {.otherwise = true}},
};
const struct document unsatisfiable_table = {DOCUMENT_MEMBERS(unsatisfiable_members), .size = sizeof(struct unsatisfiable)};

/* Appends the definitions of the services on the cluster, and of those that stood on its nodes before. */
static void
answer_append_definitions(const struct request *request, const struct string_list *services, struct buffer *out)
{
	struct names used = {0};
	const struct service **list = memory_zeroed(request->service_count, sizeof *list);
	size_t count = 0;

	for (size_t i = 0; i < services->count; i++)
		names_intern(&used, services->list[i]);
	for (size_t i = 0; i < request->node_count; i++)
		for (size_t j = 0; j < request->nodes[i].services.count; j++)
			names_intern(&used, request->nodes[i].services.list[j]);
	for (size_t i = 0; i < request->service_count; i++)
		if (names_find(&used, request->services[i].name) != NAMES_NONE)
			list[count++] = &request->services[i];
	qsort(list, count, sizeof *list, answer_compare_services);
	buffer_byte(out, '[');
	for (size_t i = 0; i < count; i++) {
		jv service = canonical_service(list[i]->source);

		if (i)
			buffer_byte(out, ',');
		json_dump(service, out);
		jv_free(service);
	}
	buffer_byte(out, ']');
	free(list);
	names_release(&used);
}

void
answer_print(const struct request *request, const struct string_list *services,
    const struct solution *solution, struct buffer *out)
{
	const struct cluster_request *asked = &request->cluster;
	jv config = jv_is_valid(asked->config) ? asked->config : request->template.default_config;
	struct print print;
	jv template;

	print_begin(&print, asked->source, out);
	if (jv_is_valid(config))
		print_value(&print, "config", config);
	else
		print_json(&print, "config", "{}");
	print_name(&print, "definitions");
	answer_append_definitions(request, services, out);
	print_string(&print, "id", asked->id);
	print_string(&print, "kind", "cluster");
	print_string(&print, "name", asked->name);
	if (request->node_count)
		print_integer(&print, "nextNodenum", request_next_nodenum(request));
	print_value(&print, "provider", request->provider.source);
	print_strings(&print, "services", services);
	print_name(&print, "solution");
	document_append(&solution_table, solution, out);
	template = canonical_template(request->template.source);
	print_value(&print, "template", template);
	jv_free(template);
	print_string(&print, "tenant", asked->tenant);
	print_end(&print);
}

void
unsatisfiable_print(const struct unsatisfiable *unsatisfiable, struct buffer *out)
{
	document_print(&unsatisfiable_table, unsatisfiable, out);
}
