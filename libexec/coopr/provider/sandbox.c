/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox: a provider plugin, coopr-plugins(7), whose machines are Linux namespaces on this host, coopr-sandbox(7).
 * It reads a take record from stdin (a provider entity for "list"), prints one result record on stdout (for "list" a
 * record for each machine), and exits with the result's status: 0, 64 misuse, 65 a record it cannot use, 69 a machine
 * or program does not exist, 71 the system refuses, 77 not root, 78 an image, network or share is wrong.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/message.h"
#include "base/option.h"
#include "json/place.h"
#include "json/record.h"
#include "model/result.h"
#include "sandbox/helper/ask.h"
#include "sandbox/key.h"
#include "sandbox/machine.h"
#include "sandbox/reach.h"
#include "sandbox/task.h"
#include "sandbox/volume.h"
#include "sandbox/world/nested.h"

enum { INPUT_LIMIT = 256 * 1024 * 1024, MS_PER_S = 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"additionalProperties\":true,"
    "\"cluster_key\":true,"
    "\"properties\":{"
    "\"flavors\":{\"additionalProperties\":{\"additionalProperties\":false,\"properties\":{"
    "\"cpu\":{\"description\":\"Processors\",\"minimum\":0.05,\"type\":\"number\"},"
    "\"disk\":{\"description\":\"MiB that it may write\",\"minimum\":64,\"type\":\"number\"},"
    "\"memory\":{\"description\":\"MiB\",\"minimum\":32,\"type\":\"number\"},"
    "\"processes\":{\"minimum\":32,\"type\":\"number\"}},\"type\":\"object\"},"
    "\"description\":\"What machines of a flavor take of the host at most; * is any other flavor\","
    "\"of\":\"installation\",\"type\":\"object\"},"
    "\"network\":{\"default\":\"10.213.0.0/16\",\"description\":\"The network of the machines; the host has its first address\","
    "\"of\":\"installation\",\"pattern\":\"^[0-9.]+/[0-9]+$\",\"type\":\"string\"},"
    "\"route\":{\"default\":false,\"description\":\"Whether machines have a route out of this host\",\"of\":\"installation\",\"type\":\"boolean\"},"
    "\"share\":{\"description\":\"Directories of the host that all machines can read at the same path\","
    "\"of\":\"installation\",\"oneOf\":[{\"items\":{\"type\":\"string\"},\"type\":\"array\"},{\"description\":\"The paths, separated by colons\",\"type\":\"string\"}]},"
    "\"unconfined\":{\"default\":false,\"description\":\"Whether the root user of machines is the host's\",\"of\":\"installation\",\"type\":\"boolean\"}},"
    "\"title\":\"provider sandbox\","
    "\"type\":\"object\","
    "\"volumes\":true}\n";

/* Reads the one value on stdin; invalid, without an error, if there is nothing. */
static int
sandbox_read_input(jv *input, struct error *err)
{
	struct buffer text = {0};
	int result = file_read_fd(STDIN_FILENO, "standard input", INPUT_LIMIT, &text, err);

	*input = jv_invalid();
	if (result == 0 && text.data[strspn(text.data, " \t\r\n")])
		result = json_parse("standard input", text.data, text.length, input, err);
	buffer_release(&text);
	return result;
}

static int
sandbox_read_task(void (*parse)(const struct place *, struct sandbox_task *), struct sandbox_task *task,
    struct error *err)
{
	struct problems problems = {0};
	struct place place;
	jv record;
	int result = sandbox_read_input(&record, err);

	*task = (struct sandbox_task){.timeout_s = 0};
	if (result == 0) {
		place = place_root(record, &problems);
		parse(&place, task);
		result = problems_error(&problems, "standard input", EX_DATAERR, err);
	}
	problems_release(&problems);
	jv_free(record);
	return result;
}

/* Prints the result record of an action that has failed, for the reason err, or succeeded (NULL), and then has made or confirmed a
 * machine (NULL: there is nothing to tell). Returns its status. */
static int
sandbox_answer(const struct error *err, const struct machine *machine)
{
	struct result result = {.attempt = 1, .source = jv_invalid(), .ipaddresses = jv_invalid(), .result = jv_invalid()};
	struct buffer text = {0};
	struct error no_key;
	char *identity = machine && !machine->login ? key_login(&no_key) : NULL;

	if (machine && !machine->login && !identity)
		err = &no_key;
	if (err) {
		result.status = message_error(err);
		result.message = err->text;
	} else if (machine) {
		jv auth = jv_object(), keys = jv_object();

		result.hostname = machine->hostname;
		result.ipaddresses = jv_object();
		json_set_string(&result.ipaddresses, "access_v4", machine->access ? machine->access : machine->address);
		json_set_string(&result.ipaddresses, "bind_v4", machine->address);
		json_set_string(&auth, "user", "root");
		if (machine->port)
			json_set_number(&auth, "port", strtod(machine->port, NULL));
		json_set_string(&auth, machine->login ? "key" : "identityfile", machine->login ? machine->login : identity);
		json_set_string(&keys, "ed25519", machine->host_key);
		result.result = jv_object();
		json_set_string(&result.result, "providerid", machine->name);
		json_set(&result.result, "ssh-auth", auth);
		json_set(&result.result, "ssh_host_keys", keys);
	}
	result_print(&result, &text);
	fwrite(text.data, 1, text.length, stdout);
	buffer_release(&text);
	jv_free(result.result);
	jv_free(result.ipaddresses);
	free(identity);
	return message_end((int)result.status);
}

static int
sandbox_act_create(const struct maker *maker)
{
	struct sandbox_task task;
	struct error err;
	char notice[256];
	int code;

	if (sandbox_read_task(sandbox_task_parse_create, &task, &err) < 0 || sandbox_task_mask(&task, &err) < 0 ||
	    maker->create(&task.wanted, notice, &err) < 0) {
		code = sandbox_answer(&err, NULL);
	} else {
		if (*notice)
			message("%s: %s", task.wanted.name, notice);
		code = sandbox_answer(NULL, &task.wanted);
	}
	sandbox_task_release(&task);
	return code;
}

/* Finds the machine that a task is about if only the id of its node is known: the one that there is. */
static int
sandbox_find_machine(const struct maker *maker, struct sandbox_task *task, struct error *err)
{
	struct found_list found = {.list = NULL};
	int result = 0;

	if (task->providerid)
		return 0;
	result = maker->find(NULL, task->wanted.node, &found, err);
	if (result == 0 && found.count == 1)
		task->providerid = arena_string(&task->wanted.arena, found.list->machine.name);
	else if (result == 0)
		result = error_set(err, EX_UNAVAILABLE, "%s: %s; create it", task->wanted.node,
		    found.count ? "has more than one machine" : "has no machine");
	found_release(&found);
	return result;
}

static int
sandbox_act_confirm(const struct maker *maker)
{
	struct found_list found = {.list = NULL};
	struct sandbox_task task;
	struct error err;
	int code;

	if (sandbox_read_task(sandbox_task_parse, &task, &err) < 0 || sandbox_find_machine(maker, &task, &err) < 0 ||
	    reach_confirm(maker, task.providerid, (task.timeout_s < TASK_TIMEOUT_S ? task.timeout_s : TASK_TIMEOUT_S) * MS_PER_S,
	    &found, &err) < 0)
		code = sandbox_answer(&err, NULL);
	else
		code = sandbox_answer(NULL, &found.list->machine);
	found_release(&found);
	sandbox_task_release(&task);
	return code;
}

/* Only root has loop devices, and enters other machines. */
static int
sandbox_check_volumes(const struct maker *maker, struct error *err)
{
	if (maker == &machine_maker)
		return 0;
	return error_set(err, EX_NOPERM, "volumes of the sandbox need root: let a worker of root do the tasks of this provider");
}

/* Deletes each machine that was found, also after an error with one. */
static int
sandbox_delete_all(const struct maker *maker, const struct found_list *found, struct error *err)
{
	struct error one;
	int result = 0;

	for (size_t i = 0; i < found->count; i++)
		if (maker->delete(found->list[i].machine.name, &one) < 0) {
			*err = one;
			result = -1;
		}
	return result;
}

/* Deletes all machines of the node, not only the one it knows: the answer to a create may have been lost. */
static int
sandbox_act_delete(const struct maker *maker)
{
	struct found_list found = {.list = NULL};
	struct sandbox_task task;
	struct error err;
	int result = sandbox_read_task(sandbox_task_parse, &task, &err);

	if (result == 0 && task.providerid)
		result = maker->delete(task.providerid, &err);
	if (result == 0 && task.wanted.node)
		result = maker->find(NULL, task.wanted.node, &found, &err);
	if (result == 0)
		result = sandbox_delete_all(maker, &found, &err);
	for (size_t i = 0; i < task.volume_count && result == 0; i++) {
		task.volumes[i].node = task.wanted.node;
		result = volume_release(&task.volumes[i], &err);
	}
	found_release(&found);
	sandbox_task_release(&task);
	return sandbox_answer(result < 0 ? &err : NULL, NULL);
}

/* Mounts the volumes in their machine, one after the other: what lies below another one comes after it. */
static int
sandbox_act_attach(const struct maker *maker)
{
	struct sandbox_task task;
	struct error err;
	int result = sandbox_read_task(sandbox_task_parse, &task, &err);

	if (result == 0)
		result = sandbox_check_volumes(maker, &err);
	if (result == 0)
		result = sandbox_find_machine(maker, &task, &err);
	for (size_t i = 0; i < task.volume_count && result == 0; i++) {
		struct sandbox_volume *volume = &task.volumes[i];

		volume->node = task.wanted.node;
		volume->machine = task.providerid;
		result = volume->path ? volume_attach(volume, &err) : error_set(&err, EX_DATAERR, "volume %s: it has no path", volume->id);
	}
	sandbox_task_release(&task);
	return sandbox_answer(result < 0 ? &err : NULL, NULL);
}

/* Answers whether the machine of a node will never run again: its processes are gone, and nothing starts them again. */
static int
sandbox_act_fence(const struct maker *maker)
{
	struct found_list found = {.list = NULL};
	struct sandbox_task task;
	struct error err;
	int result = sandbox_read_task(sandbox_task_parse, &task, &err);

	if (result == 0)
		result = task.wanted.node ? maker->find(NULL, task.wanted.node, &found, &err) : error_set(&err, EX_DATAERR, "the task names no node");
	for (size_t i = 0; i < found.count && result == 0; i++)
		if (found.list[i].state != MACHINE_DEAD)
			result = error_set(&err, EX_NO, "the machine %s is %s", found.list[i].machine.name, machine_state_name(found.list[i].state));
	found_release(&found);
	sandbox_task_release(&task);
	return sandbox_answer(result < 0 ? &err : NULL, NULL);
}

static int
sandbox_act_on_volume(const struct maker *maker, int (*act)(const struct sandbox_volume *volume, struct error *err))
{
	struct sandbox_task task;
	struct error err;
	int result = sandbox_read_task(sandbox_task_parse_volume, &task, &err);

	if (result == 0)
		result = sandbox_check_volumes(maker, &err);
	if (result == 0)
		result = act(task.volumes, &err);
	sandbox_task_release(&task);
	return sandbox_answer(result < 0 ? &err : NULL, NULL);
}

static int
sandbox_act_snapshot(const struct maker *maker)
{
	return sandbox_act_on_volume(maker, volume_snapshot);
}

static int
sandbox_act_discard(const struct maker *maker)
{
	return sandbox_act_on_volume(maker, volume_discard);
}

static void
sandbox_print_volume(const struct sandbox_volume *volume)
{
	const char *const members[][2] = {{"id", volume->id}, {"kind", "volume"}, {"node", volume->node}, {"of", volume->of},
	    {"provider", volume->provider}, {"providerid", volume->machine}};
	jv record = jv_object();

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i][1])
			json_set_string(&record, members[i][0], members[i][1]);
	json_set_number(&record, "size_gb", (double)volume->size_gb);
	record_write(record, stdout);
	jv_free(record);
}

static int
sandbox_act_volumes(const struct maker *maker)
{
	struct error err;

	(void)maker;
	return message_end(volume_list(sandbox_print_volume, &err) < 0 ? message_error(&err) : EX_OK);
}

static int
sandbox_act_purge(const struct maker *maker)
{
	struct found_list found = {.list = NULL};
	struct error err;
	int result = maker->find(NULL, NULL, &found, &err);

	if (result == 0)
		result = sandbox_delete_all(maker, &found, &err);
	found_release(&found);
	return sandbox_answer(result < 0 ? &err : NULL, NULL);
}

static void
sandbox_print_machine(const struct found *found)
{
	const struct machine *machine = &found->machine;
	const char *const members[][2] = {{"kind", "node"}, {"providerid", machine->name}, {"state", machine_state_name(found->state)},
	    {"address", machine->address}, {"cluster", machine->cluster}, {"hostname", machine->hostname}, {"id", machine->node},
	    {"image", machine->image}, {"provider", machine->provider}, {"token", machine->token}};
	jv record = jv_object();

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i][1])
			json_set_string(&record, members[i][0], members[i][1]);
	if (found->state == MACHINE_RUNNING)
		json_set_number(&record, "pid", strtod(machine->pid, NULL));
	record_write(record, stdout);
	jv_free(record);
}

/* Returns whether a machine is of the provider (NULL: any); a half-made one may not say whose it is. */
static bool
sandbox_is_of(const struct machine *machine, const char *provider)
{
	return !provider || !machine->provider || strcmp(provider, machine->provider) == 0;
}

static int
sandbox_act_list(const struct maker *maker)
{
	struct found_list found = {.list = NULL};
	struct error err;
	char *provider = NULL;
	jv entity;
	int result = sandbox_read_input(&entity, &err);

	if (result == 0) {
		provider = json_get_string(entity, "name");
		result = maker->find(NULL, NULL, &found, &err);
	}
	for (size_t i = 0; i < found.count && result == 0; i++)
		if (sandbox_is_of(&found.list[i].machine, provider))
			sandbox_print_machine(&found.list[i]);
	found_release(&found);
	free(provider);
	jv_free(entity);
	return message_end(result < 0 ? message_error(&err) : EX_OK);
}

static int
sandbox_act_describe(const struct maker *maker)
{
	(void)maker;
	fputs(schema, stdout);
	return message_end(EX_OK);
}

static const struct action {
	const char *name;
	int (*act)(const struct maker *maker);
	bool has_machines, has_result;
} actions[] = {
	{"create", sandbox_act_create, true, true},
	{"confirm", sandbox_act_confirm, true, true},
	{"delete", sandbox_act_delete, true, true},
	{"attach", sandbox_act_attach, true, true},
	{"fence", sandbox_act_fence, true, true},
	{"snapshot", sandbox_act_snapshot, true, true},
	{"discard", sandbox_act_discard, true, true},
	{"volumes", sandbox_act_volumes, true, false},
	{"list", sandbox_act_list, true, false},
	{"purge", sandbox_act_purge, true, true},
	{"describe", sandbox_act_describe, false, false},
};

static const struct option_spec options[] = {OPTION_END};

static const struct command command = {
	"sandbox",
	"COMMAND",
	"machines on this host: create, confirm, delete, list, purge, describe, and what volumes need",
	options,
	"  coopr-queue take | sandbox create\n"
	"  sandbox list </dev/null\n"
	"  sandbox purge\n",
};

/* Finds who makes machines for this user: this process, as root; a helper of root; or this process in a user namespace. NULL, with
 * the remedy: nobody. */
static const struct maker *
sandbox_find_maker(struct error *err)
{
	struct error no_helper, not_alone;

	if (geteuid() == 0)
		return &machine_maker;
	if (ask_is_allowed(&no_helper))
		return &ask_maker;
	if (nested_is_possible(&not_alone))
		return &nested_maker;
	error_set(err, EX_NOPERM, "%s; or without root: %s", no_helper.text, not_alone.text);
	return NULL;
}

static int
sandbox_carry_out(const struct action *action)
{
	const struct maker *maker = NULL;
	struct error err;

	if (!action->has_machines || (maker = sandbox_find_maker(&err)))
		return action->act(maker);
	error_prefix(&err, "%s", action->name);
	return action->has_result ? sandbox_answer(&err, NULL) : message_error(&err);
}

int
main(int argc, char **argv)
{
	argv += option_parse(&command, argc, argv);
	if (!argv[0] || argv[1])
		return option_misuse(&command, "missing argument ACTION");

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(argv[0], actions[i].name) == 0)
			return sandbox_carry_out(&actions[i]);
	return option_misuse(&command, "%s: no such action", argv[0]);
}
