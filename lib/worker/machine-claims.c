/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/machine-claims.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "address/range.h"
#include "base/error.h"
#include "base/memory.h"
#include "exec/attempt-result.h"
#include "json/place.h"
#include "model/take/origin.h"
#include "model/take/task.h"
#include "store/claims.h"
#include "store/store.h"
#include "store/tenant-document.h"

static bool
machine_claims_has(jv record)
{
	return jv_object_has(jv_copy(record), jv_string("claim"));
}

static int
machine_claims_refuse(const struct task *task, const char *address, struct error *err)
{
	return error_set(err, EX_NOPERM, "node %s: its address %.80s is none of those that the tenant's own machines may have; it is still observed, "
	    "stopped and deleted; a superadmin changes the addresses with coopr-tenant change --addresses", task->machine.id, address ? address : "");
}

/* Returns 1 and the addresses, in the arena, that the machine may have which a tenant's provider hands out; 0 where the installation's
 * does; or -1. */
static int
machine_claims_ranges(struct store *store, const struct task *task, struct arena *arena, struct string_list *ranges, struct error *err)
{
	const int64_t asked_for = store_tenant(store);
	jv cluster = json_get(task->source, "cluster");
	char *name = json_get_string(cluster, "tenant");
	int64_t tenant = 0;
	int got = 0;

	*ranges = (struct string_list){0};
	if (origin_of(task->provider, ORIGIN_INSTALLATION) == ORIGIN_TENANT) {
		got = store_find_tenant(store, name ? name : "default", &tenant, err);
		store_set_tenant(store, tenant);
		if (got > 0)
			got = tenant_addresses(store, arena, ranges, err) < 0 ? -1 : 1;
		else if (got == 0)
			got = 1; /* the tenant is gone, and has none */
		store_set_tenant(store, asked_for);
	}
	free(name);
	jv_free(cluster);
	return got;
}

/* Claims one of the machines for the task's node, and puts it into what the plugin is handed; null where all are in use. */
static int
machine_claims_take(struct store *store, struct task *task, jv machines, struct error *err)
{
	char *provider = json_get_string(task->provider, "name");
	const struct claim claim = {.node = task->machine.id, .provider = provider, .cluster = task->cluster_id,
		.hostname = task->machine.hostname};
	struct arena arena = {0};
	const char *machine = NULL;
	const struct place list = place_root(machines, NULL);
	struct string_list names = place_read_strings(&list, &arena), ranges;
	int got = machine_claims_ranges(store, task, &arena, &ranges, err);

	if (got >= 0)
		got = claims_take(store, &claim, names.list, names.count, got > 0 ? &ranges : NULL, &arena, &machine, err);
	if (got >= 0)
		json_set(&task->handed, "claim", got > 0 ? jv_string(machine) : jv_null());
	arena_release(&arena);
	free(provider);
	return got < 0 ? -1 : 1;
}

/* Returns as machine_claims_serve, or -1. */
static int
machine_claims_decide(struct task *task, jv claim, struct error *err)
{
	bool asks = jv_get_kind(claim) == JV_KIND_ARRAY;
	struct store *store;
	int result;

	if (!task->machine.id)
		return error_set(err, EX_DATAERR, "the task names no machine");
	if (asks && machine_claims_has(task->handed))
		return error_set(err, EX_SOFTWARE, "%s asks for a machine again, which it was given or refused", task->type);
	result = store_open(&store, NULL, asks ? STORE_CREATE : STORE_WRITE, NULL, err);
	if (result < 0)
		return !asks && err->code == EX_NOINPUT ? 0 : -1;
	result = asks ? machine_claims_take(store, task, claim, err) : claims_give_back(store, task->machine.id, err);
	store_release(store);
	return result;
}

/* Checks that the addresses at which the machine is reached are those that the node has claimed: a name may have changed what it
 * stands for since. */
static int
machine_claims_check_addresses(struct store *store, const struct task *task, jv result, struct error *err)
{
	static const char *const members[] = {"access_v4", "access_v6"};
	jv addresses = json_get(result, "ipaddresses"), facts = json_get(result, "result"), login = json_get(facts, "ssh-auth");
	int64_t port = (int64_t)json_get_number(login, "port", 22);
	int failed = 0;

	for (size_t i = 0; i < sizeof members / sizeof *members && !failed; i++) {
		char *address = json_get_string(addresses, members[i]);
		char *machine = address ? memory_printf("%s:%lld", address, (long long)port) : NULL;

		if (machine)
			failed = claims_check_address(store, task->machine.id, machine, err);
		free(machine);
		free(address);
	}
	jv_free(login);
	jv_free(facts);
	jv_free(addresses);
	return failed;
}

/* Checks that all addresses in the result are such as a tenant's own machine may have, if it is one. */
static int
machine_claims_check_ranges(struct store *store, const struct task *task, jv result, struct error *err)
{
	jv addresses = json_get(result, "ipaddresses");
	const struct place root = place_root(addresses, NULL);
	struct members members = members_of(&root);
	struct string_list ranges;
	struct arena arena = {0};
	struct place address;
	int is_own = machine_claims_ranges(store, task, &arena, &ranges, err), failed = is_own < 0 ? -1 : 0;

	while (members_next(&members, &address))
		if (is_own > 0 && !failed && !(json_string(address.value) && range_list_has(&ranges, json_string(address.value))))
			failed = machine_claims_refuse(task, json_string(address.value), err);
	arena_release(&arena);
	jv_free(addresses);
	return failed;
}

/* Keeps the host keys that the result has, of a node with a claim. */
static int
machine_claims_keep_host_keys(struct store *store, const struct task *task, jv host_keys, struct error *err)
{
	jv fields = json_get(task->provider, "provisioner");
	struct string_list keys = {0};
	struct arena arena = {0};
	int failed;

	keys.list = arena_alloc(&arena, json_length(host_keys) + 1, sizeof *keys.list);
	jv_object_foreach(host_keys, type, key) {
		const char *text = json_string(key);
		size_t length = text ? strcspn(text, " ") : 0;

		if (text && text[length])
			length += 1 + strcspn(text + length + 1, " ");
		if (text)
			keys.list[keys.count++] = arena_printf(&arena, "%.*s", (int)length, text);
		jv_free(type);
		jv_free(key);
	}
	failed = claims_keep_host_keys(store, task->machine.id, &keys, json_is(fields, "shared_host_keys", JV_KIND_TRUE), err);
	arena_release(&arena);
	jv_free(fields);
	return failed;
}

/* Checks what a provider says of a machine that was claimed: now, while the task has the claim, or before, while the node has it. */
static int
machine_claims_check(const struct task *task, jv result, struct error *err)
{
	jv facts = json_get(result, "result"), keys = json_get(facts, "ssh_host_keys"), claim = json_get(task->handed, "claim");
	bool claimed = json_string(claim);
	/* Those that a tenant says its machine has are another's, perhaps: they count once the machine has proven them. */
	bool is_said = claimed && origin_of(task->provider, ORIGIN_INSTALLATION) == ORIGIN_INSTALLATION;
	bool has_keys = jv_get_kind(keys) == JV_KIND_OBJECT && (is_said || task->action == ACTION_CONFIRM);
	struct store *store;
	int failed = 0;

	if (task->machine.id && json_get_number(result, "status", 1) == 0 && (claimed || has_keys)) {
		failed = store_open(&store, NULL, STORE_WRITE, NULL, err);
		if (!failed && claimed)
			failed = machine_claims_check_addresses(store, task, result, err);
		if (!failed && claimed)
			failed = machine_claims_check_ranges(store, task, result, err);
		if (!failed && has_keys)
			failed = machine_claims_keep_host_keys(store, task, keys, err);
		if (failed && err->code == EX_NOINPUT)
			failed = 0;
		store_release(store);
	}
	jv_free(claim);
	jv_free(keys);
	jv_free(facts);
	return failed;
}

int
machine_claims_serve(struct task *task, jv *result)
{
	struct error err;
	int again;
	jv claim;

	if (strcmp(task_plugin_kind(task->action), "provider") != 0)
		return 0;
	if (!machine_claims_has(*result)) {
		if (machine_claims_check(task, *result, &err) < 0) {
			jv_free(*result);
			*result = attempt_refusal(task, err.code, err.text);
		}
		return 0;
	}
	claim = json_get(*result, "claim");
	*result = jv_object_delete(*result, jv_string("claim"));
	again = machine_claims_decide(task, claim, &err);
	jv_free(claim);
	if (again >= 0)
		return again;
	jv_free(*result);
	*result = attempt_refusal(task, err.code, err.text);
	return 0;
}

/* Returns whether the action is done also to a machine that the tenant may use no more. */
static bool
machine_claims_lets_go(enum action action)
{
	return (ACTION_BIT(action) & (ACTIONS_TAKE_DOWN | ACTIONS_UNMAKE | ACTION_BIT(ACTION_STATUS) | ACTION_BIT(ACTION_CHECK))) != 0;
}

int
machine_claims_check_own(const struct task *task, struct error *err)
{
	struct string_list ranges;
	struct arena arena = {0};
	const char *machine;
	struct store *store;
	int got;

	if (!task->machine.id || !task->machine.address || machine_claims_lets_go(task->action) ||
	    origin_of(task->provider, ORIGIN_INSTALLATION) != ORIGIN_TENANT)
		return 0;
	if (task->machine.bastion.host && !range_is_public(task->machine.bastion.host))
		return error_set(err, EX_NOPERM, "node %s: its bastion %s is none of the public network, and a tenant has written its provider",
		    task->machine.id, task->machine.bastion.host);
	if (store_open(&store, NULL, STORE_READ, NULL, err) < 0)
		return err->code == EX_NOINPUT ? 0 : -1;
	got = claims_find(store, task->machine.id, &arena, &machine, err);
	if (got > 0)
		got = machine_claims_ranges(store, task, &arena, &ranges, err) < 0 ? -1
		    : range_list_has(&ranges, task->machine.address) ? 0 : machine_claims_refuse(task, task->machine.address, err);
	arena_release(&arena);
	store_release(store);
	return got < 0 ? -1 : 0;
}

int
machine_claims_check_record(const char *record, size_t length, struct error *err)
{
	struct problems problems = {0};
	struct task task = {0};
	int result;
	jv source;

	if (!origin_is_mentioned(record, length))
		return 0;
	if (json_parse("the task", record, length, &source, err) < 0)
		return -1;
	result = task_take(source, "the task", &task, &problems, err);
	if (result == 0)
		result = machine_claims_check_own(&task, err);
	task_release(&task);
	problems_release(&problems);
	jv_free(source);
	return result;
}

/* A claim as plugins read it. */
static jv
machine_claims_record(const struct claim *claim)
{
	jv record = jv_object();

	json_set_string(&record, "machine", claim->machine);
	json_set_string(&record, "node", claim->node);
	json_set_string(&record, "cluster", claim->cluster);
	json_set_string(&record, "hostname", claim->hostname);
	return record;
}

int
machine_claims_fill(jv *entity, struct error *err)
{
	char *provider = json_get_string(*entity, "name");
	struct claim_list list = {0};
	jv claims = jv_array();
	struct store *store;
	int result = store_open(&store, NULL, STORE_READ, NULL, err);

	if (result == 0)
		result = claims_list(store, provider, &list, err);
	else if (err->code == EX_NOINPUT)
		result = 0;
	for (size_t i = 0; i < list.count; i++)
		claims = jv_array_append(claims, machine_claims_record(&list.list[i]));
	if (list.count > 0)
		json_set(entity, "claims", jv_copy(claims));
	jv_free(claims);
	claim_list_release(&list);
	store_release(store);
	free(provider);
	return result;
}
