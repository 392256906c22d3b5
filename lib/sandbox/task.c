/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "model/entity.h"
#include "model/name.h"
#include "sandbox/address.h"
#include "sandbox/limits.h"

enum { TIMEOUT_MAX_S = 30 * 86400 };

/* Of limits: less and not even sshd works. */
#define CPU_MIN 0.05
#define LIMIT_MAX 1e9
enum { MEMORY_MIN = 32, PROCESSES_MIN = 32, DISK_MIN = 64 };

/* An id that becomes a file name of ours: hidden ones are not listed. */
static bool
task_is_id(const char *text)
{
	return name_is_valid(text) && *text != '.';
}

/* Values are lines of a file. */
static bool
task_is_line(const char *text)
{
	return *text && !strchr(text, '\n');
}

static bool
task_is_hostname(const char *text)
{
	size_t label = strcspn(text, ".");

	return name_is_host(text) && label > 0 && label <= 63;
}

/* Reads a list of directories, or one string of them with colons between. Returns NULL if there are none. */
static const char *
task_parse_shares(const struct place *fields, struct arena *arena)
{
	struct place member = place_member(fields, "share");
	struct string_list list;
	struct buffer joined = {0};
	const char *shares = NULL;

	if (json_string(member.value))
		return *json_string(member.value)
		    ? name_parse_as(fields, "share", NEED_OPTIONAL, task_is_line, "a list of directories", arena) : NULL;
	list = place_strings(fields, "share", arena);
	for (size_t i = 0; i < list.count; i++) {
		if (!task_is_line(list.list[i]) || strchr(list.list[i], ':'))
			place_problem(&member, "\"%s\" is not a directory that can be shared", list.list[i]);
		buffer_printf(&joined, "%s%s", i ? ":" : "", list.list[i]);
	}
	if (list.count)
		shares = arena_string(arena, joined.data);
	buffer_release(&joined);
	return shares;
}

/* Reads a limit: a number, printed with digits behind the point where it has some. */
static const char *
task_parse_limit(const struct place *size, const char *name, double min, const char *otherwise, struct arena *arena)
{
	struct place member = place_member(size, name);

	if (!place_present(&member))
		return otherwise;
	return arena_printf(arena, "%.15g", place_read_number(&member, min, min, LIMIT_MAX));
}

/* Reads what a machine of the flavor takes of this host at most: the provider says it, for "*" if it does not name the flavor. */
static void
task_parse_limits(const struct place *node, const struct place *provider, struct machine *wanted)
{
	struct place fields = place_member(provider, "provisioner"), flavors = place_member(&fields, "flavors"), size;
	const char *flavor = place_string(node, "flavor", NEED_OPTIONAL, &wanted->arena);

	limits_default(wanted);
	if (!place_object(&flavors, NEED_OPTIONAL))
		return;
	size = place_member(&flavors, flavor ? flavor : "*");
	if (!place_present(&size))
		size = place_member(&flavors, "*");
	if (!place_object(&size, NEED_OPTIONAL))
		return;
	wanted->cpu = task_parse_limit(&size, "cpu", CPU_MIN, wanted->cpu, &wanted->arena);
	wanted->memory = task_parse_limit(&size, "memory", MEMORY_MIN, wanted->memory, &wanted->arena);
	wanted->processes = task_parse_limit(&size, "processes", PROCESSES_MIN, wanted->processes, &wanted->arena);
	wanted->disk = task_parse_limit(&size, "disk", DISK_MIN, wanted->disk, &wanted->arena);
}

static void
task_parse_provider(const struct place *provider, struct machine *wanted)
{
	struct place fields = place_member(provider, "provisioner");

	if (!place_object(provider, NEED_REQUIRED))
		return;
	wanted->provider = name_parse(provider, "name", NEED_REQUIRED, &wanted->arena);
	if (!place_object(&fields, NEED_OPTIONAL))
		return;
	wanted->network = name_parse_as(&fields, "network", NEED_OPTIONAL, task_is_line, "a network", &wanted->arena);
	wanted->route = place_boolean(&fields, "route", false) ? "yes" : NULL;
	wanted->unconfined = place_boolean(&fields, "unconfined", false) ? "yes" : NULL;
	wanted->shares = task_parse_shares(&fields, &wanted->arena);
}

void
sandbox_task_parse_create(const struct place *place, struct sandbox_task *task)
{
	struct place cluster = place_member(place, "cluster"), provider = place_member(&cluster, "provider"),
		     node = place_member(place, "machine");
	struct machine *wanted = &task->wanted;

	*task = (struct sandbox_task){.timeout_s = TASK_TIMEOUT_S};
	if (!place_object(place, NEED_REQUIRED))
		return;
	wanted->token = name_parse_as(place, "token", NEED_REQUIRED, task_is_line, "a token", &wanted->arena);
	if (place_object(&cluster, NEED_REQUIRED)) {
		wanted->cluster = name_parse_as(&cluster, "id", NEED_REQUIRED, task_is_id, "an id", &wanted->arena);
		wanted->login = name_parse_as(&cluster, "key", NEED_OPTIONAL, task_is_line, "a public key", &wanted->arena);
		task_parse_provider(&provider, wanted);
	}
	task->nodes = name_parse_as(place, "nodes", NEED_OPTIONAL, task_is_line, "a path", &wanted->arena);
	if (place_object(&node, NEED_REQUIRED)) {
		wanted->node = name_parse_as(&node, "id", NEED_REQUIRED, task_is_id, "an id", &wanted->arena);
		wanted->hostname = name_parse_as(&node, "hostname", NEED_REQUIRED, task_is_hostname, "a host name", &wanted->arena);
		wanted->image = name_parse_as(&node, "image", NEED_OPTIONAL, task_is_line, "an image", &wanted->arena);
	}
	if (place->problems->total == 0)
		task_parse_limits(&node, &provider, wanted);
	wanted->image = wanted->image ? wanted->image : "host";
	wanted->network = wanted->network ? wanted->network : NETWORK_DEFAULT;
}

/* Reads one volume of a task. */
static void
task_parse_volume(const struct place *task, const struct place *place, struct arena *arena, struct sandbox_volume *volume)
{
	struct place cluster = place_member(task, "cluster"), provider = place_member(&cluster, "provider");

	*volume = (struct sandbox_volume){.id = name_parse_as(place, "id", NEED_REQUIRED, task_is_id, "an id", arena),
	    .of = name_parse_as(place, "of", NEED_OPTIONAL, task_is_id, "an id", arena),
	    .path = name_parse_as(place, "path", NEED_OPTIONAL, task_is_line, "a path", arena),
	    .size_gb = place_integer(place, "size_gb", 1, 1, VOLUME_MAX_GB), .keep = place_boolean(place, "keep", true),
	    .provider = name_parse(&provider, "name", NEED_OPTIONAL, arena)};
}

/* Reads the list of volumes, where there is one. */
static void
task_parse_volumes(const struct place *place, struct sandbox_task *task)
{
	struct place list = place_member(place, "volumes");

	if (!place_present(&list) || !place_array(&list, NEED_REQUIRED))
		return;
	task->volumes = arena_alloc(&task->wanted.arena, json_length(list.value) + 1, sizeof *task->volumes);
	for (size_t i = 0; i < json_length(list.value); i++) {
		struct place volume = place_element(&list, i);

		if (place_object(&volume, NEED_REQUIRED))
			task_parse_volume(place, &volume, &task->wanted.arena, &task->volumes[task->volume_count++]);
	}
}

void
sandbox_task_parse_volume(const struct place *place, struct sandbox_task *task)
{
	struct place volume = place_member(place, "volume");

	*task = (struct sandbox_task){.timeout_s = TASK_TIMEOUT_S};
	if (!place_object(place, NEED_REQUIRED) || !place_object(&volume, NEED_REQUIRED))
		return;
	task->volumes = arena_alloc(&task->wanted.arena, 1, sizeof *task->volumes);
	task->volume_count = 1;
	task_parse_volume(place, &volume, &task->wanted.arena, task->volumes);
}

void
sandbox_task_parse(const struct place *place, struct sandbox_task *task)
{
	struct place node = place_member(place, "machine"), facts = place_member(&node, "facts");
	struct arena *arena = &task->wanted.arena;

	*task = (struct sandbox_task){.timeout_s = TASK_TIMEOUT_S};
	if (!place_object(place, NEED_REQUIRED))
		return;
	task->timeout_s = place_integer(place, "timeout_s", TASK_TIMEOUT_S, 1, TIMEOUT_MAX_S);
	task->providerid = name_parse_as(place, "providerid", NEED_OPTIONAL, task_is_id, "a providerid", arena);
	if (place_object(&node, NEED_OPTIONAL))
		task->wanted.node = name_parse_as(&node, "id", NEED_REQUIRED, task_is_id, "an id", arena);
	if (place_object(&facts, NEED_OPTIONAL))
		task->providerid = name_parse_as(&facts, "providerid", NEED_OPTIONAL, task_is_id, "a providerid", arena);
	task_parse_volumes(place, task);
	if (place->problems->total == 0 && !task->providerid && !task->wanted.node)
		place_problem(place, "names no machine: neither /machine/id nor /machine/facts/providerid");
}

/* Appends the real path, if it exists; frees path. */
static int
task_append_mask(char *path, struct buffer *out, struct error *err)
{
	char *real = realpath(path, NULL);
	int result = 0;

	if (real && strchr(real, ':'))
		result = error_set(err, EX_CONFIG, "%s: cannot be hidden from machines, as its name has a colon", real);
	else if (real)
		buffer_printf(out, "%s%s", out->length ? ":" : "", real);
	free(real);
	free(path);
	return result;
}

/* Returns the spool that path, of a file in its jobs/JOB/, lies in; NULL if it looks like none. The caller frees it. */
static char *
task_spool_of(const char *path)
{
	const char *jobs = path ? strstr(path, "/jobs/") : NULL, *next;

	while (jobs && (next = strstr(jobs + 1, "/jobs/")))
		jobs = next;
	return jobs && jobs > path ? memory_substring(path, (size_t)(jobs - path)) : NULL;
}

int
sandbox_task_mask(struct sandbox_task *task, struct error *err)
{
	char *state = location_state(), *own = task_spool_of(task->nodes);
	struct buffer masks = {0};
	int result = file_make_dirs(AT_FDCWD, state, 0700, err);

	/* The spool that the task comes from, and the one of this process's environment. */
	if (result == 0 && own)
		result = task_append_mask(own, &masks, err);
	else
		free(own);
	if (result == 0)
		result = task_append_mask(location_spool(NULL), &masks, err);
	if (result == 0)
		result = task_append_mask(memory_string("/etc/coopr"), &masks, err);
	if (result == 0)
		result = task_append_mask(memory_string(state), &masks, err);
	if (result == 0)
		task->wanted.masks = arena_string(&task->wanted.arena, masks.data);
	buffer_release(&masks);
	free(state);
	return result;
}

void
sandbox_task_release(struct sandbox_task *task)
{
	machine_release(&task->wanted);
}
