/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "catalogue/catalogue.h"
#include "catalogue/instances.h"
#include "model/name.h"
#include "model/take/config.h"

struct draft { /* while it is made */
	const struct catalogue *catalogue;
	const struct order *order;
	struct arena arena;
	struct problems problems; /* stays empty: the catalogue is well-formed */
	jv document; /* of the template, merged */
	struct cluster_template template;
	const struct entity *provider;
	struct string_list services; /* chosen, sorted */
	struct names hardwaretypes, imagetypes, used; /* on the nodes that are there */
};

/* Eight digits drawn from tenant and name: the id of a cluster that nobody has given one. */
static void
compose_id(const char *tenant, const char *name, char id[static 9])
{
	uint64_t hash = hash_bytes(HASH_START, tenant, strlen(tenant) + 1);

	hash = hash_bytes(hash, name, strlen(name) + 1);
	snprintf(id, 9, "%08u", (unsigned)(hash % 99999999 + 1));
}

static int
compose_find_template(struct draft *draft, struct error *err)
{
	struct place root;

	draft->document = catalogue_template(draft->catalogue, draft->order->template, err);
	if (!jv_is_valid(draft->document))
		return -1;
	root = place_root(draft->document, &draft->problems);
	cluster_template_parse(&root, &draft->arena, &draft->template);
	name_set_make(&draft->template.compatible_hardwaretypes);
	name_set_make(&draft->template.compatible_imagetypes);
	return 0;
}

static int
compose_find_provider(struct draft *draft, struct error *err)
{
	const char *name = draft->order->provider ? draft->order->provider : draft->template.default_provider;

	if (!name)
		return error_set(err, EX_NO, "the template \"%s\" has no default provider: one has to be named",
		    draft->template.name);
	draft->provider = catalogue_need(draft->catalogue, ENTITY_PROVIDER, name, err);
	return draft->provider ? 0 : -1;
}

static int
compose_find_services(struct draft *draft, struct error *err)
{
	const struct cluster_template *template = &draft->template;
	size_t count = draft->order->services.count;

	draft->services.count = count ? count : template->default_service_count;
	draft->services.list = arena_alloc(&draft->arena, draft->services.count, sizeof *draft->services.list);
	for (size_t i = 0; i < draft->services.count; i++)
		draft->services.list[i] = count ? draft->order->services.list[i] : template->default_services[i].name;
	name_set_make(&draft->services);
	if (!draft->services.count)
		return error_set(err, EX_NO, "the template \"%s\" has no default services: some have to be named",
		    template->name);
	for (size_t i = 0; i < draft->services.count; i++)
		if (!catalogue_need(draft->catalogue, ENTITY_SERVICE, draft->services.list[i], err))
			return -1;
	return 0;
}

/* Adds the types that the present nodes are made of. */
static void
compose_note_nodes(struct draft *draft)
{
	struct place root = place_root(draft->order->nodes, &draft->problems);

	for (size_t i = 0; i < json_length(root.value); i++) {
		struct place node = place_element(&root, i);
		struct string_list services = name_list_parse(&node, "services", &draft->arena);
		const char *hardwaretype = name_parse(&node, "hardwaretype", NEED_OPTIONAL, &draft->arena);
		const char *imagetype = name_parse(&node, "imagetype", NEED_OPTIONAL, &draft->arena);

		for (size_t j = 0; j < services.count; j++)
			names_intern(&draft->used, services.list[j]);
		if (hardwaretype)
			names_intern(&draft->hardwaretypes, hardwaretype);
		if (imagetype)
			names_intern(&draft->imagetypes, imagetype);
	}
}

/* Tells whether a hardware or image type is part of the request: it is asked for, present, or the template allows it and the
 * provider has it. */
static bool
compose_wants_type(const char *name, const char *asked, const struct names *present, const struct string_list *compatible,
    bool is_offered)
{
	if ((asked && strcmp(asked, name) == 0) || names_find(present, name) != NAMES_NONE)
		return true;
	return is_offered && (!compatible->count || name_set_has(compatible, name));
}

static bool
compose_wants(const struct draft *draft, const struct entity *entity)
{
	const struct cluster_template *template = &draft->template;
	const char *name = entity->name, *provider = draft->provider->name;

	switch (entity->kind) {
	case ENTITY_HARDWARETYPE:
		return compose_wants_type(name, draft->order->hardwaretype, &draft->hardwaretypes,
		    &template->compatible_hardwaretypes, hardwaretype_offer(&entity->hardwaretype, provider));
	case ENTITY_IMAGETYPE:
		return compose_wants_type(name, draft->order->imagetype, &draft->imagetypes, &template->compatible_imagetypes,
		    imagetype_offer(&entity->imagetype, provider));
	case ENTITY_SERVICE:
		return name_set_has(&draft->services, name) || names_find(&draft->used, name) != NAMES_NONE;
	default:
		return false;
	}
}

static void
compose_set_entities(const struct draft *draft, enum entity_kind kind, jv *request)
{
	const struct catalogue *catalogue = draft->catalogue;
	jv list = jv_array();

	for (size_t i = catalogue->first[kind]; i < catalogue->first[kind + 1]; i++)
		if (compose_wants(draft, &catalogue->entities[i]))
			list = jv_array_append(list, jv_copy(catalogue->entities[i].source));
	json_set(request, entity_kind_folder(kind), list);
}

static int
compose_set_config(const struct draft *draft, jv *cluster, struct error *err)
{
	const struct order *order = draft->order;
	jv config = jv_is_valid(order->config) ? jv_copy(order->config) : config_of_template(draft->document);
	int result = 0;

	for (size_t i = 0; i < order->changes.count && result == 0; i++)
		result = config_set(&config, order->changes.list[i], err);
	if (result == 0)
		result = config_check_hidden(config, err);
	json_set(cluster, "config", config);
	return result;
}

static void
compose_set_machines(const struct draft *draft, jv *cluster)
{
	const struct order *order = draft->order;
	int64_t least = order->machines_min > 1 ? order->machines_min : 1;
	jv range;

	if (order->insists && least < draft->template.size_min)
		json_set_number(cluster, "minMachines", (double)least);
	if (!order->machines_min && !order->machines_max)
		return;
	if (order->machines_min == order->machines_max) {
		json_set_number(cluster, "numMachines", (double)order->machines_min);
		return;
	}
	range = jv_object();
	if (order->machines_min)
		json_set_number(&range, "min", (double)order->machines_min);
	if (order->machines_max)
		json_set_number(&range, "max", (double)order->machines_max);
	json_set(cluster, "numMachines", range);
}

/* Fails where the cluster has no service of which instances are asked for. */
static int
compose_set_instances(const struct draft *draft, jv *cluster, struct error *err)
{
	const struct instances *instances = &draft->order->instances;
	jv asked = jv_object();

	for (size_t i = 0; i < instances->count; i++) {
		const struct instance_bounds *bounds = &instances->list[i];

		if (!name_set_has(&draft->services, bounds->service)) {
			jv_free(asked);
			return error_set(err, EX_NO, "instances of \"%s\" are asked for, but it is not one of the cluster's services",
			    bounds->service);
		}
		json_set(&asked, bounds->service, instances_value(bounds->min, bounds->max));
	}
	if (instances->count)
		json_set(cluster, "instances", asked);
	else
		jv_free(asked);
	return 0;
}

static void
compose_set_text(jv *object, const char *name, const char *text)
{
	if (text)
		json_set_string(object, name, text);
}

static jv
compose_make_cluster(const struct draft *draft, struct error *err)
{
	const struct order *order = draft->order;
	const char *suffix = order->dns_suffix ? order->dns_suffix : draft->template.default_dns_suffix;
	jv cluster = jv_object();
	char id[9];

	compose_id(order->tenant, order->name, id);
	compose_set_text(&cluster, "catalogue", order->catalogue);
	compose_set_text(&cluster, "dnsSuffix", suffix);
	compose_set_text(&cluster, "hardwaretype", order->hardwaretype);
	compose_set_text(&cluster, "id", order->id ? order->id : id);
	compose_set_text(&cluster, "imagetype", order->imagetype);
	compose_set_text(&cluster, "name", order->name);
	compose_set_text(&cluster, "owner", order->owner);
	compose_set_text(&cluster, "tenant", order->tenant);
	json_set(&cluster, "services", json_strings(draft->services.list, draft->services.count));
	if (order->next_nodenum)
		json_set_number(&cluster, "nextNodenum", (double)order->next_nodenum);
	compose_set_machines(draft, &cluster);
	if (compose_set_instances(draft, &cluster, err) == 0 && compose_set_config(draft, &cluster, err) == 0)
		return cluster;
	jv_free(cluster);
	return jv_invalid();
}

static jv
compose_make_request(const struct draft *draft, struct error *err)
{
	const struct order *order = draft->order;
	jv cluster = compose_make_cluster(draft, err), request;

	if (!jv_is_valid(cluster))
		return cluster;
	request = jv_object();
	json_set_string(&request, "kind", "request");
	json_set(&request, "cluster", cluster);
	json_set(&request, "template", jv_copy(draft->document));
	json_set(&request, "provider", jv_copy(draft->provider->source));
	compose_set_entities(draft, ENTITY_HARDWARETYPE, &request);
	compose_set_entities(draft, ENTITY_IMAGETYPE, &request);
	compose_set_entities(draft, ENTITY_SERVICE, &request);
	json_set(&request, "nodes", jv_is_valid(order->nodes) ? jv_copy(order->nodes) : jv_array());
	if (order->replace.count)
		json_set(&request, "replace", json_strings(order->replace.list, order->replace.count));
	return request;
}

jv
compose_request(const struct catalogue *catalogue, const struct order *order, struct error *err)
{
	struct draft draft = {.catalogue = catalogue, .order = order};
	jv request = {0};

	/* Types that are asked for by name have to be there; whether they may be used is for the solver to say. */
	if (compose_find_template(&draft, err) == 0 && compose_find_provider(&draft, err) == 0 &&
	    compose_find_services(&draft, err) == 0 &&
	    (!order->hardwaretype || catalogue_need(catalogue, ENTITY_HARDWARETYPE, order->hardwaretype, err)) &&
	    (!order->imagetype || catalogue_need(catalogue, ENTITY_IMAGETYPE, order->imagetype, err))) {
		compose_note_nodes(&draft);
		request = compose_make_request(&draft, err);
	}
	jv_free(draft.template.source);
	jv_free(draft.document);
	names_release(&draft.hardwaretypes);
	names_release(&draft.imagetypes);
	names_release(&draft.used);
	problems_release(&draft.problems);
	arena_release(&draft.arena);
	return request;
}
