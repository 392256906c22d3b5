/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/life-volumes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/life-part.h"
#include "cloud/volume.h"
#include "exec/task-outcome.h"
#include "json/record.h"

struct wanted { /* what the task says of a volume; strings live in the life's arena */
	const char *name, *of, *path; /* of and path may be NULL */
	int64_t size_gb;
	bool keep;
};

static const struct cloud_volume_api *
life_volume_api(const struct life *life)
{
	return life->cloud->api->volumes;
}

static struct wanted
life_read_volume(struct life *life, jv record)
{
	jv keep = json_get(record, "keep");
	struct wanted wanted = {.name = json_arena_string(record, "id", &life->arena), .of = json_arena_string(record, "of", &life->arena),
	    .path = json_arena_string(record, "path", &life->arena), .size_gb = (int64_t)json_get_number(record, "size_gb", 1), .keep = jv_get_kind(keep) != JV_KIND_FALSE};

	jv_free(keep);
	return wanted;
}

/* Reads the volumes of the task. Returns the list, in the life's arena. */
static struct wanted *
life_read_volumes(struct life *life, size_t *count)
{
	jv list = json_get(life->task->source, "volumes");
	size_t length = jv_get_kind(list) == JV_KIND_ARRAY ? json_length(list) : 0;
	struct wanted *wanted = arena_alloc(&life->arena, length + 1, sizeof *wanted);

	*count = 0;
	for (size_t i = 0; i < length; i++) {
		jv record = json_element(list, i);

		wanted[*count] = life_read_volume(life, record);
		*count += wanted[*count].name != NULL;
		jv_free(record);
	}
	jv_free(list);
	return wanted;
}

/* Returns the next of that name behind before (NULL: the first) that is not gone; NULL where there is none. */
static const struct cloud_volume *
life_find_volume(const struct cloud_volumes *found, const char *name, const struct cloud_volume *before)
{
	for (size_t i = before ? (size_t)(before - found->list) + 1 : 0; i < found->count; i++)
		if (found->list[i].name && strcmp(found->list[i].name, name) == 0 && found->list[i].state != CLOUD_VOLUME_GONE)
			return &found->list[i];
	return NULL;
}

static int
life_list_some(struct life *life, bool snapshots, struct cloud_volumes *found)
{
	return life_volume_api(life)->list(life->cloud, snapshots, life->stop, found, &life->error);
}

/* --- made --- */

/* Fills in the tags of a volume or snapshot; the order points to them. */
static void
life_fill_volume_order(struct life *life, const struct wanted *wanted, const char *of, const char *tags[4][2], struct cloud_volume_order *order)
{
	const char *const all[4][2] = {{CLOUD_TAG_INSTALLATION, life->cloud->installation}, {CLOUD_TAG_PROVIDER, life->cloud->name},
	    {CLOUD_TAG_VOLUME, wanted->name}, {CLOUD_TAG_CLUSTER, life->task->cluster_id ? life->task->cluster_id : ""}};

	memcpy(tags, all, sizeof all);
	*order = (struct cloud_volume_order){.name = wanted->name, .of = of, .size_gb = wanted->size_gb,
	    .tags = (const char *const (*)[2])tags, .tag_count = 4};
}

/* Finds the cloud's id of the snapshot that a volume is to be made from, once that is complete: with some clouds it takes minutes. */
static int
life_find_snapshot(struct life *life, const struct wanted *wanted, const char **id)
{
	for (bool is_told = false;; is_told = true) {
		struct cloud_volumes found = {.list = NULL};
		const struct cloud_volume *snapshot = NULL;
		int result = life_list_some(life, true, &found);

		if (result == 0 && !(snapshot = life_find_volume(&found, wanted->of, NULL)))
			result = error_set(&life->error, EX_CONFIG, "volume %s: there is no snapshot %s in %s", wanted->name, wanted->of, life->cloud->name);
		*id = snapshot && snapshot->state != CLOUD_VOLUME_BUSY ? arena_string(&life->arena, snapshot->id) : NULL;
		cloud_volumes_release(&found);
		if (result < 0 || *id)
			return result;
		if (!is_told)
			life_say(life, "waiting until %s has made snapshot %s", life->cloud->name, wanted->of);
		if (stop_sleep(life->stop, life->cloud->poll_ms, &life->error) < 0)
			return error_prefix(&life->error, "%s is still making snapshot %s", life->cloud->name, wanted->of);
	}
}

static int
life_make_volume(struct life *life, const struct wanted *wanted, const struct cloud_machine *machine)
{
	struct cloud_volume_order order;
	const char *tags[4][2], *of = NULL;

	if (wanted->of && life_find_snapshot(life, wanted, &of) < 0)
		return -1;
	life_fill_volume_order(life, wanted, of, tags, &order);
	order.zone = machine->zone;
	order.image = life_member(life, "machine", "image");
	if (life_volume_api(life)->make(life->cloud, &order, life->stop, &life->error) < 0)
		return -1;
	life_say(life, "asked %s for volume %s", life->cloud->name, wanted->name);
	return 0;
}

/* --- attached --- */

/* Decides about a volume that another machine has: it is detached from one that is off, and a machine that is gone gives it back by itself.
 * Fails with EX_TEMPFAIL where that machine may still write. */
static int
life_take_volume(struct life *life, const struct cloud_volume *volume)
{
	struct cloud_machines machines = {.list = NULL};
	const struct cloud_machine *has = NULL;
	int result = life->cloud->api->list(life->cloud, NULL, life->stop, &machines, &life->error);

	for (size_t i = 0; i < machines.count && !has; i++)
		if (strcmp(machines.list[i].id, volume->machine) == 0)
			has = &machines.list[i];
	if (result == 0 && (!has || (has->state != CLOUD_GONE && !has->is_off)))
		result = error_set(&life->error, EX_TEMPFAIL, "volume %s: the machine %s of %s has it, and %s", volume->name, volume->machine,
		    life->cloud->name, has ? "is neither gone nor off" : "is none of this installation");
	if (result == 0 && has->is_off && !life_volume_api(life)->detach)
		result = error_set(&life->error, EX_TEMPFAIL, "volume %s: the machine %s of %s has it, until it is deleted", volume->name, volume->machine,
		    life->cloud->name);
	if (result == 0 && has->is_off && volume->state == CLOUD_VOLUME_ATTACHED)
		result = life_volume_api(life)->detach(life->cloud, volume, life->stop, &life->error);
	cloud_machines_release(&machines);
	return result;
}

/* Returns a name of a device that no volume of the machine has; NULL where all are taken. */
static const char *
life_free_device(const struct life *life, const struct cloud_volumes *found, const char *machine)
{
	for (const char *const *device = life_volume_api(life)->devices; *device; device++) {
		bool taken = false;

		for (size_t i = 0; i < found->count && !taken; i++)
			taken = found->list[i].machine && strcmp(found->list[i].machine, machine) == 0 && found->list[i].device &&
			    strcmp(found->list[i].device, *device) == 0;
		if (!taken)
			return *device;
	}
	return NULL;
}

/* Does what brings the volume nearer to the machine. Returns 1 where it is attached, 0 where it has to be looked at again, -1. */
static int
life_move_volume(struct life *life, const struct cloud_volumes *found, const struct cloud_volume *volume, const struct cloud_machine *machine)
{
	bool is_here = volume->machine && strcmp(volume->machine, machine->id) == 0;
	const char *device = NULL;

	if (volume->state == CLOUD_VOLUME_ATTACHED && is_here)
		return 1;
	if (volume->machine && !is_here)
		return life_take_volume(life, volume);
	if (volume->state != CLOUD_VOLUME_FREE)
		return 0;
	if (life_volume_api(life)->devices && !(device = life_free_device(life, found, machine->id)))
		return error_set(&life->error, EX_CONFIG, "machine %s has as many volumes as it can have", machine->id);
	return life_volume_api(life)->attach(life->cloud, volume, machine->id, device, life->stop, &life->error);
}

/* Tells whether a volume is to be asked for: it is not there, or was not completed. */
static bool
life_lacks_volume(const struct life *life, const struct cloud_volume *volume)
{
	return !volume || (life_volume_api(life)->fills && volume->state == CLOUD_VOLUME_BUSY && !volume->machine);
}

/* Attaches one volume, which is made where it is not there, and adds what the machine is to know of it. */
static int
life_attach_volume(struct life *life, const struct wanted *wanted, const struct cloud_machine *machine, jv *records)
{
	bool is_asked_for = false;
	int done = 0;

	while (done == 0) {
		struct cloud_volumes found = {.list = NULL};
		const struct cloud_volume *volume = NULL;

		done = life_list_some(life, false, &found);
		if (done == 0)
			volume = life_find_volume(&found, wanted->name, NULL);
		if (done == 0 && life_lacks_volume(life, volume) && !is_asked_for) {
			done = life_make_volume(life, wanted, machine);
			is_asked_for = true;
		} else if (done == 0 && volume) {
			done = life_move_volume(life, &found, volume, machine);
		}
		if (done > 0) {
			jv record = jv_object();

			json_set_string(&record, "id", wanted->name);
			json_set_string(&record, "device", life_volume_api(life)->paths(volume, &life->arena));
			json_set_string(&record, "providerid", volume->id);
			*records = jv_array_append(*records, record);
		}
		cloud_volumes_release(&found);
		if (done == 0)
			done = stop_sleep(life->stop, life->cloud->poll_ms, &life->error);
	}
	return done < 0 ? -1 : 0;
}

/* --- given with the machine --- */

static bool
life_has_machine(const struct cloud_machines *machines, const char *id)
{
	for (size_t i = 0; id && i < machines->count; i++)
		if (strcmp(machines->list[i].id, id) == 0)
			return true;
	return false;
}

/* Tells whether the one machine of the node runs and has all volumes. Returns 1, 0 or -1. */
static int
life_has_volumes(struct life *life, const struct wanted *wanted, size_t count, const struct cloud_machines *machines)
{
	struct cloud_volumes found = {.list = NULL};
	int result = life_list_some(life, false, &found);
	bool whole = machines->count == 1 && machines->list->state == CLOUD_RUNNING;

	for (size_t i = 0; i < count && result == 0 && whole; i++) {
		const struct cloud_volume *volume = life_find_volume(&found, wanted[i].name, NULL);

		whole = volume && life_has_machine(machines, volume->machine);
	}
	cloud_volumes_release(&found);
	return result < 0 ? -1 : whole;
}

/* Waits until the volume is there, and nothing but these machines has it. */
static int
life_ready_volume(struct life *life, const struct wanted *wanted, const struct cloud_machines *machines)
{
	bool asked = false;

	for (;;) {
		struct cloud_volumes found = {.list = NULL};
		const struct cloud_volume *volume = NULL;
		int result = life_list_some(life, false, &found);

		if (result == 0)
			volume = life_find_volume(&found, wanted->name, NULL);
		if (result == 0 && volume && volume->state != CLOUD_VOLUME_BUSY)
			result = !volume->machine || life_has_machine(machines, volume->machine) ? 1 : life_take_volume(life, volume);
		else if (result == 0 && (!asked || life_volume_api(life)->fills))
			result = life_make_volume(life, wanted, &machines->list[0]);
		asked = true;
		cloud_volumes_release(&found);
		if (result != 0)
			return result < 0 ? -1 : 0;
		if (stop_sleep(life->stop, life->cloud->poll_ms, &life->error) < 0)
			return -1;
	}
}

/* Tells whether services stand on the node, which would not survive that its machine is made anew. */
static bool
life_is_in_use(const struct life *life)
{
	jv machine = json_get(life->task->source, "machine"), was = json_get(machine, "was");
	bool is_in_use = jv_get_kind(was) == JV_KIND_ARRAY && json_length(was) > 0;

	jv_free(was);
	jv_free(machine);
	return is_in_use;
}

/* Makes the machine anew with the volumes. */
static int
life_give_volumes(struct life *life, const struct wanted *wanted, size_t count, const struct cloud_machines *machines)
{
	struct cloud_volume_place *places = arena_alloc(&life->arena, count, sizeof *places);

	if (life_is_in_use(life))
		return error_set(&life->error, EX_CONFIG, "node %s: a machine of %s gets volumes only when it is new, and services stand on it; replace the node",
		    life->task->machine.id, life->cloud->name);
	for (size_t i = 0; i < count; i++)
		if (life_ready_volume(life, &wanted[i], machines) < 0)
			return -1;
	for (size_t i = 0; i < count; i++) {
		if (!wanted[i].path)
			return error_set(&life->error, EX_DATAERR, "the task does not say where volume %s is to be mounted", wanted[i].name);
		places[i] = (struct cloud_volume_place){wanted[i].name, wanted[i].path};
	}
	life_say(life, "making machine %s anew with its volumes", machines->list[0].id);
	return life_volume_api(life)->give(life->cloud, machines, places, count, life->stop, &life->error);
}

/* Tells what the machine with the volumes is, once it runs. */
static int
life_tell_given(struct life *life, const struct wanted *wanted, size_t count)
{
	struct cloud_machines found = {.list = NULL};
	int result = life_look(life, clock_monotonic_ms(), &found);
	jv records = jv_array();

	if (result == 0 && (found.count != 1 || found.list->state != CLOUD_RUNNING))
		result = error_set(&life->error, EX_TEMPFAIL, "node %s has no machine that runs in %s: %s", life->task->machine.id, life->cloud->name,
		    found.count && found.list->reason ? found.list->reason : "it has ended");
	if (result == 0)
		life_hand_out(life, found.list, NULL);
	for (size_t i = 0; i < count; i++) {
		jv record = jv_object();

		json_set_string(&record, "id", wanted[i].name);
		records = jv_array_append(records, record);
	}
	if (result == 0)
		json_set(&life->outcome->facts, "volumes", jv_copy(records));
	jv_free(records);
	cloud_machines_release(&found);
	return result;
}

static int
life_attach_by_making(struct life *life, const struct wanted *wanted, size_t count)
{
	struct cloud_machines found = {.list = NULL};
	int result = life_look(life, clock_monotonic_ms(), &found);

	if (result == 0 && found.count == 0)
		result = error_set(&life->error, EX_TEMPFAIL, "node %s has no machine in %s", life->task->machine.id, life->cloud->name);
	if (result == 0)
		result = life_has_volumes(life, wanted, count, &found);
	if (result == 0)
		result = life_give_volumes(life, wanted, count, &found);
	cloud_machines_release(&found);
	return result < 0 ? -1 : life_tell_given(life, wanted, count);
}

int
life_attach(struct life *life)
{
	struct cloud_machines found = {.list = NULL};
	size_t count;
	struct wanted *wanted = life_read_volumes(life, &count);
	jv records;
	int result;

	if (life_volume_api(life)->give)
		return life_attach_by_making(life, wanted, count);
	records = jv_array();
	result = life_look(life, clock_monotonic_ms(), &found);
	if (result == 0 && (found.count != 1 || found.list->state != CLOUD_RUNNING))
		result = error_set(&life->error, EX_TEMPFAIL, "node %s has no machine that runs in %s", life->task->machine.id, life->cloud->name);
	for (size_t i = 0; i < count && result == 0; i++)
		result = life_attach_volume(life, &wanted[i], &found.list[0], &records);
	if (result == 0) {
		life->outcome->facts = jv_object();
		json_set(&life->outcome->facts, "volumes", jv_copy(records));
	}
	jv_free(records);
	cloud_machines_release(&found);
	return result;
}

/* --- released, and deleted --- */

/* Deletes all of that name, in as far as no machine has them; asks again until there is none. */
static int
life_remove_volumes(struct life *life, const char *name, bool snapshots, bool waits)
{
	for (;;) {
		struct cloud_volumes found = {.list = NULL};
		const struct cloud_volume *volume;
		int result = life_list_some(life, snapshots, &found);
		bool any = false;

		volume = result == 0 ? life_find_volume(&found, name, NULL) : NULL;
		for (; volume && result == 0; volume = life_find_volume(&found, name, volume)) {
			any = true;
			if (!volume->machine)
				result = life_volume_api(life)->remove(life->cloud, volume, life->stop, &life->error);
			else if (!waits)
				result = error_set(&life->error, EX_TEMPFAIL, "volume %s: the machine %s of %s has it", name, volume->machine, life->cloud->name);
		}
		cloud_volumes_release(&found);
		if (result < 0 || !any)
			return result;
		if (stop_sleep(life->stop, life->cloud->poll_ms, &life->error) < 0)
			return -1;
	}
}

int
life_release_volumes(struct life *life)
{
	size_t count;
	struct wanted *wanted = life_read_volumes(life, &count);
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++)
		if (!wanted[i].keep)
			result = life_remove_volumes(life, wanted[i].name, false, true);
	return result;
}

static struct wanted
life_read_one(struct life *life, bool *is_snapshot)
{
	jv record = json_get(life->task->source, "volume"), snapshot = json_get(record, "snapshot");
	struct wanted wanted = life_read_volume(life, record);

	*is_snapshot = jv_get_kind(snapshot) == JV_KIND_TRUE;
	jv_free(snapshot);
	jv_free(record);
	return wanted;
}

int
life_discard(struct life *life)
{
	bool is_snapshot;
	struct wanted wanted = life_read_one(life, &is_snapshot);

	if (!wanted.name)
		return error_set(&life->error, EX_DATAERR, "the task names no volume");
	return life_remove_volumes(life, wanted.name, is_snapshot, false);
}

int
life_snapshot(struct life *life)
{
	struct cloud_volumes found = {.list = NULL};
	const struct cloud_volume *volume = NULL, *snapshot;
	struct cloud_volume_order order;
	const char *tags[4][2];
	bool is_snapshot, there;
	struct wanted wanted = life_read_one(life, &is_snapshot);
	int result;

	if (!wanted.name || !wanted.of)
		return error_set(&life->error, EX_DATAERR, "the task names no volume of which a snapshot is to be made");
	result = life_list_some(life, true, &found);
	snapshot = result == 0 ? life_find_volume(&found, wanted.name, NULL) : NULL;
	there = snapshot && !(life_volume_api(life)->fills && snapshot->state == CLOUD_VOLUME_BUSY);
	cloud_volumes_release(&found);
	if (result < 0 || there)
		return result;
	result = life_list_some(life, false, &found);
	if (result == 0 && !(volume = life_find_volume(&found, wanted.of, NULL)))
		result = error_set(&life->error, EX_CONFIG, "there is no volume %s in %s", wanted.of, life->cloud->name);
	if (result == 0) {
		life_fill_volume_order(life, &wanted, volume->id, tags, &order);
		result = life_volume_api(life)->snapshot(life->cloud, &order, life->stop, &life->error);
	}
	cloud_volumes_release(&found);
	return result;
}

/* --- asked --- */

/* A machine that the cloud does not list may be missing there for a while only, so that it is looked for until that time is over. */
int
life_fence(struct life *life)
{
	const int64_t until = clock_monotonic_ms() + life->cloud->window_ms;

	for (;;) {
		struct cloud_machines found = {.list = NULL};
		bool may_write = false, any = false;

		if (life->cloud->api->list(life->cloud, life->task->machine.id, life->stop, &found, &life->error) < 0) {
			cloud_machines_release(&found);
			return -1;
		}
		for (size_t i = 0; i < found.count; i++) {
			bool is_its = found.list[i].node && strcmp(found.list[i].node, life->task->machine.id) == 0;

			any = any || is_its;
			may_write = may_write || (is_its && found.list[i].state != CLOUD_GONE && !found.list[i].is_off);
		}
		cloud_machines_release(&found);
		if (may_write)
			return error_set(&life->error, EX_NO, "%s says that its machine is neither gone nor off", life->cloud->name);
		if (any || clock_monotonic_ms() >= until)
			return 0;
		if (stop_sleep(life->stop, life->cloud->poll_ms, &life->error) < 0)
			return -1;
	}
}

static void
life_print_volume(const struct cloud_volume *volume, const struct cloud_machines *machines)
{
	jv record = jv_object();

	json_set_string(&record, "kind", "volume");
	json_set_string(&record, "id", volume->name ? volume->name : volume->id);
	json_set_string(&record, "providerid", volume->id);
	json_set_number(&record, "size_gb", (double)volume->size_gb);
	if (volume->provider)
		json_set_string(&record, "provider", volume->provider);
	if (volume->zone)
		json_set_string(&record, "zone", volume->zone);
	for (size_t i = 0; volume->machine && i < machines->count; i++)
		if (strcmp(machines->list[i].id, volume->machine) == 0 && machines->list[i].node)
			json_set_string(&record, "node", machines->list[i].node);
	json_set(&record, "snapshot", volume->is_snapshot ? jv_true() : jv_false());
	record_write(record, stdout);
	jv_free(record);
}

int
life_list_volumes(struct cloud *cloud, const struct stop *stop, struct error *err)
{
	struct cloud_volumes found = {.list = NULL};
	struct cloud_machines machines = {.list = NULL};
	int result = cloud->api->volumes->list(cloud, false, stop, &found, err);

	if (result == 0)
		result = cloud->api->volumes->list(cloud, true, stop, &found, err);
	if (result == 0)
		result = cloud->api->list(cloud, NULL, stop, &machines, err);
	for (size_t i = 0; i < found.count && result == 0; i++)
		if (found.list[i].state != CLOUD_VOLUME_GONE && (!found.list[i].provider || strcmp(found.list[i].provider, cloud->name) == 0))
			life_print_volume(&found.list[i], &machines);
	cloud_machines_release(&machines);
	cloud_volumes_release(&found);
	return result;
}
