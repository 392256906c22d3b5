/* SPDX-License-Identifier: Apache-2.0 */
#include "automator/attributes.h"

#include <stdlib.h>
#include <string.h>

#include "json/record.h"
#include "model/take/task.h"

jv
attributes_config(const struct task *task)
{
	jv config = jv_get_kind(task->config) == JV_KIND_OBJECT ? jv_copy(task->config) : jv_object(), reads = json_get(task->fields, "config");
	jv read = jv_object();

	if (jv_get_kind(reads) != JV_KIND_ARRAY) {
		jv_free(reads);
		jv_free(read);
		return config;
	}
	for (size_t i = 0; i < json_length(reads); i++) {
		jv name = json_element(reads, i), value = jv_invalid();

		if (json_string(name))
			value = json_get(config, json_string(name));
		if (jv_is_valid(value))
			json_set(&read, json_string(name), value);
		else
			jv_free(value);
		jv_free(name);
	}
	jv_free(reads);
	jv_free(config);
	return read;
}

static void
attributes_copy(jv from, const char *const *names, jv *to)
{
	for (; *names; names++) {
		jv value = json_get(from, *names);

		if (jv_is_valid(value))
			json_set(to, *names, value);
		else
			jv_free(value);
	}
}

/* Returns the services of a node, without those that are about to stop there: without has the ids of their nodes by service. */
static jv
attributes_services(jv node, const char *id, jv without)
{
	jv services = json_get(node, "services"), left = jv_array();

	for (size_t i = 0; i < json_length(services); i++) {
		jv service = json_element(services, i), hidden = jv_invalid();

		if (json_string(service))
			hidden = json_get(without, json_string(service));
		if (!json_array_has(hidden, NULL, id))
			left = jv_array_append(left, jv_copy(service));
		jv_free(hidden);
		jv_free(service);
	}
	jv_free(services);
	return left;
}

/* Adds a node by its id; of several records with one id the last counts. One whose services are null leaves. */
static void
attributes_add_node(jv *nodes, jv record, jv without)
{
	static const char *const members[] = {"hostname", "nodenum", "ipaddresses", NULL};
	jv services = json_get(record, "services"), node = jv_object();
	char *id = json_get_string(record, "id");

	if (id && jv_get_kind(services) == JV_KIND_NULL) {
		*nodes = jv_object_delete(*nodes, jv_string(id));
	} else if (id) {
		json_set(&node, "ipaddresses", jv_object());
		attributes_copy(record, members, &node);
		json_set(&node, "services", attributes_services(record, id, without));
		json_set(nodes, id, jv_copy(node));
	}
	free(id);
	jv_free(services);
	jv_free(node);
}

static int
attributes_read_nodes(const struct task *task, jv *nodes, struct error *err)
{
	jv without = json_get(task->source, "without"), record;
	struct record_reader reader;
	int got = 0;

	*nodes = jv_object();
	if (task->nodes && record_reader_open(&reader, task->nodes, err) == 0) {
		while ((got = record_read(&reader, &record, err)) > 0) {
			attributes_add_node(nodes, record, without);
			jv_free(record);
		}
		record_reader_release(&reader);
	} else if (task->nodes) {
		got = -1;
	}
	jv_free(without);
	return got;
}

int
attributes_coopr(const struct task *task, jv *out, struct error *err)
{
	static const char *const members[] = {"hostname", "nodenum", "ipaddresses", "services", NULL};
	jv machine = json_get(task->source, "machine"), nodes;
	int got = attributes_read_nodes(task, &nodes, err);

	*out = jv_object();
	attributes_copy(machine, members, out);
	json_set_string(out, "action", action_name(task->action));
	json_set_string(out, "service", task->service);
	json_set_string(out, "clusterId", task->cluster_id);
	json_set(out, "nodes", nodes);
	jv_free(machine);
	return got;
}

int
attributes_all(const struct task *task, jv *out, struct error *err)
{
	jv told = jv_object(), coopr;
	int got = attributes_coopr(task, &coopr, err);

	json_set(&told, "coopr", coopr);
	*out = jv_object_merge_recursive(attributes_config(task), told);
	return got;
}

static jv
attributes_change_members(jv object, jv (*change_text)(jv), jv (*change_name)(jv))
{
	jv changed = jv_object();

	for (int at = jv_object_iter(object); jv_object_iter_valid(object, at); at = jv_object_iter_next(object, at)) {
		jv key = jv_object_iter_key(object, at), value = jv_object_iter_value(object, at);

		changed = jv_object_set(changed, change_name ? change_name(key) : jv_copy(key), attributes_change_texts(value, change_text, change_name));
		jv_free(value);
		jv_free(key);
	}
	return changed;
}

jv
attributes_change_texts(jv value, jv (*change_text)(jv), jv (*change_name)(jv))
{
	jv changed;

	switch (jv_get_kind(value)) {
	case JV_KIND_STRING:
		return change_text(value);
	case JV_KIND_OBJECT:
		return attributes_change_members(value, change_text, change_name);
	case JV_KIND_ARRAY:
		changed = jv_array();
		for (size_t i = 0; i < json_length(value); i++) {
			jv element = json_element(value, i);

			changed = jv_array_append(changed, attributes_change_texts(element, change_text, change_name));
			jv_free(element);
		}
		return changed;
	default:
		return jv_copy(value);
	}
}
