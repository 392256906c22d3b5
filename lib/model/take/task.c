/* SPDX-License-Identifier: Apache-2.0 */
#include "model/take/task.h"

#include <string.h>

#include "base/error.h"
#include "json/record.h"
#include "model/document.h"
#include "model/name.h"

enum { SSH_PORT = 22, TIMEOUT_MAX_S = 30 * 86400 };

/* A host key as ssh_host_keys has it: algorithm and key, as in a line of known_hosts. */
static bool
task_is_host_key(const char *text)
{
	size_t algorithm = text ? strcspn(text, " ") : 0;

	return algorithm && text[algorithm] == ' ' && text[algorithm + 1] && !strpbrk(text, "\r\n#,*");
}

/* The values of {"ed25519":"ssh-ed25519 AAAA..."}, by name of algorithm. */
static struct string_list
task_parse_host_keys(const struct place *facts, struct arena *arena)
{
	struct place keys = place_member(facts, "ssh_host_keys"), key;
	struct members members;
	struct string_list list = {0};

	if (!place_object(&keys, NEED_OPTIONAL))
		return list;
	list.list = arena_alloc(arena, json_length(keys.value), sizeof *list.list);
	members = members_of(&keys);
	while (members_next(&members, &key))
		if (task_is_host_key(json_string(key.value)))
			list.list[list.count++] = arena_string(arena, json_string(key.value));
		else
			place_problem(&key, "expected a host key on one line: \"ssh-ed25519 AAAA...\"");
	return list;
}

static const char *
task_parse_address(const struct place *node, struct arena *arena)
{
	static const char *const types[] = {"access_v4", "access_v6", "bind_v4", "bind_v6"};
	struct place addresses = place_member(node, "ipaddresses");
	const char *found = NULL;

	if (place_object(&addresses, NEED_OPTIONAL))
		for (size_t i = 0; i < sizeof types / sizeof *types && !found; i++)
			found = name_parse_as(&addresses, types[i], NEED_OPTIONAL, name_is_host, "address", arena);
	return found;
}

static void
task_parse_facts(const struct place *facts, struct arena *arena, struct machine *machine)
{
	struct place auth = place_member(facts, "ssh-auth");
	const char *user;

	machine->providerid = place_string(facts, "providerid", NEED_OPTIONAL, arena);
	machine->host_keys = task_parse_host_keys(facts, arena);
	if (!place_object(&auth, NEED_OPTIONAL))
		return;
	user = name_parse_as(&auth, "user", NEED_OPTIONAL, name_is_user, "user", arena);
	machine->user = user ? user : machine->user;
	machine->identityfile = place_string(&auth, "identityfile", NEED_OPTIONAL, arena);
	machine->port = place_integer(&auth, "port", SSH_PORT, 1, 65535);
}

void
machine_parse(const struct place *node, struct arena *arena, struct machine *machine)
{
	struct place facts;

	machine->user = "root";
	machine->port = SSH_PORT;
	if (!place_object(node, NEED_OPTIONAL))
		return;
	machine->id = name_parse(node, "id", NEED_REQUIRED, arena);
	machine->nodenum = place_integer(node, "nodenum", 0, 0, INT32_MAX);
	machine->hostname = name_parse_as(node, "hostname", NEED_OPTIONAL, name_is_host, "host name", arena);
	machine->zone = place_string(node, "zone", NEED_OPTIONAL, arena);
	machine->flavor = place_string(node, "flavor", NEED_OPTIONAL, arena);
	machine->address = task_parse_address(node, arena);
	machine->user = name_parse_as(node, "sshuser", NEED_OPTIONAL, name_is_user, "user", arena);
	facts = place_member(node, "facts");
	if (place_object(&facts, NEED_OPTIONAL))
		task_parse_facts(&facts, arena, machine);
	if (!machine->user)
		machine->user = "root";
}

static void
task_parse_cluster(const struct place *root, struct task *task)
{
	struct place cluster = place_member(root, "cluster"), member;

	if (!place_object(&cluster, NEED_OPTIONAL))
		return;
	task->cluster = place_string(&cluster, "name", NEED_OPTIONAL, &task->arena);
	task->cluster_id = place_string(&cluster, "id", NEED_OPTIONAL, &task->arena);
	task->catalogue = place_string(&cluster, "catalogue", NEED_OPTIONAL, &task->arena);
	member = place_member(&cluster, "config");
	if (place_object(&member, NEED_OPTIONAL))
		task->config = member.value;
	member = place_member(&cluster, "unexpanded");
	if (place_array(&member, NEED_OPTIONAL))
		task->unexpanded = member.value;
	member = place_member(&cluster, "provider");
	if (place_object(&member, NEED_OPTIONAL))
		task->provider = member.value;
}

static enum action
task_parse_action(const struct place *root, struct arena *arena)
{
	const char *name = place_string(root, "action", NEED_REQUIRED, arena);
	enum action action = name ? action_of_name(name) : ACTION_NONE;
	struct place place = place_member(root, "action");

	if (name && action == ACTION_NONE)
		place_problem(&place, "there is no action \"%s\"", name);
	return action;
}

static void
task_parse_fields(const struct place *root, struct task *task)
{
	struct place cluster = place_member(root, "cluster"), provider = place_member(&cluster, "provider");
	struct place fields = action_is_providers(task->action) ? place_member(&provider, "provisioner")
	                                               : place_member(root, "fields");

	if (place_object(&fields, NEED_OPTIONAL))
		task->fields = fields.value;
}

static void
task_parse(struct task *task, struct problems *problems)
{
	struct place root = place_root(task->source, problems), node = place_member(&root, "machine");
	struct arena *arena = &task->arena;

	task->job = name_parse(&root, "job", NEED_OPTIONAL, arena);
	task->id = name_parse(&root, "id", NEED_REQUIRED, arena);
	task->attempt = place_integer(&root, "attempt", 1, 1, INT32_MAX);
	task->action = task_parse_action(&root, arena);
	task->service = name_parse(&root, "service", NEED_OPTIONAL, arena);
	task->type = name_parse(&root, "type", NEED_REQUIRED, arena);
	task->timeout_s = place_integer(&root, "timeout_s", ACTION_TIMEOUT_S, 1, TIMEOUT_MAX_S);
	task->log = place_string(&root, "log", NEED_OPTIONAL, arena);
	task->nodes = place_string(&root, "nodes", NEED_OPTIONAL, arena);
	task->token = place_string(&root, "token", NEED_OPTIONAL, arena);
	if (!task->token && task->id)
		task->token = arena_printf(arena, "%s:%s", task->job ? task->job : "-", task->id);
	task_parse_cluster(&root, task);
	task_parse_fields(&root, task);
	machine_parse(&node, arena, &task->machine);
}

/* A task that can be released, and is nothing else yet. */
static void
task_init(struct task *task)
{
	*task = (struct task){.source = jv_invalid(), .handed = jv_invalid(), .fields = jv_invalid(), .config = jv_invalid(),
	    .unexpanded = jv_invalid(), .provider = jv_invalid()};
}

int
task_take(jv record, const char *name, struct task *task, struct problems *problems, struct error *err)
{
	const char *kind = record_kind(record);

	task_init(task);
	task->source = jv_copy(record);
	if (!kind || strcmp(kind, "task") != 0)
		return error_set(err, EX_DATAERR, "%s: expected a task as coopr-queue take prints it, found kind \"%s\"",
		    name, kind ? kind : "");
	task_parse(task, problems);
	return 0;
}

int
task_read(int fd, const char *name, struct task *task, struct problems *problems, struct error *err)
{
	struct record_reader reader;
	jv record, more;
	int got;

	task_init(task);
	record_reader_init(&reader, fd, name);
	got = record_read(&reader, &record, err);
	if (got == 0)
		got = error_set(err, EX_NOINPUT, "%s: there is no task", name);
	if (got > 0) {
		got = task_take(record, name, task, problems, err);
		jv_free(record);
		if (got == 0 && (got = record_read(&reader, &more, err)) > 0) {
			jv_free(more);
			got = error_set(err, EX_DATAERR, "%s: more than one record; one task is done at a time", name);
		}
	}
	record_reader_release(&reader);
	return got;
}

void
task_forget(struct task *task)
{
	jv_free(task->source);
	task->source = task->fields = task->config = task->unexpanded = task->provider = jv_invalid();
}

void
task_release(struct task *task)
{
	jv_free(task->source);
	jv_free(task->handed);
	arena_release(&task->arena);
}

const char *
task_plugin_kind(enum action action)
{
	return action_is_providers(action) ? "provider" : "automator";
}
