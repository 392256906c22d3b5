/* SPDX-License-Identifier: Apache-2.0 */
#include "model/answer/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/names.h"
#include "model/canonical.h"
#include "model/print.h"
#include "model/request.h"

static int
answer_compare_services(const void *a, const void *b)
{
	return strcmp((*(const struct service *const *)a)->name, (*(const struct service *const *)b)->name);
}

void
solution_parse(const struct place *record, struct arena *arena, struct solution *solution)
{
	struct place place = place_member(record, "solution");

	*solution = (struct solution){0};
	if (!place_object(&place, NEED_OPTIONAL))
		return;
	solution->status = place_string(&place, "status", NEED_REQUIRED, arena);
	solution->objective = amounts_parse(&place, "objective", arena);
	solution->bound = amounts_parse(&place, "bound", arena);
	solution->explored = place_integer(&place, "explored", 0, 0, INT64_MAX);
}

/* The names of what stands on the cluster now or stood there before. */
static struct names
answer_names_in_use(const struct request *request, const struct string_list *services)
{
	struct names names = {0};

	for (size_t i = 0; i < services->count; i++)
		names_intern(&names, services->list[i]);
	for (size_t i = 0; i < request->node_count; i++)
		for (size_t j = 0; j < request->nodes[i].services.count; j++)
			names_intern(&names, request->nodes[i].services.list[j]);
	return names;
}

static void
answer_append_definitions(const struct request *request, const struct string_list *services, struct buffer *out)
{
	struct names used = answer_names_in_use(request, services);
	const struct service **list = memory_zeroed(request->service_count, sizeof *list);
	size_t count = 0;

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

static void
answer_append_solution(const struct solution *solution, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_amounts(&print, "bound", &solution->bound);
	print_integer(&print, "explored", solution->explored);
	if (solution->gap.count)
		print_amounts(&print, "gap", &solution->gap);
	print_amounts(&print, "objective", &solution->objective);
	print_string(&print, "status", solution->status);
	print_close(&print);
}

void
answer_print(const struct request *request, const struct string_list *services,
    const struct solution *solution, struct buffer *out)
{
	const struct cluster_wish *wish = &request->cluster;
	jv config = jv_is_valid(wish->config) ? wish->config : request->template.default_config;
	struct print print;
	jv template;

	print_begin(&print, wish->source, out);
	if (jv_is_valid(config))
		print_value(&print, "config", config);
	else
		print_json(&print, "config", "{}");
	print_name(&print, "definitions");
	answer_append_definitions(request, services, out);
	print_string(&print, "id", wish->id);
	print_string(&print, "kind", "cluster");
	print_string(&print, "name", wish->name);
	if (request->node_count)
		print_integer(&print, "nextNodenum", request_next_nodenum(request));
	print_value(&print, "provider", request->provider.source);
	print_strings(&print, "services", services);
	print_name(&print, "solution");
	answer_append_solution(solution, out);
	template = canonical_template(request->template.source);
	print_value(&print, "template", template);
	jv_free(template);
	print_string(&print, "tenant", wish->tenant);
	print_end(&print);
}

void
answer_print_unsatisfiable(const struct string_list *conflict, bool minimal, const char *because, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "because", because);
	print_strings(&print, "conflict", conflict);
	print_string(&print, "kind", "unsatisfiable");
	if (!minimal)
		print_json(&print, "minimal", "false");
	print_end(&print);
}
