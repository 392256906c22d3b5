/* SPDX-License-Identifier: Apache-2.0 */
#include "provisioner/task-document.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

char *
task_document_id(const char *job, const char *task, int64_t attempt)
{
	/* No id has a "+"; and it stands in the names of files there. */
	return memory_printf("%s+%s+%" PRId64, job, task, attempt);
}

/* Copies members that are there. */
static void
task_document_copy(jv *to, jv from, const char *const *names)
{
	for (; *names; names++) {
		jv value = json_get(from, *names);

		if (jv_is_valid(value) && jv_get_kind(value) != JV_KIND_NULL)
			json_set(to, *names, value);
		else
			jv_free(value);
	}
}

static void
task_document_set_object(jv *object, const char *name, jv value)
{
	if (jv_get_kind(value) == JV_KIND_OBJECT) {
		json_set(object, name, value);
	} else {
		jv_free(value);
		json_set(object, name, jv_object());
	}
}

/* Returns what is told of the other nodes, by their ids. */
static jv
task_document_nodes(const char *lines)
{
	static const char *const members[] = {"hostname", "nodenum", "services", NULL};
	jv nodes = jv_object();
	struct error err;

	while (*lines) {
		size_t length = strcspn(lines, "\n");
		jv node, its = jv_object();

		if (json_parse("a node", lines, length, &node, &err) == 0) {
			char *id = json_get_string(node, "id");

			task_document_copy(&its, node, members);
			task_document_set_object(&its, "ipaddresses", json_get(node, "ipaddresses"));
			if (id)
				json_set(&nodes, id, jv_copy(its));
			free(id);
			jv_free(node);
		}
		jv_free(its);
		lines += length + (lines[length] == '\n');
	}
	return nodes;
}

/* Returns the service of a task, with the action that it does. */
static jv
task_document_service(jv record, const char *name)
{
	jv service = jv_object(), action = jv_object();

	json_set(&action, "type", json_get(record, "type"));
	task_document_set_object(&action, "fields", json_get(record, "fields"));
	json_set_string(&service, "name", name);
	json_set(&service, "action", action);
	return service;
}

/* Returns the settings of a task. What results have told of the node stands among them, and replaces none. */
static jv
task_document_config(jv record, const char *nodes)
{
	static const char *const members[] = {"flavor", "hardwaretype", "hostname", "image", "imagetype", "nodenum", "services",
		"sshuser", NULL};
	jv machine = json_get(record, "machine"), cluster = json_get(record, "cluster"), config = json_get(machine, "facts");
	char *service = json_get_string(record, "service"), *type = json_get_string(record, "type");

	if (jv_get_kind(config) != JV_KIND_OBJECT) {
		jv_free(config);
		config = jv_object();
	}
	task_document_copy(&config, machine, members);
	task_document_set_object(&config, "ipaddresses", json_get(machine, "ipaddresses"));
	task_document_set_object(&config, "cluster", json_get(cluster, "config"));
	task_document_set_object(&config, "provider", json_get(cluster, "provider"));
	json_set(&config, "nodes", task_document_nodes(nodes));
	json_set(&config, "automators", json_strings((const char *const[]){type ? type : ""}, service ? 1 : 0));
	if (service)
		json_set(&config, "service", task_document_service(record, service));
	free(service);
	free(type);
	jv_free(cluster);
	jv_free(machine);
	return config;
}

/* Names the automator that a node is bootstrapped for: each has a task of its own. */
static void
task_document_bootstrap(jv record, jv *config)
{
	char *type = json_get_string(record, "type");

	json_set(config, "automators", json_strings((const char *const[]){type ? type : ""}, 1));
	free(type);
}

jv
task_document(jv record, const char *nodes)
{
	char *job = json_get_string(record, "job"), *task = json_get_string(record, "id"), *action = json_get_string(record, "action"), *id;
	jv document = jv_object(), cluster = json_get(record, "cluster"), config = task_document_config(record, nodes);

	id = task_document_id(job ? job : "", task ? task : "", (int64_t)json_get_number(record, "attempt", 1));
	if (action && strcmp(action, "bootstrap") == 0)
		task_document_bootstrap(record, &config);
	for (char *at = action; at && *at; at++)
		*at = (char)toupper((unsigned char)*at);
	json_set_string(&document, "taskId", id);
	json_set_string(&document, "jobId", job);
	json_set(&document, "clusterId", json_get(cluster, "id"));
	json_set_string(&document, "taskName", action);
	json_set(&document, "nodeId", json_get(record, "node"));
	json_set(&document, "config", config);
	jv_free(cluster);
	free(job);
	free(task);
	free(action);
	free(id);
	return document;
}

jv
task_document_answer(jv result)
{
	static const char *const members[] = {"hostname", "ipaddresses", "message", "result", "status", "stderr", "stdout", NULL};
	jv answer = jv_object();

	json_set_string(&answer, "kind", "result");
	task_document_copy(&answer, result, members);
	return answer;
}
