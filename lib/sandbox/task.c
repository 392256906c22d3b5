/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "model/name.h"
#include "sandbox/address.h"

enum { TIMEOUT_MAX_S = 30 * 86400 };

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

/* A list of directories, or one string of them with colons between; NULL where there are none. */
static const char *
task_parse_shares(const struct place *fields, struct arena *arena)
{
	struct place member = place_member(fields, "share");
	struct string_list list;
	struct buffer joined = {0};
	const char *shares = NULL;

	if (json_string(member.value))
		return *json_string(member.value)
		    ? name_parse_as(fields, "share", NEED_OPTIONAL, task_is_line, "list of directories", arena) : NULL;
	list = place_strings(fields, "share", arena);
	for (size_t i = 0; i < list.count; i++) {
		if (!task_is_line(list.list[i]) || strchr(list.list[i], ':'))
			place_problem(&member, "\"%s\" is no directory that can be shared", list.list[i]);
		buffer_printf(&joined, "%s%s", i ? ":" : "", list.list[i]);
	}
	if (list.count)
		shares = arena_string(arena, joined.data);
	buffer_release(&joined);
	return shares;
}

static void
task_parse_provider(const struct place *provider, struct machine *wish)
{
	struct place fields = place_member(provider, "provisioner");

	if (!place_object(provider, NEED_REQUIRED))
		return;
	wish->provider = name_parse(provider, "name", NEED_REQUIRED, &wish->arena);
	if (!place_object(&fields, NEED_OPTIONAL))
		return;
	wish->network = name_parse_as(&fields, "network", NEED_OPTIONAL, task_is_line, "network", &wish->arena);
	wish->shares = task_parse_shares(&fields, &wish->arena);
}

void
sandbox_task_parse_create(const struct place *place, struct sandbox_task *task)
{
	struct place cluster = place_member(place, "cluster"), provider = place_member(&cluster, "provider"),
		     node = place_member(place, "machine");
	struct machine *wish = &task->wish;

	*task = (struct sandbox_task){.timeout_s = TASK_TIMEOUT_S};
	if (!place_object(place, NEED_REQUIRED))
		return;
	wish->token = name_parse_as(place, "token", NEED_REQUIRED, task_is_line, "token", &wish->arena);
	if (place_object(&cluster, NEED_REQUIRED)) {
		wish->cluster = name_parse_as(&cluster, "id", NEED_REQUIRED, task_is_id, "id", &wish->arena);
		task_parse_provider(&provider, wish);
	}
	task->nodes = name_parse_as(place, "nodes", NEED_OPTIONAL, task_is_line, "path", &wish->arena);
	if (place_object(&node, NEED_REQUIRED)) {
		wish->node = name_parse_as(&node, "id", NEED_REQUIRED, task_is_id, "id", &wish->arena);
		wish->hostname = name_parse_as(&node, "hostname", NEED_REQUIRED, task_is_hostname, "host name", &wish->arena);
		wish->image = name_parse_as(&node, "image", NEED_OPTIONAL, task_is_line, "image", &wish->arena);
	}
	wish->image = wish->image ? wish->image : "host";
	wish->network = wish->network ? wish->network : NETWORK_DEFAULT;
}

void
sandbox_task_parse(const struct place *place, struct sandbox_task *task)
{
	struct place node = place_member(place, "machine"), facts = place_member(&node, "facts");
	struct arena *arena = &task->wish.arena;

	*task = (struct sandbox_task){.timeout_s = TASK_TIMEOUT_S};
	if (!place_object(place, NEED_REQUIRED))
		return;
	task->timeout_s = place_integer(place, "timeout_s", TASK_TIMEOUT_S, 1, TIMEOUT_MAX_S);
	task->providerid = name_parse_as(place, "providerid", NEED_OPTIONAL, task_is_id, "providerid", arena);
	if (place_object(&node, NEED_OPTIONAL))
		task->wish.node = name_parse_as(&node, "id", NEED_REQUIRED, task_is_id, "id", arena);
	if (place_object(&facts, NEED_OPTIONAL))
		task->providerid = name_parse_as(&facts, "providerid", NEED_OPTIONAL, task_is_id, "providerid", arena);
	if (place->problems->total == 0 && !task->providerid && !task->wish.node)
		place_problem(place, "names no machine: neither /machine/id nor /machine/facts/providerid");
}

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

/* The spool that path, of a file in its jobs/JOB/, lies in; NULL where it looks like none. The caller frees it. */
static char *
task_spool_of(const char *path)
{
	const char *jobs = path ? strstr(path, "/jobs/") : NULL, *next;

	while (jobs && (next = strstr(jobs + 1, "/jobs/")))
		jobs = next;
	return jobs && jobs > path ? memory_substring(path, (size_t)(jobs - path)) : NULL;
}

/* The spool of this process's environment, and the one the task itself comes from. */
static int
task_append_spools(const struct sandbox_task *task, struct buffer *out, struct error *err)
{
	char *own = task_spool_of(task->nodes);

	if (own && task_append_mask(own, out, err) < 0)
		return -1;
	return task_append_mask(location_spool(NULL), out, err);
}

int
sandbox_task_mask(struct sandbox_task *task, struct error *err)
{
	char *state = location_state();
	struct buffer masks = {0};
	int result = file_make_dirs(AT_FDCWD, state, 0700, err);

	if (result == 0 && task_append_spools(task, &masks, err) == 0 &&
	    task_append_mask(memory_string("/etc/coopr"), &masks, err) == 0)
		result = task_append_mask(memory_string(state), &masks, err);
	if (result == 0)
		task->wish.masks = arena_string(&task->wish.arena, masks.data);
	buffer_release(&masks);
	free(state);
	return result;
}

void
sandbox_task_release(struct sandbox_task *task)
{
	machine_release(&task->wish);
}
