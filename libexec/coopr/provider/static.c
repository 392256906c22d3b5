/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/static: machines that exist already, listed in a file, are handed out and taken back,
 * coopr-static(7). When one is taken back, the names of the cluster leave its /etc/hosts.
 *
 * Status: 75 no machine is free, or the one given cannot be reached; 77 it may not be entered; 78 the file
 * is wrong.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buffer.h"
#include "base/location.h"
#include "base/message.h"
#include "base/plural.h"
#include "exec/machines.h"
#include "exec/plugin.h"
#include "json/record.h"
#include "ssh/host-keys.h"
#include "ssh/payload.h"
#include "ssh/remote.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider static\",\"type\":\"object\","
    "\"required\":[\"machines\"],\"properties\":{"
    "\"machines\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The file that lists the machines; a relative path starts at the catalogue\"},"
    "\"user\":{\"type\":\"string\",\"description\":\"The user to log in as, unless the file names one; by default the sshuser of the image type\"},"
    "\"hosts\":{\"type\":\"boolean\",\"description\":\"Whether the machines know each other by names in /etc/hosts; the default is true\"},"
    "\"shared_host_keys\":{\"of\":\"installation\",\"type\":\"boolean\",\"description\":\"Whether several machines may show the same host key; the default is false\"},"
    "\"identityfile\":{\"of\":\"installation\",\"type\":\"string\",\"description\":\"The private key, unless the file names one; by default that of ssh\"}}}";

struct fields {
	const char *machines, *user, *identityfile;
	bool hosts; /* the nodes' names are written to the machines */
};

static int
static_read_fields(const struct task *task, struct arena *arena, struct fields *fields, struct outcome *outcome)
{
	struct problems problems = {0};
	struct place root = place_root(task->fields, &problems);
	int failed;

	fields->machines = place_string(&root, "machines", NEED_REQUIRED, arena);
	fields->user = place_string(&root, "user", NEED_OPTIONAL, arena);
	fields->identityfile = place_string(&root, "identityfile", NEED_OPTIONAL, arena);
	fields->hosts = place_boolean(&root, "hosts", true);
	if (fields->identityfile && location_is_own(fields->identityfile))
		place_problem(&root, "identityfile %s: it is coopr's own", fields->identityfile);
	failed = problems_error(&problems, "fields", EX_CONFIG, &outcome->error);
	problems_release(&problems);
	if (!failed && *fields->machines != '/' && task->catalogue)
		fields->machines = arena_printf(arena, "%s/%s", task->catalogue, fields->machines);
	return failed;
}

/* Adds the address to addresses as "access_v4" or "access_v6" (bind_...), resolved where it is a name. */
static int
static_add_address(jv *addresses, const char *role, const char *address, struct error *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
	char text[INET6_ADDRSTRLEN], name[32];
	int failed = getaddrinfo(address, NULL, &hints, &found);

	if (failed)
		return error_set(err, EX_TEMPFAIL, "%s: %s", address, gai_strerror(failed));
	getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST);
	snprintf(name, sizeof name, "%s_%s", role, found->ai_family == AF_INET6 ? "v6" : "v4");
	json_set_string(addresses, name, text);
	freeaddrinfo(found);
	return 0;
}

static jv
static_login_of(const struct static_machine *machine, const struct fields *fields, const struct task *task)
{
	const char *key = machine->identityfile ? machine->identityfile : fields->identityfile;
	const char *user = machine->user ? machine->user : fields->user;
	jv login = jv_object();

	json_set_string(&login, "user", user ? user : task->machine.user);
	if (key)
		json_set_string(&login, "identityfile", key);
	json_set_number(&login, "port", (double)machine->port);
	return login;
}

static void
static_hand_out(const struct task *task, const struct fields *fields, const struct static_machine *machine,
    struct outcome *outcome)
{
	jv addresses = jv_object(), facts = jv_object();

	if (fields->hosts)
		json_set_string(&facts, "names", "hosts");
	json_set_string(&facts, "providerid", machine->id);
	json_set(&facts, "ssh-auth", static_login_of(machine, fields, task));
	if (machine->host_keys.count > 0)
		json_set(&facts, "ssh_host_keys", host_keys_pin(&machine->host_keys));
	if (machine->hostname)
		outcome->hostname = memory_string(machine->hostname);
	if (static_add_address(&addresses, "access", machine->address, &outcome->error) == 0)
		static_add_address(&addresses, "bind", machine->bind ? machine->bind : machine->address, &outcome->error);
	outcome->ipaddresses = addresses;
	outcome->facts = facts;
}

/* Returns the ids of the machines that the node may have: one that names a flavor or a zone is for nodes of it only. */
static jv
static_candidates(const struct machines *machines, const struct machine *node)
{
	jv ids = jv_array();

	for (size_t i = 0; i < machines->count; i++) {
		const struct static_machine *machine = &machines->list[i];

		if ((!machine->flavor || !node->flavor || strcmp(machine->flavor, node->flavor) == 0) &&
		    (!machine->zone || !node->zone || strcmp(machine->zone, node->zone) == 0))
			ids = jv_array_append(ids, jv_string(machine->id));
	}
	return ids;
}

/* Asks for a machine, or hands out the one that the node was given: the claim in the take record says which. A claim that names
 * none has been refused. */
static void
static_create(const struct task *task, const struct fields *fields, struct outcome *outcome)
{
	jv claim = json_get(task->source, "claim"), ids = jv_invalid();
	struct error *err = &outcome->error;
	const struct static_machine *machine;
	struct machines machines;

	if (machines_read(fields->machines, &machines, err) < 0)
		goto out;
	if (!json_string(claim))
		ids = static_candidates(&machines, &task->machine);
	if (!jv_is_valid(claim)) {
		outcome->claim = jv_copy(ids);
		error_set(err, EX_TEMPFAIL, "node %s has no machine yet; coopr-exec claims one for it", task->machine.id);
	} else if (!json_string(claim) && json_length(ids) == 0) {
		error_set(err, EX_CONFIG, "no machine for node %s in %s: none of the %zu is of its flavor and zone",
		    task->machine.id, machines.path, machines.count);
	} else if (!json_string(claim)) {
		error_set(err, EX_TEMPFAIL, "no free machine in %s: %zu of %zu in use", machines.path, json_length(ids),
		    json_length(ids));
	} else if ((machine = machines_find(&machines, json_string(claim)))) {
		static_hand_out(task, fields, machine, outcome);
	} else {
		error_set(err, EX_CONFIG, "node %s has the machine %s, which is not in %s any more", task->machine.id,
		    json_string(claim), machines.path);
	}
out:
	machines_release(&machines);
	jv_free(claim);
	jv_free(ids);
}

/* Checks that the machine lets us in. If the file gave no host key, the one it shows now is the one it must
 * show from now on. */
static void
static_confirm(const struct task *task, struct outcome *outcome)
{
	struct machine machine = task->machine;
	struct payload payload = {0};
	struct remote_answer answer;
	struct arena arena = {0};
	jv facts;

	if (machine.host_keys.count == 0) {
		if (host_keys_scan(&machine, &arena, &machine.host_keys, &outcome->error) < 0)
			return;
		facts = jv_object();
		json_set(&facts, "ssh_host_keys", host_keys_pin(&machine.host_keys));
		outcome->facts = facts;
		message("%s: pinned the %zu %s that it shows; the file of machines gives none to compare with (hostkey=)",
		    machine.id, machine.host_keys.count, plural(machine.host_keys.count, "host key", "host keys"));
	}
	if (payload_check(NULL, &payload, &outcome->error) == 0) {
		remote_run(&machine, &payload, false, NULL, &answer, &outcome->error);
		remote_answer_release(&answer);
	}
	payload_release(&payload);
	arena_release(&arena);
}

/* Takes what coopr has written on the machine away, where that can be entered: one that is broken is given back as well. */
static void
static_clean(const struct task *task)
{
	const struct machine *machine = &task->machine;
	struct payload payload = {0};
	struct remote_answer answer;
	struct error err;
	int result;

	if (!machine->names_in_hosts || !machine->hostname || machine->host_keys.count == 0)
		return;
	result = payload_leave(task, &payload, &err);
	if (result == 0) {
		result = remote_run(machine, &payload, machine->user && strcmp(machine->user, "root") != 0, NULL, &answer, &err);
		remote_answer_release(&answer);
	}
	if (result < 0)
		message("the names of the cluster may still be in the machine's /etc/hosts: %s", err.text);
	payload_release(&payload);
}

static void
static_delete(const struct task *task, struct outcome *outcome)
{
	static_clean(task);
	outcome->claim = jv_null();
}

static void
static_act(const struct task *task, struct outcome *outcome)
{
	struct arena arena = {0};
	struct fields fields;

	if (!task->machine.id)
		error_set(&outcome->error, EX_DATAERR, "the task names no machine");
	else if (task->action == ACTION_DELETE)
		static_delete(task, outcome);
	else if (task->action == ACTION_CONFIRM)
		static_confirm(task, outcome);
	else if (task->action != ACTION_CREATE)
		error_set(&outcome->error, EX_CONFIG, "a provider cannot %s", action_name(task->action));
	else if (static_read_fields(task, &arena, &fields, outcome) == 0)
		static_create(task, &fields, outcome);
	arena_release(&arena);
}

/* Prints the claims of the provider as nodes. */
static int
static_list(jv provider, struct error *err)
{
	char *name = json_get_string(provider, "name");
	jv claims = json_get(provider, "claims");

	(void)err;
	for (size_t i = 0; i < json_length(claims); i++) {
		jv claim = json_element(claims, i), node = jv_object(), facts = jv_object();

		json_set_string(&node, "kind", "node");
		json_set(&node, "id", json_get(claim, "node"));
		json_set(&node, "hostname", json_get(claim, "hostname"));
		json_set(&node, "cluster", json_get(claim, "cluster"));
		json_set_string(&node, "provider", name);
		json_set(&facts, "providerid", json_get(claim, "machine"));
		json_set(&node, "facts", facts);
		record_write(node, stdout);
		jv_free(node);
		jv_free(claim);
	}
	jv_free(claims);
	free(name);
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct plugin plugin = {"provider/static", schema, static_act, static_list, NULL};

	return plugin_main(&plugin, argc, argv);
}
