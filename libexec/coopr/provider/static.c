/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/static: machines that exist already, listed in a file or in the provider, are handed out and taken back,
 * coopr-static(7). When one is taken back, the names of the cluster leave its /etc/hosts.
 *
 * Status: 75 no machine is free, or the one given cannot be reached; 77 it may not be entered; 78 the list
 * is wrong.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buffer.h"
#include "base/message.h"
#include "base/plural.h"
#include "event/tail.h"
#include "exec/plugin.h"
#include "exec/static-fields.h"
#include "json/record.h"
#include "model/take/origin.h"
#include "ssh/host-keys.h"
#include "ssh/payload.h"
#include "ssh/remote.h"

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

static void
static_set_secret(jv *login, const char *member, const char *name)
{
	jv reference = jv_object();

	if (!name) {
		jv_free(reference);
		return;
	}
	json_set_string(&reference, "secret", name);
	json_set(login, member, reference);
}

/* Returns how the machine is entered: as the list says of it, or else the provider. With a password, the key that the cluster has comes first:
 * it is what static_confirm has the machine admit. */
static jv
static_login_of(const struct static_machine *machine, const struct static_fields *fields, const struct task *task)
{
	bool own = machine->identityfile || machine->login.key || machine->login.password;
	const struct machine_login *secrets = own || machine->login.passphrase ? &machine->login : &fields->login;
	const char *file = own ? machine->identityfile : fields->identityfile;
	const char *user = machine->user ? machine->user : fields->user;
	jv login = jv_object(), cluster = json_get(task->source, "cluster"), key = json_get(cluster, "key");

	json_set_string(&login, "user", user ? user : task->machine.user);
	if (file)
		json_set_string(&login, "identityfile", file);
	static_set_secret(&login, "key", secrets->key);
	static_set_secret(&login, "passphrase", secrets->passphrase);
	static_set_secret(&login, "password", secrets->password);
	if (secrets->password && fields->admits && json_string(key))
		json_set(&login, "key", jv_copy(key));
	jv_free(key);
	jv_free(cluster);
	json_set_number(&login, "port", (double)machine->port);
	if (jv_is_valid(fields->bastion))
		json_set(&login, "bastion", jv_copy(fields->bastion));
	return login;
}

static void
static_hand_out(const struct task *task, const struct static_fields *fields, const struct static_machine *machine,
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
static_create(const struct task *task, const struct static_fields *fields, struct outcome *outcome)
{
	jv claim = json_get(task->source, "claim"), ids = jv_invalid();
	struct error *err = &outcome->error;
	const struct static_machine *machine;
	struct machines machines;

	if (static_fields_machines(fields, &machines, err) < 0)
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

/* Has the machine do what the payload says, as the user who logs in, or through sudo. */
static int
static_run(const struct machine *machine, int made, struct payload *payload, bool become_root, struct error *err)
{
	struct remote_answer answer;
	int result = made;

	if (result == 0) {
		result = remote_run(machine, payload, become_root, NULL, &answer, err);
		if (result == 0 && answer.status != 0) {
			char *reason = tail_last_line(&answer.said);

			result = error_set(err, EX_CONFIG, "node %s: %s", machine->id, *reason ? reason : "a check has failed there");
			free(reason);
		}
		remote_answer_release(&answer);
	}
	payload_release(payload);
	return result;
}

/* Returns the public key that the machine is to admit, or admits, for the cluster alone, which the caller frees; NULL if there is none. */
static char *
static_own_key(const struct task *task)
{
	jv node = json_get(task->source, "machine"), facts = json_get(node, "facts"), login = json_get(facts, "ssh-auth");
	char *key = json_get_string(login, "key");

	jv_free(login);
	jv_free(facts);
	jv_free(node);
	return key;
}

/* Has the machine admit the key, which it does not yet, with the password. */
static int
static_admit(const struct task *task, const struct machine *machine, const char *key, struct error *err)
{
	struct machine with_password = *machine, with_key = *machine;
	struct payload admission = {0}, check = {0};

	with_password.identityfile = NULL;
	with_key.passwordfile = NULL;
	if (static_run(&with_password, payload_admit(task, key, &admission, err), &admission, false, err) < 0)
		return -1;
	if (static_run(&with_key, payload_check(NULL, &check, err), &check, false, err) < 0)
		return error_prefix(err, "the key of the cluster is in ~/.ssh/authorized_keys, but");
	message("%s: admits the key of the cluster from now on (~/.ssh/authorized_keys)", machine->id);
	return 0;
}

/* Enters the machine: with the key of the cluster if it has one, which is written there if only the password opens. */
static int
static_enter(const struct task *task, const struct machine *machine, const char *key, struct error *err)
{
	struct machine with_key = *machine;
	struct payload payload = {0};
	struct error why = {.code = 0};
	int result;

	if (key)
		with_key.passwordfile = NULL;
	result = static_run(&with_key, payload_check(NULL, &payload, &why), &payload, false, &why);
	if (result < 0 && key && machine->passwordfile && why.code == EX_NOPERM)
		return static_admit(task, machine, key, err);
	if (result < 0)
		*err = why;
	return result;
}

/* Adds how the machine is entered from now on: without the password. */
static void
static_forget_password(const struct task *task, jv *facts)
{
	jv node = json_get(task->source, "machine"), known = json_get(node, "facts"), login = json_get(known, "ssh-auth"), bastion;

	bastion = json_get(login, "bastion");
	login = jv_object_delete(login, jv_string("password"));
	login = jv_object_delete(login, jv_string("passwordfile"));
	login = jv_object_delete(login, jv_string("identityfile"));
	if (jv_get_kind(bastion) == JV_KIND_OBJECT)
		json_set(&login, "bastion", jv_object_delete(jv_copy(bastion), jv_string("identityfile")));
	json_set(facts, "ssh-auth", login);
	jv_free(bastion);
	jv_free(known);
	jv_free(node);
}

/* Leaves those of the host keys that the machine has: it may show any other's, as they are public, and a login proves one. */
static int
static_prove(struct machine *machine, struct arena *arena, struct error *err)
{
	struct string_list proven = {arena_alloc(arena, machine->host_keys.count, sizeof *proven.list), 0};
	struct payload payload = {0};
	struct error why;

	if (machine->host_keys.count == 1)
		return 0; /* by the login that was */
	for (size_t i = 0; i < machine->host_keys.count; i++) {
		struct machine one = *machine;

		one.host_keys = (struct string_list){machine->host_keys.list + i, 1};
		if (static_run(&one, payload_check(NULL, &payload, &why), &payload, false, &why) == 0)
			proven.list[proven.count++] = machine->host_keys.list[i];
	}
	machine->host_keys = proven;
	if (proven.count > 0)
		return 0;
	*err = why;
	return -1;
}

/* Pins the host keys that the machine has: it must show these from now on. */
static void
static_pin(const struct machine *machine, bool is_first_contact, jv *facts)
{
	json_set(facts, "ssh_host_keys", host_keys_pin(&machine->host_keys));
	if (!is_first_contact)
		return;
	json_set_string(facts, "ssh_host_keys_from", "first contact");
	message("%s: pinned the %zu %s that it shows; the list of machines gives none to compare with (hostkey)", machine->id,
	    machine->host_keys.count, plural(machine->host_keys.count, "host key", "host keys"));
}

/* Checks that the machine lets us in. Keys that nobody has said of it, and those that a tenant has, have to be proven. */
static void
static_confirm(const struct task *task, struct outcome *outcome)
{
	bool is_first_contact = task->machine.host_keys.count == 0;
	bool is_pinned = is_first_contact || origin_of(task->provider, ORIGIN_INSTALLATION) == ORIGIN_TENANT;
	struct machine machine = task->machine;
	char *key = static_own_key(task);
	struct error *err = &outcome->error;
	struct arena arena = {0};
	jv facts = jv_object();

	if ((is_first_contact && host_keys_scan(&machine, &arena, &machine.host_keys, err) < 0) || static_enter(task, &machine, key, err) < 0)
		goto out;
	if (key && machine.passwordfile) {
		static_forget_password(task, &facts);
		machine.passwordfile = NULL;
	}
	if (is_pinned && static_prove(&machine, &arena, err) == 0)
		static_pin(&machine, is_first_contact, &facts);
out:
	outcome->facts = facts;
	free(key);
	arena_release(&arena);
}

/* Takes what coopr has written on the machine away, where that can be entered: one that is broken is given back as well. The key goes
 * last. */
static void
static_clean(const struct task *task)
{
	const struct machine *machine = &task->machine;
	bool as_root = machine->user && strcmp(machine->user, "root") != 0;
	struct payload written = {0}, admission = {0};
	struct error err;

	if (machine->host_keys.count > 0 && static_run(machine, payload_leave(task, &written, &err), &written, as_root, &err) < 0)
		message("what coopr has written may still be in the machine's /etc/hosts and /var/cache/coopr: %s", err.text);
	/* Whoever has asked for a certificate has had the key written, whatever the machine is entered with. */
	if (machine->host_keys.count > 0 && static_run(machine, payload_dismiss(task, &admission, &err), &admission, false, &err) < 0)
		message("the key of the cluster may still be in the machine's ~/.ssh/authorized_keys: %s", err.text);
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
	struct static_fields fields = {.bastion = jv_invalid()};

	if (!task->machine.id)
		error_set(&outcome->error, EX_DATAERR, "the task names no machine");
	else if (task->action == ACTION_DELETE)
		static_delete(task, outcome);
	else if (task->action == ACTION_CONFIRM)
		static_confirm(task, outcome);
	else if (task->action != ACTION_CREATE)
		error_set(&outcome->error, EX_CONFIG, "a provider cannot %s", action_name(task->action));
	else if (static_fields_read(task, &arena, &fields, &outcome->error) == 0)
		static_create(task, &fields, outcome);
	jv_free(fields.bastion);
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
	static const struct plugin plugin = {.name = "provider/static", .schema = static_fields_schema, .act = static_act, .list = static_list,
	    .wants = CONFINE_HOST | CONFINE_LOGIN};

	return plugin_main(&plugin, argc, argv);
}
