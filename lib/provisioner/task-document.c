/* SPDX-License-Identifier: Apache-2.0 */
#include "provisioner/task-document.h"

#include <ctype.h>
#include <inttypes.h>
#include <sodium.h>
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

/* Returns the host key as Coopr's plugins have it, base64 alone; the caller frees it. */
static char *
task_document_key_alone(const char *key)
{
	const char *space = strchr(key, ' ');

	return memory_substring(space ? space + 1 : key, strcspn(space ? space + 1 : key, " "));
}

/* Returns the host key as known_hosts has it: its bytes begin with the name of the algorithm, and four bytes with the length of that. What is
 * none stays as it is. The caller frees it. */
static char *
task_document_key_named(const char *key)
{
	size_t size = strlen(key), length = 0, name = 0;
	unsigned char *bytes = memory_zeroed(size + 1, 1);
	bool is_key = sodium_base642bin(bytes, size, key, size, NULL, &length, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 && length > 4;
	char *named;

	if (is_key)
		name = (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
	is_key = is_key && name > 0 && name < length - 4 && strspn((char *)bytes + 4, "abcdefghijklmnopqrstuvwxyz0123456789-@.") >= name;
	named = is_key ? memory_printf("%.*s %s", (int)name, (char *)bytes + 4, key) : memory_string(key);
	free(bytes);
	return named;
}

/* Changes each host key that an object has. */
static void
task_document_change_keys(jv *object, char *(*change)(const char *key))
{
	jv keys = json_get(*object, "ssh_host_keys"), changed = jv_object();

	if (jv_get_kind(keys) != JV_KIND_OBJECT) {
		jv_free(keys);
		jv_free(changed);
		return;
	}
	jv_object_foreach(keys, name, key) {
		char *text = json_string(key) ? change(json_string(key)) : NULL;

		json_set(&changed, jv_string_value(name), text ? jv_string(text) : jv_copy(key));
		free(text);
		jv_free(name);
		jv_free(key);
	}
	jv_free(keys);
	json_set(object, "ssh_host_keys", changed);
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
	jv machine = json_get(record, "machine"), cluster = json_get(record, "cluster"), config = json_get_object(machine, "facts");
	char *service = json_get_string(record, "service"), *type = json_get_string(record, "type");

	task_document_change_keys(&config, task_document_key_alone);
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
	jv answer = jv_object(), facts = json_get(result, "result");

	json_set_string(&answer, "kind", "result");
	task_document_copy(&answer, result, members);
	if (jv_get_kind(facts) == JV_KIND_OBJECT) {
		task_document_change_keys(&facts, task_document_key_named);
		json_set(&answer, "result", jv_copy(facts));
	}
	jv_free(facts);
	return answer;
}
