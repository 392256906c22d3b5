/* SPDX-License-Identifier: Apache-2.0 */
#include "model/request.h"

#include <inttypes.h>
#include <math.h>
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

/* 5, or {"min":3,"max":50}. */
static void
request_parse_machines(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct cluster_request *asked = to;

	(void)member;
	(void)arena;
	asked->machines_min = 1;
	asked->machines_max = INT64_MAX;
	asked->machines_given = place_present(place);
	if (jv_get_kind(place->value) == JV_KIND_OBJECT) {
		asked->machines_min = place_integer(place, "min", 1, 1, INT64_MAX);
		asked->machines_max = place_integer(place, "max", INT64_MAX, 1, INT64_MAX);
		if (asked->machines_min > asked->machines_max)
			place_problem(place, "min %" PRId64 " is more than max %" PRId64, asked->machines_min,
			    asked->machines_max);
	} else if (asked->machines_given) {
		asked->machines_min = place_read_integer(place, 1, 1, INT64_MAX);
		asked->machines_max = asked->machines_min;
	}
}

static void
request_parse_bounds(const struct place *place, struct instance_bounds *bounds)
{
	if (jv_get_kind(place->value) != JV_KIND_OBJECT) {
		bounds->min = bounds->max = place_read_integer(place, 0, 0, INT64_MAX);
		return;
	}
	bounds->min = place_integer(place, "min", 0, 0, INT64_MAX);
	bounds->max = place_integer(place, "max", INT64_MAX, 0, INT64_MAX);
	if (bounds->min > bounds->max)
		place_problem(place, "min %" PRId64 " is more than max %" PRId64, bounds->min, bounds->max);
}

void
request_parse_instances(const struct place *place, struct arena *arena, struct instances *instances)
{
	struct members members;
	struct place member;

	if (!place_object(place, NEED_OPTIONAL))
		return;
	instances->list = arena_alloc(arena, json_length(place->value), sizeof *instances->list);
	members = members_of(place);
	while (members_next(&members, &member)) {
		struct instance_bounds bounds = {.service = arena_string(arena, member.name), .max = INT64_MAX};

		if (!name_is_valid(member.name))
			place_problem(&member, "\"%.80s\" is not the name of a service", member.name);
		if (!place_present(&member))
			continue;
		request_parse_bounds(&member, &bounds);
		instances->list[instances->count++] = bounds;
	}
}

static void
request_parse_cluster_instances(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	(void)member;
	request_parse_instances(place, arena, &((struct cluster_request *)to)->instances);
}

static const struct member cluster_members[] = {
	{"address", MEMBER_PASSED, 0},
	{"catalogue", MEMBER_PASSED, 0},
	{"config", MEMBER_VALUE(struct cluster_request, config), 0},
	{"dnsSuffix", MEMBER_STRING(struct cluster_request, dns_suffix), 0, .is_valid = name_is_dns_suffix, .what = "not a DNS suffix"},
	{"hardwaretype", MEMBER_NAME(struct cluster_request, hardwaretype), 0},
	{"id", MEMBER_STRING(struct cluster_request, id), 0, .otherwise = "00000001", .is_valid = cluster_id_is_valid,
	    .what = "not a cluster id"},
	{"imagetype", MEMBER_NAME(struct cluster_request, imagetype), 0},
	{"instances", MEMBER_CUSTOM, 0, .parse = request_parse_cluster_instances},
	{"minMachines", MEMBER_INTEGER(struct cluster_request, min_machines), 0, .integer = {1, INT64_MAX, INT64_MAX}},
	{"name", MEMBER_NAME(struct cluster_request, name), MEMBER_REQUIRED},
	{"nextNodenum", MEMBER_INTEGER(struct cluster_request, next_nodenum), 0, .integer = {0, INT64_MAX, NODE_FIRST_NUMBER}},
	{"numMachines", MEMBER_CUSTOM, 0, .parse = request_parse_machines},
	{"owner", MEMBER_PASSED, 0},
	{"services", MEMBER_SET(struct cluster_request, services), 0},
	{"tenant", MEMBER_NAME(struct cluster_request, tenant), 0, .otherwise = "default"},
};
static const struct document cluster_table = {DOCUMENT_MEMBERS(cluster_members), .size = sizeof(struct cluster_request),
	DOCUMENT_SOURCE(struct cluster_request, source)};

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
request_parse_replace(const struct place *list, const struct member *member, struct arena *arena, void *to)
{
	struct request *request = to;
	struct string_list ids = name_read_list(list, NEED_OPTIONAL, arena);
	int64_t present = 0;

	(void)member;
	if (ids.count && ids.count == json_length(list->value))
		request_mark_replaced(request, list, &ids);
	for (size_t i = 0; i < request->node_count; i++)
		present += !request->nodes[i].leaves;
	if (!ids.count || !present || request->cluster.machines_given)
		return;
	request->cluster.machines_given = request->cluster.machines_kept = true;
	request->cluster.machines_min = request->cluster.machines_max = present;
}

static const struct member members[] = {
	{"cluster", MEMBER_OBJECT(struct request, cluster), MEMBER_REQUIRED, .inner = &cluster_table},
	{"hardwaretypes", MEMBER_LIST(struct request, hardwaretypes, struct hardwaretype, hardwaretype_count), 0,
	    .inner = &hardwaretype_table},
	{"imagetypes", MEMBER_LIST(struct request, imagetypes, struct imagetype, imagetype_count), 0, .inner = &imagetype_table},
	{"kind", MEMBER_KIND("request")},
	{"nodes", MEMBER_LIST(struct request, nodes, struct node, node_count), 0, .inner = &node_table},
	{"provider", MEMBER_OBJECT(struct request, provider), MEMBER_REQUIRED, .inner = &provider_table},
	{"replace", MEMBER_CUSTOM, 0, .parse = request_parse_replace},
	{"services", MEMBER_LIST(struct request, services, struct service, service_count), 0, .inner = &service_table},
	{"template", MEMBER_OBJECT(struct request, template), MEMBER_REQUIRED, .inner = &cluster_template_table},
};

/* Names have to differ within a list: those in the field at offset of each element. */
static void
request_check_names(const struct place *document, const char *member, const void *elements, size_t count, size_t size,
    size_t offset)
{
	struct place list = place_member(document, member);
	struct names seen = {0};

	for (size_t i = 0; i < count; i++) {
		const char *name = *(const char *const *)(const void *)((const char *)elements + i * size + offset);
		struct place element = place_element(&list, i);
		size_t before = seen.count;

		if (name && (size_t)names_intern(&seen, name) < before)
			place_problem(&element, "\"%s\" stands in this list before already", name);
	}
	names_release(&seen);
}

/* Makes what the cluster says of instances rules behind those of the template. */
static void
request_add_rules(struct request *request, struct arena *arena)
{
	struct cluster_template *template = &request->template;
	const struct instances *instances = &request->cluster.instances;
	struct count_rule *rules;

	if (!instances->count)
		return;
	rules = arena_alloc(arena, template->count_count + instances->count, sizeof *rules);
	if (template->count_count)
		memcpy(rules, template->counts, template->count_count * sizeof *rules);
	for (size_t i = 0; i < instances->count; i++) {
		const struct instance_bounds *bounds = &instances->list[i];
		struct count_rule *rule = &rules[template->count_count + i];

		*rule = (struct count_rule){.name = bounds->service, .terms = arena_alloc(arena, 1, sizeof *rule->terms),
			.term_count = 1, .min = (double)bounds->min, .max = bounds->max == INT64_MAX ? INFINITY : (double)bounds->max};
		rule->terms[0].service = bounds->service;
		rule->terms[0].coefficient = 1;
	}
	template->counts = rules;
	template->count_count += instances->count;
}

/* Lowers the template's least number of machines where a person insists, and where nodes are replaced and their number stays. */
static void
request_lower_size(struct request *request)
{
	const struct cluster_request *asked = &request->cluster;
	int64_t least = asked->machines_kept && asked->machines_min < asked->min_machines ? asked->machines_min : asked->min_machines;

	if (least < request->template.size_min)
		request->template.size_min = least;
}

/* Notes where the services of the cluster stand in its list, the first of each. */
static void
request_index_services(const struct place *place, struct cluster_request *asked, struct arena *arena)
{
	struct place cluster = place_member(place, "cluster"), list = place_member(&cluster, "services");

	asked->service_indexes = arena_alloc(arena, asked->services.count, sizeof *asked->service_indexes);
	for (size_t i = asked->services.count ? json_length(list.value) : 0; i-- > 0;) {
		struct place element = place_element(&list, i);
		const char *name = json_string(element.value);
		const char **found = name ? bsearch(&name, asked->services.list, asked->services.count, sizeof name, name_compare) : NULL;

		if (found)
			asked->service_indexes[found - asked->services.list] = i;
	}
}

static void
request_check(const struct place *place, struct arena *arena, void *to)
{
	struct request *r = to;
	struct place nodes = place_member(place, "nodes");

	request_index_services(place, &r->cluster, arena);
	request_add_rules(r, arena);
	request_lower_size(r);
	request_check_names(place, "hardwaretypes", r->hardwaretypes, r->hardwaretype_count, sizeof *r->hardwaretypes,
	    offsetof(struct hardwaretype, name));
	request_check_names(place, "imagetypes", r->imagetypes, r->imagetype_count, sizeof *r->imagetypes,
	    offsetof(struct imagetype, name));
	request_check_names(place, "services", r->services, r->service_count, sizeof *r->services,
	    offsetof(struct service, name));
	request_check_names(place, "nodes", r->nodes, r->node_count, sizeof *r->nodes, offsetof(struct node, id));
	nodes_sort(&nodes, r->nodes, r->node_count);
}

const struct document request_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct request),
	DOCUMENT_SOURCE(struct request, source), .check = request_check};

void
request_parse(jv document, struct request *request, struct problems *problems)
{
	struct place root = place_root(document, problems);

	document_parse(&request_table, &root, &request->arena, request);
}

void
request_release(struct request *request)
{
	struct arena arena = request->arena;

	document_release(&request_table, request);
	arena_release(&arena);
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

/* Returns whether the cluster's nodes have the host names that earlier versions gave: the first that has a name of ours tells. */
static bool
request_is_named_before(const struct request *request, const char *suffix)
{
	const struct cluster_request *asked = &request->cluster;
	struct arena names = {0};
	bool before = false, known = false;

	for (size_t i = 0; i < request->node_count && !known; i++) {
		const struct node *node = &request->nodes[i];
		const char *now = node_hostname(asked->name, asked->id, node->nodenum, suffix, &names);

		before = node->hostname && strcmp(node->hostname, now) != 0 &&
		    strcmp(node->hostname, node_hostname_before(asked->name, asked->id, node->nodenum, suffix, &names)) == 0;
		known = before || (node->hostname && strcmp(node->hostname, now) == 0);
	}
	arena_release(&names);
	return before;
}

void
request_name_node(const struct request *request, struct node *node, struct arena *arena)
{
	const struct cluster_request *asked = &request->cluster;
	const char *suffix = asked->dns_suffix ? asked->dns_suffix : request->template.default_dns_suffix;
	bool before = request_is_named_before(request, suffix);

	node->id = arena_printf(arena, "%s-%" PRId64, asked->id, node->nodenum);
	node->hostname = before ? node_hostname_before(asked->name, asked->id, node->nodenum, suffix, arena)
	                        : node_hostname(asked->name, asked->id, node->nodenum, suffix, arena);
}

size_t
request_service_index(const struct request *request, const char *service)
{
	const struct string_list *own = &request->cluster.services;
	const char **found = own->count ? bsearch(&service, own->list, own->count, sizeof *own->list, name_compare) : NULL;

	for (size_t i = 0; i < request->template.default_service_count && !own->count; i++)
		if (strcmp(request->template.default_services[i].name, service) == 0)
			return i;
	return found ? request->cluster.service_indexes[found - own->list] : SIZE_MAX;
}

const struct instance_bounds *
request_instances_rule(const struct request *request, size_t rule)
{
	size_t first = request->template.count_count - request->cluster.instances.count;

	return rule < first ? NULL : &request->cluster.instances.list[rule - first];
}

/* Adds the services that must coexist with one of the set, and those that must with them. */
static void
request_close_set(const struct service_sets *together, struct names *set)
{
	size_t before;

	do {
		before = set->count;
		for (size_t i = 0; i < together->count; i++) {
			bool any = false;

			for (size_t j = 0; j < together->list[i].count; j++)
				any = any || names_find(set, together->list[i].list[j]) != NAMES_NONE;
			for (size_t j = 0; j < together->list[i].count && any; j++)
				names_intern(set, together->list[i].list[j]);
		}
	} while (set->count > before);
}

void
request_find_scaled(const struct request *request, struct names *more, struct names *fewer)
{
	const struct instances *asked = &request->cluster.instances;

	for (size_t i = 0; i < asked->count; i++) {
		const struct instance_bounds *bounds = &asked->list[i];
		int64_t present = 0, staying = 0;

		for (size_t j = 0; j < request->node_count; j++) {
			bool here = !request->nodes[j].leaves && node_has(&request->nodes[j], bounds->service);

			present += here;
			staying += here && !request->nodes[j].replaced;
		}
		if (present < bounds->min)
			names_intern(more, bounds->service);
		else if (staying > bounds->max)
			names_intern(fewer, bounds->service);
	}
	request_close_set(&request->template.mustcoexist, more);
	request_close_set(&request->template.mustcoexist, fewer);
}
