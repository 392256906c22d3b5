/* SPDX-License-Identifier: Apache-2.0 */
#include "volume/serve.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cluster/clusters.h"
#include "cluster/volumes.h"
#include "exec/attempt-result.h"
#include "model/entity.h"
#include "model/take/task.h"
#include "store/store.h"

struct wanted { /* what the plan says of a volume */
	const char *service, *path;
	struct volume_wish wish;
};

static int
volume_serve_compare(const void *a, const void *b)
{
	return strcmp(((const struct wanted *)a)->path, ((const struct wanted *)b)->path);
}

/* Reads the fields that the plan has given to the task; strings live in the arena. Returns the list, sorted by path. */
static struct wanted *
volume_serve_read(const struct task *task, struct arena *arena, size_t *count)
{
	jv fields = json_get(task->source, "fields"), volumes = json_get(fields, "volumes");
	size_t length = json_length(volumes);
	struct wanted *list = arena_alloc(arena, length + 1, sizeof *list);

	*count = 0;
	for (size_t i = 0; i < length; i++) {
		jv volume = json_element(volumes, i);
		struct wanted one = {json_arena_string(volume, "service", arena), json_arena_string(volume, "path", arena),
		    {.name = json_arena_string(volume, "name", arena), .size_gb = (int64_t)json_get_number(volume, "size_gb", 1),
		    .keep = !json_is(volume, "keep", JV_KIND_FALSE)}};

		if (one.service && one.path && one.wish.name)
			list[(*count)++] = one;
		jv_free(volume);
	}
	qsort(list, *count, sizeof *list, volume_serve_compare);
	jv_free(volumes);
	jv_free(fields);
	return list;
}

static jv
volume_serve_record(const struct volume *volume, const char *path, bool keep)
{
	jv record = jv_object();

	json_set(&record, "blank", jv_bool(volume->is_blank));
	json_set_string(&record, "id", volume->id);
	json_set(&record, "keep", jv_bool(keep));
	json_set_string(&record, "name", volume->name);
	if (volume->of)
		json_set_string(&record, "of", volume->of);
	if (path)
		json_set_string(&record, "path", path);
	json_set_string(&record, "service", volume->service);
	json_set_number(&record, "size_gb", (double)volume->size_gb);
	return record;
}

/* Gives the node all volumes that are wanted, and adds them to the list of records. */
static int
volume_serve_assign(struct store *store, const struct task *task, const struct wanted *wanted, size_t count, jv *records, struct error *err)
{
	char *provider = json_get_string(task->provider, "name");
	struct volume_place place = {.cluster = task->cluster_id ? cluster_id_of(task->cluster_id) : 0, .provider = provider,
	    .zone = task->machine.zone, .node = task->machine.id, .cost = json_get_number(task->provider, "volume_cost", 0)};
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		struct volume_list list = {0};

		place.service = wanted[i].service;
		result = volumes_assign(store, &place, &wanted[i].wish, &list, err);
		if (result == 0)
			*records = jv_array_append(*records, volume_serve_record(&list.list[0], wanted[i].path, list.list[0].keep));
		volume_list_release(&list);
	}
	free(provider);
	return result;
}

static bool
volume_serve_is(const struct volume *volume, const struct wanted *wanted)
{
	return strcmp(wanted->service, volume->service) == 0 && strcmp(wanted->wish.name, volume->name) == 0;
}

/* Returns where the volume is to be mounted; NULL where the task does not say. */
static const char *
volume_serve_path(const struct volume *volume, const struct wanted *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (volume_serve_is(volume, &wanted[i]))
			return wanted[i].path;
	return NULL;
}

/* Adds those that the node has: for a mount those that the task is about, in the order of their paths. */
static int
volume_serve_add_present(struct store *store, const struct task *task, const struct wanted *wanted, size_t count, jv *records,
    struct error *err)
{
	struct volume_list list = {0};
	int result = volumes_of_node(store, task->machine.id, &list, err);

	if (task->action == ACTION_DELETE)
		for (size_t i = 0; i < list.count && result == 0; i++)
			*records = jv_array_append(*records, volume_serve_record(&list.list[i], volume_serve_path(&list.list[i], wanted, count),
			    volume_stays(&list.list[i])));
	for (size_t i = 0; i < count && task->action == ACTION_MOUNT && result == 0; i++) {
		const struct volume *found = NULL;

		for (size_t j = 0; j < list.count && !found; j++)
			if (volume_serve_is(&list.list[j], &wanted[i]))
				found = &list.list[j];
		if (found)
			*records = jv_array_append(*records, volume_serve_record(found, wanted[i].path, found->keep));
		else
			result = error_set(err, EX_TEMPFAIL, "node %s: its volume %s of %s is not attached", task->machine.id, wanted[i].wish.name,
			    wanted[i].service);
	}
	volume_list_release(&list);
	return result;
}

/* Tells whether volumes are known to the store for such a task. */
static bool
volume_serve_is_of_volumes(const struct task *task)
{
	return task->machine.id && (ACTIONS_VOLUMES | ACTIONS_UNMAKE) & ACTION_BIT(task->action);
}

int
volume_serve_begin(struct task *task, struct error *err)
{
	struct arena arena = {0};
	struct wanted *wanted;
	struct store *store;
	size_t count;
	jv records;
	int result;

	if (!volume_serve_is_of_volumes(task))
		return 0;
	records = jv_array();
	wanted = volume_serve_read(task, &arena, &count);
	result = store_open(&store, NULL, STORE_WRITE, NULL, err);
	if (result == 0)
		result = task->action == ACTION_ATTACH ? volume_serve_assign(store, task, wanted, count, &records, err)
		    : volume_serve_add_present(store, task, wanted, count, &records, err);
	else if (err->code == EX_NOINPUT)
		result = task->action == ACTION_DELETE ? 0
		    : error_set(err, EX_CONFIG, "node %s: there is no store, which knows all volumes; create the cluster with coopr create", task->machine.id);
	store_release(store);
	if (result < 0 && err->code == EX_NO)
		err->code = EX_CONFIG; /* trying again does not help */
	if (result == 0 && (json_length(records) > 0 || task->action != ACTION_DELETE))
		json_set(&task->handed, "volumes", jv_copy(records));
	jv_free(records);
	arena_release(&arena);
	return result;
}

void
volume_serve_end(const struct task *task, jv *result)
{
	struct store *store = NULL;
	struct error err;
	jv volumes;
	int recorded = 0;

	if (!volume_serve_is_of_volumes(task) || task->action == ACTION_ATTACH || json_get_number(*result, "status", 1) != 0)
		return;
	volumes = json_get(task->handed, "volumes");
	if (json_length(volumes) > 0 && (recorded = store_open(&store, NULL, STORE_WRITE, NULL, &err)) == 0)
		recorded = task->action == ACTION_MOUNT ? volumes_set_mounted(store, task->machine.id, &err)
		    : volumes_release(store, task->machine.id, &err);
	store_release(store);
	jv_free(volumes);
	if (recorded == 0)
		return;
	jv_free(*result);
	*result = attempt_refusal(task, err.code, err.text);
}
