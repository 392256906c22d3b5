/* SPDX-License-Identifier: Apache-2.0 */
#include "model/take/task.h"

#include <string.h>

#include "base/error.h"
#include "json/record.h"
#include "model/document.h"
#include "model/name.h"

enum { SSH_PORT = 22 };

/* Tells whether text is an algorithm and a key, as in a line of known_hosts. */
static bool
task_is_host_key(const char *text)
{
	size_t algorithm = text ? strcspn(text, " ") : 0;

	return algorithm && text[algorithm] == ' ' && text[algorithm + 1] && !strpbrk(text, "\r\n#,*");
}

/* Takes the values of {"ed25519":"ssh-ed25519 AAAA..."}, by name of algorithm. */
static void
task_parse_host_keys(const struct place *keys, const struct member *member, struct arena *arena, void *to)
{
	struct string_list *list = &((struct machine *)to)->host_keys;
	struct members members;
	struct place key;

	(void)member;
	if (!place_object(keys, NEED_OPTIONAL))
		return;
	list->list = arena_alloc(arena, json_length(keys->value), sizeof *list->list);
	members = members_of(keys);
	while (members_next(&members, &key))
		if (task_is_host_key(json_string(key.value)))
			list->list[list->count++] = arena_string(arena, json_string(key.value));
		else
			place_problem(&key, "expected a host key on one line: \"ssh-ed25519 AAAA...\"");
}

/* Takes who gives the machine the names of the others. */
static void
task_parse_names(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct machine *machine = to;

	(void)member;
	(void)arena;
	machine->names_in_hosts = json_string(place->value) && strcmp(json_string(place->value), "hosts") == 0;
}

/* Takes the first address of those by which the node may be reached. */
static void
task_parse_address(const struct place *addresses, const struct member *member, struct arena *arena, void *to)
{
	static const char *const types[] = {"access_v4", "access_v6", "bind_v4", "bind_v6"};
	struct machine *machine = to;

	(void)member;
	if (place_object(addresses, NEED_OPTIONAL))
		for (size_t i = 0; i < sizeof types / sizeof *types && !machine->address; i++)
			machine->address = name_parse_as(addresses, types[i], NEED_OPTIONAL, name_is_host, "an address", arena);
}

static const struct member bastion_members[] = {
	{"host", MEMBER_STRING(struct bastion, host), MEMBER_REQUIRED, .is_valid = name_is_host, .what = "not an address"},
	{"hostkey", MEMBER_STRING(struct bastion, host_key), MEMBER_REQUIRED, .is_valid = task_is_host_key, .what = "not a host key"},
	{"identityfile", MEMBER_STRING(struct bastion, identityfile), 0},
	{"port", MEMBER_INTEGER(struct bastion, port), 0, .integer = {1, 65535, SSH_PORT}},
	{"user", MEMBER_STRING(struct bastion, user), 0, .is_valid = name_is_user, .what = "not a user", .otherwise = "root"},
};
static const struct document bastion_table = {DOCUMENT_MEMBERS(bastion_members), .size = sizeof(struct bastion)};

static const struct member auth_members[] = {
	{"bastion", MEMBER_OBJECT(struct machine, bastion), 0, .inner = &bastion_table},
	{"identityfile", MEMBER_STRING(struct machine, identityfile), 0},
	{"passphrasefile", MEMBER_STRING(struct machine, passphrasefile), 0},
	{"passwordfile", MEMBER_STRING(struct machine, passwordfile), 0},
	{"port", MEMBER_INTEGER(struct machine, port), 0, .integer = {1, 65535, SSH_PORT}},
	{"user", MEMBER_STRING(struct machine, user), 0, .is_valid = name_is_user, .what = "not a user"},
};
static const struct document auth = {DOCUMENT_MEMBERS(auth_members)};

static const struct member facts_members[] = {
	{"names", MEMBER_CUSTOM, 0, .parse = task_parse_names},
	{"providerid", MEMBER_STRING(struct machine, providerid), 0},
	{"ssh-auth", MEMBER_INLINE, 0, .inner = &auth},
	{"ssh_host_keys", MEMBER_CUSTOM, 0, .parse = task_parse_host_keys},
};
static const struct document facts = {DOCUMENT_MEMBERS(facts_members)};

static const struct member machine_members[] = {
	{"facts", MEMBER_INLINE, 0, .inner = &facts},
	{"flavor", MEMBER_STRING(struct machine, flavor), 0},
	{"hostname", MEMBER_STRING(struct machine, hostname), 0, .is_valid = name_is_host, .what = "not a host name"},
	{"id", MEMBER_NAME(struct machine, id), MEMBER_REQUIRED},
	{"ipaddresses", MEMBER_CUSTOM, 0, .parse = task_parse_address},
	{"nodenum", MEMBER_INTEGER(struct machine, nodenum), 0, .integer = {0, INT32_MAX, 0}},
	{"sshuser", MEMBER_STRING(struct machine, sshuser), 0, .is_valid = name_is_user, .what = "not a user"},
	{"zone", MEMBER_STRING(struct machine, zone), 0},
};
static const struct document machine_table = {DOCUMENT_MEMBERS(machine_members), .size = sizeof(struct machine)};

void
machine_parse(const struct place *node, struct arena *arena, struct machine *machine)
{
	static const struct member row = {"machine", .type = TYPE_OBJECT, .inner = &machine_table};

	document_parse_member(&row, node, false, arena, machine);
	if (!machine->user)
		machine->user = machine->sshuser ? machine->sshuser : "root";
}

static void
task_parse_machine(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	(void)member;
	machine_parse(place, arena, &((struct task *)to)->machine);
}

static void
task_parse_unexpanded(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	(void)member;
	(void)arena;
	if (place_array(place, NEED_OPTIONAL))
		((struct task *)to)->unexpanded = place->value;
}

static const struct member cluster_members[] = {
	{"catalogue", MEMBER_STRING(struct task, catalogue), 0},
	{"config", MEMBER_VALUE(struct task, config), 0},
	{"id", MEMBER_STRING(struct task, cluster_id), 0},
	{"installation", MEMBER_STRING(struct task, installation), 0},
	{"name", MEMBER_STRING(struct task, cluster), 0},
	{"provider", MEMBER_VALUE(struct task, provider), 0},
	{"unexpanded", MEMBER_CUSTOM, 0, .parse = task_parse_unexpanded},
};
static const struct document cluster = {DOCUMENT_MEMBERS(cluster_members)};

static const struct member task_members[] = {
	{"action", MEMBER_ACTION(struct task, action), MEMBER_REQUIRED},
	{"archive", MEMBER_NAME(struct task, archive), 0},
	{"attempt", MEMBER_INTEGER(struct task, attempt), 0, .integer = {1, INT32_MAX, 1}},
	{"cluster", MEMBER_INLINE, 0, .inner = &cluster},
	{"fields", MEMBER_VALUE(struct task, fields), 0},
	{"id", MEMBER_NAME(struct task, id), MEMBER_REQUIRED},
	{"job", MEMBER_NAME(struct task, job), 0},
	{"log", MEMBER_STRING(struct task, log), 0},
	{"machine", MEMBER_CUSTOM, 0, .parse = task_parse_machine},
	{"nodes", MEMBER_STRING(struct task, nodes), 0},
	{"scripts", MEMBER_NAME(struct task, scripts), 0},
	{"secrets", MEMBER_STRINGS(struct task, secrets), 0},
	{"service", MEMBER_NAME(struct task, service), 0},
	{"timeout_s", MEMBER_INTEGER(struct task, timeout_s), 0, .integer = {1, ACTION_TIMEOUT_MAX_S, ACTION_TIMEOUT_S}},
	{"token", MEMBER_STRING(struct task, token), 0},
	{"type", MEMBER_NAME(struct task, type), MEMBER_REQUIRED},
};
static const struct document task_table = {DOCUMENT_MEMBERS(task_members)};

static void
task_parse(struct task *task, struct problems *problems)
{
	struct place root = place_root(task->source, problems), cluster_place = place_member(&root, "cluster");
	struct place provider = place_member(&cluster_place, "provider"), fields = place_member(&provider, "provisioner");

	document_parse(&task_table, &root, &task->arena, task);
	if (!task->token && task->id)
		task->token = arena_printf(&task->arena, "%s:%s", task->job ? task->job : "-", task->id);
	if (action_is_providers(task->action))
		task->fields = place_object(&fields, NEED_OPTIONAL) ? fields.value : jv_invalid();
}

int
task_take(jv record, const char *name, struct task *task, struct problems *problems, struct error *err)
{
	const char *kind = record_kind(record);

	*task = (struct task){.source = jv_copy(record)};
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

	*task = (struct task){0};
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

bool
task_has_secret(const struct task *task, const char *pointer)
{
	size_t length = strlen(pointer), i = 0;

	while (i < task->secrets.count && (strncmp(task->secrets.list[i], pointer, length) != 0 ||
	    (task->secrets.list[i][length] && task->secrets.list[i][length] != '/')))
		i++;
	return i < task->secrets.count;
}

void
task_release_record(struct task *task)
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
