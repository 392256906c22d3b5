/* SPDX-License-Identifier: Apache-2.0 */
#include "model/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "model/document.h"
#include "model/name.h"

enum { CLUSTER_ID_MAX_LENGTH = 32 };

bool
cluster_id_is_valid(const char *text)
{
	return name_is_valid(text) && strlen(text) <= CLUSTER_ID_MAX_LENGTH;
}

static void
request_parse_machines(const struct place *cluster, struct cluster_wish *wish)
{
	struct place place = place_member(cluster, "numMachines");

	wish->machines_min = 1;
	wish->machines_max = INT64_MAX;
	wish->machines_given = place_present(&place);
	if (jv_get_kind(place.value) == JV_KIND_OBJECT) {
		wish->machines_min = place_integer(&place, "min", 1, 1, INT64_MAX);
		wish->machines_max = place_integer(&place, "max", INT64_MAX, 1, INT64_MAX);
		if (wish->machines_min > wish->machines_max)
			place_problem(&place, "min %" PRId64 " is more than max %" PRId64, wish->machines_min,
			    wish->machines_max);
	} else if (wish->machines_given) {
		wish->machines_min = place_integer(cluster, "numMachines", 1, 1, INT64_MAX);
		wish->machines_max = wish->machines_min;
	}
}

static void
request_parse_wish(const struct place *place, struct arena *arena, struct cluster_wish *wish)
{
	struct place config;

	*wish = (struct cluster_wish){.id = "00000001", .tenant = "default", .next_nodenum = NODE_FIRST_NUMBER};
	if (!place_object(place, NEED_REQUIRED))
		return;
	wish->source = place->value;
	wish->name = name_parse(place, "name", NEED_REQUIRED, arena);
	wish->id = name_parse_as(place, "id", NEED_OPTIONAL, cluster_id_is_valid, "cluster id", arena);
	wish->tenant = name_parse(place, "tenant", NEED_OPTIONAL, arena);
	wish->services = name_set_parse(place, "services", arena);
	wish->hardwaretype = name_parse(place, "hardwaretype", NEED_OPTIONAL, arena);
	wish->imagetype = name_parse(place, "imagetype", NEED_OPTIONAL, arena);
	wish->dns_suffix = name_parse_as(place, "dnsSuffix", NEED_OPTIONAL, name_is_dns_suffix, "DNS suffix", arena);
	request_parse_machines(place, wish);
	wish->next_nodenum = place_integer(place, "nextNodenum", NODE_FIRST_NUMBER, 0, INT64_MAX);
	config = place_member(place, "config");
	if (place_object(&config, NEED_OPTIONAL))
		wish->config = config.value;
	if (!wish->id)
		wish->id = "00000001";
	if (!wish->tenant)
		wish->tenant = "default";
}

/* How many elements the list of that name has: 0 where it is absent or no list. */
static size_t
request_list_length(const struct place *list)
{
	return place_array(list, NEED_OPTIONAL) ? json_length(list->value) : 0;
}

/* Names have to differ within a list. */
static void
request_note_name(const struct place *place, const char *name, struct names *seen)
{
	size_t before = seen->count;

	if (name && (size_t)names_intern(seen, name) < before)
		place_problem(place, "\"%s\" stands in this list before already", name);
}

static void
request_parse_hardwaretypes(const struct place *document, struct request *request)
{
	struct place list = place_member(document, "hardwaretypes");
	struct names seen = {0};

	request->hardwaretype_count = request_list_length(&list);
	request->hardwaretypes =
	    arena_alloc(&request->arena, request->hardwaretype_count, sizeof *request->hardwaretypes);
	for (size_t i = 0; i < request->hardwaretype_count; i++) {
		struct place element = place_element(&list, i);

		hardwaretype_parse(&element, &request->arena, &request->hardwaretypes[i]);
		request_note_name(&element, request->hardwaretypes[i].name, &seen);
	}
	names_release(&seen);
}

static void
request_parse_imagetypes(const struct place *document, struct request *request)
{
	struct place list = place_member(document, "imagetypes");
	struct names seen = {0};

	request->imagetype_count = request_list_length(&list);
	request->imagetypes = arena_alloc(&request->arena, request->imagetype_count, sizeof *request->imagetypes);
	for (size_t i = 0; i < request->imagetype_count; i++) {
		struct place element = place_element(&list, i);

		imagetype_parse(&element, &request->arena, &request->imagetypes[i]);
		request_note_name(&element, request->imagetypes[i].name, &seen);
	}
	names_release(&seen);
}

static void
request_parse_services(const struct place *document, struct request *request)
{
	struct place list = place_member(document, "services");
	struct names seen = {0};

	request->service_count = request_list_length(&list);
	request->services = arena_alloc(&request->arena, request->service_count, sizeof *request->services);
	for (size_t i = 0; i < request->service_count; i++) {
		struct place element = place_element(&list, i);

		service_parse(&element, &request->arena, &request->services[i]);
		request_note_name(&element, request->services[i].name, &seen);
	}
	names_release(&seen);
}

static void
request_parse_nodes(const struct place *document, struct request *request)
{
	struct place list = place_member(document, "nodes");
	struct names seen = {0};

	request->node_count = request_list_length(&list);
	request->nodes = arena_alloc(&request->arena, request->node_count, sizeof *request->nodes);
	for (size_t i = 0; i < request->node_count; i++) {
		struct place element = place_element(&list, i);

		node_parse(&element, &request->arena, &request->nodes[i]);
		request_note_name(&element, request->nodes[i].id, &seen);
	}
	names_release(&seen);
	nodes_sort(&list, request->nodes, request->node_count);
}

/* Notes that the nodes of these ids are to be replaced. */
static void
request_mark_replaced(struct request *request, const struct place *list, const struct string_list *ids)
{
	struct names seen = {0};
	int *number = memory_zeroed(request->node_count, sizeof *number);

	for (size_t i = 0; i < request->node_count; i++)
		if (request->nodes[i].id && !request->nodes[i].leaves)
			number[names_intern(&seen, request->nodes[i].id)] = (int)i;
	for (size_t i = 0; i < ids->count; i++) {
		struct place element = place_element(list, i);
		int found = names_find(&seen, ids->list[i]);

		if (found == NAMES_NONE)
			place_problem(&element, "no present node has the id \"%s\"", ids->list[i]);
		else
			request->nodes[number[found]].replaced = true;
	}
	names_release(&seen);
	free(number);
}

/* Nodes to be replaced. Where nothing is said of the number of machines, it stays what it is. */
static void
request_parse_replace(const struct place *document, struct request *request)
{
	struct place list = place_member(document, "replace");
	struct string_list ids = name_list_parse(document, "replace", &request->arena);
	int64_t present = 0;

	if (ids.count && ids.count == request_list_length(&list))
		request_mark_replaced(request, &list, &ids);
	for (size_t i = 0; i < request->node_count; i++)
		present += !request->nodes[i].leaves;
	if (!ids.count || !present || request->cluster.machines_given)
		return;
	request->cluster.machines_given = request->cluster.machines_kept = true;
	request->cluster.machines_min = request->cluster.machines_max = present;
}

void
request_parse(jv document, struct request *request, struct problems *problems)
{
	struct place root = place_root(document, problems), cluster, template, provider;

	*request = (struct request){.source = jv_copy(document)};
	if (!place_object(&root, NEED_REQUIRED))
		return;
	document_check_kind(&root, "request", NEED_REQUIRED);
	cluster = place_member(&root, "cluster");
	template = place_member(&root, "template");
	provider = place_member(&root, "provider");
	request_parse_wish(&cluster, &request->arena, &request->cluster);
	cluster_template_parse(&template, &request->arena, &request->template);
	provider_parse(&provider, &request->arena, &request->provider);
	request_parse_hardwaretypes(&root, request);
	request_parse_imagetypes(&root, request);
	request_parse_services(&root, request);
	request_parse_nodes(&root, request);
	request_parse_replace(&root, request);
}

void
request_release(struct request *request)
{
	jv_free(request->template.source);
	jv_free(request->provider.source);
	for (size_t i = 0; i < request->hardwaretype_count; i++)
		jv_free(request->hardwaretypes[i].source);
	for (size_t i = 0; i < request->imagetype_count; i++)
		jv_free(request->imagetypes[i].source);
	for (size_t i = 0; i < request->service_count; i++)
		jv_free(request->services[i].source);
	for (size_t i = 0; i < request->node_count; i++)
		jv_free(request->nodes[i].source);
	arena_release(&request->arena);
	jv_free(request->source);
	*request = (struct request){0};
}

int64_t
request_next_nodenum(const struct request *request)
{
	int64_t next = request->cluster.next_nodenum;

	for (size_t i = 0; i < request->node_count; i++)
		if (request->nodes[i].nodenum >= next)
			next = request->nodes[i].nodenum < INT64_MAX ? request->nodes[i].nodenum + 1 : INT64_MAX;
	return next;
}

static size_t
request_index_in(jv object, const char *service)
{
	jv list = json_get(object, "services");
	size_t index = SIZE_MAX;

	for (size_t i = json_length(list); i-- > 0;) {
		jv element = jv_array_get(jv_copy(list), (int)i);
		char *name = jv_get_kind(element) == JV_KIND_OBJECT ? json_get_string(element, "name") : NULL;
		const char *text = name ? name : json_string(element);

		if (text && strcmp(text, service) == 0)
			index = i;
		free(name);
		jv_free(element);
	}
	jv_free(list);
	return index;
}

size_t
request_service_index(const struct request *request, const char *service)
{
	jv defaults = json_get(request->template.source, "defaults");
	size_t index = request_index_in(request->cluster.services.count ? request->cluster.source : defaults, service);

	jv_free(defaults);
	return index;
}
