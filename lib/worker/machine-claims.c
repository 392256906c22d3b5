/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/machine-claims.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/attempt-result.h"
#include "json/place.h"
#include "model/take/task.h"
#include "store/claims.h"
#include "store/store.h"

static bool
machine_claims_has(jv record)
{
	return jv_object_has(jv_copy(record), jv_string("claim"));
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
	struct string_list names = place_read_strings(&list, &arena);
	int got;

	got = claims_take(store, &claim, names.list, names.count, &arena, &machine, err);
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

int
machine_claims_serve(struct task *task, jv *result)
{
	struct error err;
	int again;
	jv claim;

	if (!machine_claims_has(*result) || strcmp(task_plugin_kind(task->action), "provider") != 0)
		return 0;
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
