/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/amend.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plural.h"
#include "base/process.h"
#include "base/suggest.h"
#include "catalogue/instances.h"
#include "json/record.h"
#include "model/layout.h"
#include "model/take/config.h"

enum { MACHINES_MOST = 1000 * 1000 };

/* Takes a member out of the object, to be put back changed: so it is nobody else's, and is not copied. */
static jv
amend_take_out(jv *object, const char *name)
{
	jv value = json_get(*object, name);

	*object = jv_object_delete(*object, jv_string(name));
	return value;
}

int
amend_nodes(jv *request, const char *layout, struct error *err)
{
	jv nodes = jv_array(), cluster = amend_take_out(request, "cluster"), record;
	double next = json_get_number(cluster, "nextNodenum", 0);
	struct record_reader reader;
	int got = record_reader_open(&reader, layout, err);

	while (got == 0 && (got = record_read(&reader, &record, err)) > 0) {
		bool is_node = strcmp(record_kind(record), "node") == 0;
		double after = is_node ? json_get_number(record, "nodenum", 0) + 1 : json_get_number(record, "nextNodenum", 0);

		/* The number of a node that has left is not given again. */
		if (after > next)
			next = after;
		/* There is nothing to do with a machine that was made only in part but to delete it. */
		if (is_node && !json_is(record, "services", JV_KIND_NULL) && !json_is(record, "unready", JV_KIND_TRUE))
			nodes = jv_array_append(nodes, jv_copy(record));
		jv_free(record);
		got = 0;
	}
	record_reader_release(&reader);
	if (next > 0)
		json_set_number(&cluster, "nextNodenum", next);
	json_set(request, "cluster", cluster);
	json_set(request, "nodes", nodes);
	return got;
}

void
amend_leave_empty(jv *request)
{
	jv nodes = amend_take_out(request, "nodes"), kept = jv_array();

	for (size_t i = 0; i < json_length(nodes); i++) {
		jv node = json_element(nodes, i), services = json_get(node, "services");

		if (json_length(services) > 0)
			kept = jv_array_append(kept, jv_copy(node));
		jv_free(services);
		jv_free(node);
	}
	jv_free(nodes);
	json_set(request, "nodes", kept);
}

void
amend_identity(jv *request, const char *id, const char *name, const char *owner)
{
	jv cluster = jv_object_delete(amend_take_out(request, "cluster"), jv_string("nextNodenum"));

	cluster = jv_object_delete(cluster, jv_string("address"));
	json_set_string(&cluster, "id", id);
	json_set_string(&cluster, "name", name);
	json_set_string(&cluster, "owner", owner);
	json_set(request, "cluster", cluster);
	json_set(request, "nodes", jv_array());
	*request = jv_object_delete(*request, jv_string("replace"));
}

static bool
amend_list_has(jv list, const char *name)
{
	bool has = false;

	for (size_t i = 0; i < json_length(list) && !has; i++) {
		jv value = json_element(list, i);

		has = json_string(value) && strcmp(json_string(value), name) == 0;
		jv_free(value);
	}
	return has;
}

/* Removes what is so called from the list; returns whether it was there. */
static bool
amend_list_remove(jv *list, const char *name)
{
	jv rest = jv_array();
	bool had;

	for (size_t i = 0; i < json_length(*list); i++) {
		jv value = json_element(*list, i);

		if (!json_string(value) || strcmp(json_string(value), name) != 0)
			rest = jv_array_append(rest, jv_copy(value));
		jv_free(value);
	}
	had = json_length(rest) < json_length(*list);
	jv_free(*list);
	*list = rest;
	return had;
}

/* Sets how many instances of a service are asked for; null: nothing is said of them. Takes the value. */
static void
amend_set_instances(jv *cluster, const char *service, jv value)
{
	jv instances = amend_take_out(cluster, "instances");

	if (jv_get_kind(instances) != JV_KIND_OBJECT) {
		jv_free(instances);
		instances = jv_object();
	}
	if (jv_get_kind(value) == JV_KIND_NULL) {
		instances = jv_object_delete(instances, jv_string(service));
		jv_free(value);
	} else {
		json_set(&instances, service, value);
	}
	if (json_length(instances))
		json_set(cluster, "instances", instances);
	else
		jv_free(instances);
}

static int
amend_no_service(jv services, const char *name, struct error *err)
{
	struct arguments names = {0};

	jv_array_foreach(services, i, service) {
		if (jv_get_kind(service) == JV_KIND_STRING)
			arguments_push(&names, jv_string_value(service));
		jv_free(service);
	}
	error_set(err, EX_NO, "the cluster has no service \"%s\"", name);
	suggest_or_name(err, name, (const char *const *)names.list);
	arguments_release(&names);
	return -1;
}

static int
amend_change_services(jv *cluster, const struct amendment *amendment, struct error *err)
{
	jv services = amend_take_out(cluster, "services");
	int result = 0;

	for (size_t i = 0; i < amendment->remove.count && result == 0; i++)
		if (!amend_list_remove(&services, amendment->remove.list[i]))
			result = amend_no_service(services, amendment->remove.list[i], err);
	if (result == 0 && json_length(services) == 0)
		result = error_set(err, EX_NO, "a cluster needs at least one service; coopr delete removes the cluster");
	for (size_t i = 0; i < amendment->add.count && result == 0; i++) {
		if (amend_list_remove(&services, amendment->add.list[i]))
			result = error_set(err, EX_NO, "the cluster has the service \"%s\" already; coopr start starts it, coopr scale changes how many "
			    "instances there are", amendment->add.list[i]);
		services = jv_array_append(services, jv_string(amendment->add.list[i]));
	}
	for (size_t i = 0; i < amendment->remove.count; i++)
		amend_set_instances(cluster, amendment->remove.list[i], jv_null());
	json_set(cluster, "services", jv_sort(services, jv_copy(services)));
	return result;
}

static int
amend_change_machines(jv *cluster, size_t present, const char *machines, int direction, struct error *err)
{
	bool relative = machines && (*machines == '+' || *machines == '-');
	char *end = NULL;
	int64_t count = machines ? strtoll(machines, &end, 10) : 0;

	if (end && (*end || end == machines || count > MACHINES_MOST || count < -MACHINES_MOST))
		return error_set(err, EX_USAGE, "'%s': expected a number of machines, or how many more (+2) or fewer (-1)",
		    machines);
	if (!machines || relative)
		count += (int64_t)present;
	if (count < 1)
		return error_set(err, EX_NO, "a cluster needs at least one machine; coopr delete removes the cluster");
	if ((direction > 0 && count <= (int64_t)present) || (direction < 0 && count >= (int64_t)present))
		return error_set(err, EX_NO, "it has %zu %s; %lld %s not %s%s", present, plural(present, "machine", "machines"),
		    (long long)count, plural(count, "is", "are"), direction > 0 ? "more" : "fewer", count == (int64_t)present ? ""
		    : direction > 0 ? "; coopr shrink takes machines away" : "; coopr expand adds machines");
	json_set_number(cluster, "numMachines", (double)count);
	return 0;
}

static double
amend_least_machines(jv request)
{
	jv template = json_get(request, "template"), constraints = json_get(template, "constraints"), size = json_get(constraints, "size");
	double least = json_get_number(size, "min", 1);

	jv_free(size);
	jv_free(constraints);
	jv_free(template);
	return least;
}

/* Lowers the template's least number of machines to count. */
static void
amend_lower_size(jv *cluster, jv request, double count)
{
	if (count > 0 && count < amend_least_machines(request) && count < json_get_number(*cluster, "minMachines", INFINITY))
		json_set_number(cluster, "minMachines", count);
}

/* Lowers it where a person insists on fewer machines, and for a cluster that has fewer already and does not shrink. */
static void
amend_keep_size(jv *cluster, jv request, const struct amendment *amendment, size_t present)
{
	double count = amendment->open ? 1 : json_get_number(*cluster, "numMachines", 0);

	if (amendment->insists)
		amend_lower_size(cluster, request, count);
	else if (amendment->open || count >= (double)present)
		amend_lower_size(cluster, request, (double)present);
}

void
amend_accept_size(jv *request)
{
	jv cluster = amend_take_out(request, "cluster");

	amend_lower_size(&cluster, *request, json_get_number(cluster, "numMachines", 0));
	json_set(request, "cluster", cluster);
}

static int64_t
amend_count_instances(jv nodes, const char *service)
{
	int64_t count = 0;

	for (size_t i = 0; i < json_length(nodes); i++) {
		jv node = json_element(nodes, i), services = json_get(node, "services");

		for (size_t j = 0; j < json_length(services); j++) {
			jv name = json_element(services, j);

			count += json_string(name) && strcmp(json_string(name), service) == 0;
			jv_free(name);
		}
		jv_free(services);
		jv_free(node);
	}
	return count;
}

/* Reads what is behind SERVICE=. Returns the value for amend_set_instances, or invalid. */
static jv
amend_read_instances(jv nodes, const char *service, const char *text, struct error *err)
{
	bool relative = *text == '+' || *text == '-';
	int64_t min, max, present;

	if (strcmp(text, "auto") == 0)
		return jv_null();
	if (!instances_read_range(text + relative, &min, &max) || (relative && min != max)) {
		error_set(err, EX_USAGE, "'%s=%s': expected a number of instances, how many more (+2) or fewer (-1), a range (2:4), or auto",
		    service, text);
		return jv_invalid();
	}
	if (!relative)
		return instances_value(min, max);
	present = amend_count_instances(nodes, service);
	if (*text == '-' && min > present) {
		error_set(err, EX_NO, "%s has %lld %s, and cannot have %lld fewer", service, (long long)present,
		    plural(present, "instance", "instances"), (long long)min);
		return jv_invalid();
	}
	min = *text == '+' ? present + min : present - min;
	return instances_value(min, min);
}

static int
amend_change_instances(jv *cluster, jv nodes, const struct string_list *changes, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < changes->count && result == 0; i++) {
		const char *text = changes->list[i], *range = strchr(text, '=');
		char *service = memory_printf("%.*s", range ? (int)(range - text) : 0, text);
		jv services = json_get(*cluster, "services"), value = jv_invalid();
		bool twice = false;

		for (size_t j = 0; j < i && range; j++)
			twice = twice || strncmp(changes->list[j], text, (size_t)(range - text) + 1) == 0;
		if (twice)
			error_set(err, EX_USAGE, "'%s': %s is named twice", text, service);
		else if (!range || !*service)
			error_set(err, EX_USAGE, "'%s': expected SERVICE=N, as apache=3, apache=+1 or apache=-1", text);
		else if (!amend_list_has(services, service))
			amend_no_service(services, service, err);
		else
			value = amend_read_instances(nodes, service, range + 1, err);
		if (jv_is_valid(value))
			amend_set_instances(cluster, service, value);
		else
			result = -1;
		jv_free(services);
		free(service);
	}
	return result;
}

/* Leaves the number of machines open, within the range. */
static void
amend_open_machines(jv *cluster, const struct amendment *amendment)
{
	int64_t min = amendment->machines_min, max = amendment->machines_max;

	if (min || max)
		json_set(cluster, "numMachines", instances_value(min, max ? max : INT64_MAX));
	else
		*cluster = jv_object_delete(*cluster, jv_string("numMachines"));
}

int
amend_settle_machines(jv *request, const char *text, struct error *err)
{
	struct layout layout;
	int64_t machines = 0;
	int result = layout_parse_text(text, &layout, err);
	jv cluster;

	for (size_t i = 0; result == 0 && i < layout.node_count; i++)
		machines += !layout.nodes[i].leaves;
	layout_release(&layout);
	if (result < 0)
		return -1;
	cluster = amend_take_out(request, "cluster");
	json_set_number(&cluster, "numMachines", (double)machines);
	json_set(request, "cluster", cluster);
	return 0;
}

static int
amend_change_config(jv *cluster, const struct amendment *amendment, struct error *err)
{
	jv config = amend_take_out(cluster, "config");
	int result = 0;

	if (jv_is_valid(amendment->config)) {
		jv_free(config);
		config = jv_copy(amendment->config);
	}
	for (size_t i = 0; i < amendment->settings.count && result == 0; i++)
		result = config_set(&config, amendment->settings.list[i], err);
	if (result == 0)
		result = config_check_hidden(config, err);
	json_set(cluster, "config", config);
	return result;
}

static void
amend_change_members(jv *cluster, jv members)
{
	jv names = jv_get_kind(members) == JV_KIND_OBJECT ? jv_keys(jv_copy(members)) : jv_array();

	for (size_t i = 0; i < json_length(names); i++) {
		jv name = json_element(names, i), value = json_get(members, json_string(name));

		if (jv_get_kind(value) == JV_KIND_NULL)
			*cluster = jv_object_delete(*cluster, jv_copy(name));
		else
			json_set(cluster, json_string(name), jv_copy(value));
		jv_free(value);
		jv_free(name);
	}
	jv_free(names);
}

/* Returns the id of the node of that id or host name, owned; invalid where there is none. */
static jv
amend_find_node(jv nodes, const char *name)
{
	jv found = jv_invalid();

	for (size_t i = 0; i < json_length(nodes) && !jv_is_valid(found); i++) {
		jv node = json_element(nodes, i), id = json_get(node, "id"), hostname = json_get(node, "hostname");

		if ((json_string(id) && strcmp(json_string(id), name) == 0) ||
		    (json_string(hostname) && strcmp(json_string(hostname), name) == 0))
			found = jv_copy(id);
		jv_free(hostname);
		jv_free(id);
		jv_free(node);
	}
	return found;
}

static int
amend_replace_nodes(jv *request, jv nodes, const struct string_list *names, struct error *err)
{
	jv list = jv_array();

	for (size_t i = 0; i < names->count; i++) {
		jv id = amend_find_node(nodes, names->list[i]);

		if (!jv_is_valid(id)) {
			jv_free(list);
			return error_set(err, EX_NO, "the cluster has no node \"%s\"", names->list[i]);
		}
		list = jv_array_append(list, id);
	}
	if (names->count)
		json_set(request, "replace", list);
	else
		jv_free(list);
	return 0;
}

int
amend_request(jv *request, const struct amendment *amendment, struct error *err)
{
	jv cluster = amend_take_out(request, "cluster"), nodes = json_get(*request, "nodes");
	int result = amend_change_services(&cluster, amendment, err);

	if (result == 0)
		result = amend_change_instances(&cluster, nodes, &amendment->instances, err);
	if (amendment->open)
		amend_open_machines(&cluster, amendment);
	else if (result == 0)
		result = amend_change_machines(&cluster, json_length(nodes), amendment->machines, amendment->direction, err);
	amend_keep_size(&cluster, *request, amendment, json_length(nodes));
	if (result == 0)
		result = amend_change_config(&cluster, amendment, err);
	amend_change_members(&cluster, amendment->members);
	json_set(request, "cluster", cluster);
	*request = jv_object_delete(*request, jv_string("replace"));
	if (result == 0)
		result = amend_replace_nodes(request, nodes, &amendment->replace, err);
	jv_free(nodes);
	return result;
}

void
amend_definitions(jv *request, jv other, const char *list, const char *name)
{
	jv entities = amend_take_out(request, list), more = json_get(other, list);

	for (size_t i = 0; i < json_length(more); i++) {
		jv entity = json_element(more, i);
		char *its_name = json_get_string(entity, "name");

		if (its_name && (!name || strcmp(its_name, name) == 0) && !json_array_has(entities, "name", its_name))
			entities = jv_array_append(entities, jv_copy(entity));
		free(its_name);
		jv_free(entity);
	}
	jv_free(more);
	json_set(request, list, entities);
}
