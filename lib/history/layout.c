/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout that a cluster has by now, as the next plan wants it: "was" of each node says what stands there after the
 * tasks that are done, "stopped" what of that was stopped and is not to run, "taken_out" what of that is left out where it is
 * looked up, "partial" on what a change was begun and not
 * finished, "unready" whether its machine was made only in part; the facts that results brought are in its record, and
 * a node whose machine was deleted, or never begun, is not there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "history/layout.h"
#include "json/dump.h"
#include "json/record.h"
#include "model/name.h"
#include "model/node.h"
#include "model/take/facts.h"
#include "queue/attempts.h"
#include "queue/read.h"

struct work { /* a task: what it says about one service on one node, or about the node */
	const char *node, *service; /* service: "" for the hardware */
	enum action action;
	bool done, tried;
};

struct layout_work { /* of all tasks, sorted by node and service */
	struct work *list;
	size_t count;
	size_t at;     /* those before it were looked at */
	bool any_gone; /* a node that was to stay is deleted */
	bool only_runs; /* the job starts, or stops and starts, what stands as it is: that finishes no other change */
	struct names left_out; /* "NODE/SERVICE": instances without which others were configured */
};

static int
layout_compare_work(const void *a, const void *b)
{
	const struct work *x = a, *y = b;
	int order = strcmp(x->node, y->node);

	return order ? order : strcmp(x->service, y->service);
}

/* Finds whether the job only starts, or stops and starts, what stands: a change says in its cluster record what was before. */
static int
layout_find_purpose(struct queue *queue, const char *job, const char *action, struct layout_work *work, struct error *err)
{
	struct record_reader reader = {.fd = -1, .name = job, .end = true};
	bool found = false;
	int got = 0;
	jv record;

	if (strcmp(action, "start_services") != 0 && strcmp(action, "restart_services") != 0)
		return 0;
	work->only_runs = true;
	got = queue_plan(queue, job, &reader.pending, err);
	while (got >= 0 && !found && (got = record_read(&reader, &record, err)) > 0) {
		jv was = json_get(record, "was"), config = json_get(was, "config");

		found = strcmp(record_kind(record), "cluster") == 0;
		if (found)
			work->only_runs = jv_get_kind(config) != JV_KIND_OBJECT;
		jv_free(config);
		jv_free(was);
		jv_free(record);
	}
	record_reader_release(&reader);
	return got < 0 ? -1 : 0;
}

/* Notes the instances that a task of the plan leaves out. */
static void
layout_note_left_out(jv record, const struct names *done, struct arena *arena, struct names *left_out)
{
	char *id = json_get_string(record, "id");
	jv without = json_get(record, "without");
	struct place root = place_root(without, NULL), nodes;
	struct members members;

	if (id && names_find(done, id) != NAMES_NONE && jv_get_kind(without) == JV_KIND_OBJECT) {
		members = members_of(&root);
		while (members_next(&members, &nodes)) {
			for (size_t i = 0; i < json_length(nodes.value); i++) {
				struct place node = place_element(&nodes, i);

				names_intern(left_out, arena_printf(arena, "%s/%s", json_string(node.value), nodes.name));
			}
		}
	}
	jv_free(without);
	free(id);
}

/* Finds the instances without which tasks that are done configured others, where the job stops or starts services. */
static int
layout_find_left_out(struct queue *queue, const char *job, const char *action, const struct names *done, struct arena *arena,
    struct names *left_out, struct error *err)
{
	struct record_reader reader = {.fd = -1, .name = job, .end = true};
	int got;
	jv record;

	if (strcmp(action, "start_services") != 0 && strcmp(action, "stop_services") != 0)
		return 0;
	got = queue_plan(queue, job, &reader.pending, err);
	while (got >= 0 && (got = record_read(&reader, &record, err)) > 0) {
		layout_note_left_out(record, done, arena, left_out);
		jv_free(record);
	}
	record_reader_release(&reader);
	return got < 0 ? -1 : 0;
}

/* Counts creations of which no attempt made anything as not tried. */
static int
layout_forgive_creates(struct queue *queue, const char *job, const struct queue_task_status *tasks, struct layout_work *work,
    struct error *err)
{
	struct attempts attempts = {0};
	int result = attempts_of_job(queue, job, &attempts, err);

	for (size_t i = 0; result == 0 && i < work->count; i++) {
		int step = work->list[i].action == ACTION_CREATE ? names_find(&attempts.steps, tasks[i].task) : NAMES_NONE;
		bool tried = step == NAMES_NONE;

		for (uint32_t at = tried ? 0 : attempts.last[step]; at && !tried; at = attempts.list[at - 1].previous)
			tried = !attempts.list[at - 1].made_nothing;
		work->list[i].tried = work->list[i].tried && tried;
	}
	attempts_release(&attempts);
	return result;
}

/* Lists the tasks of a job; strings in the arena. */
static int
layout_collect(struct queue *queue, const char *job, struct arena *arena, struct layout_work *work, struct error *err)
{
	struct queue_task_status *tasks;
	struct names done = {0};
	struct queue_job state;
	bool any_undone = false;
	int result;
	size_t count;

	if (queue_tasks(queue, job, &(struct queue_filter){0}, arena, &tasks, &count, err) < 0 ||
	    queue_status_of(queue, job, &state, err) < 0)
		return -1;
	/* What is archived, or put back, stands as it stood. */
	if (cluster_action_of_job(state.action)->standing & (ACTIONS_BACKUP | ACTION_BIT(ACTION_RESTORE)))
		count = 0;
	*work = (struct layout_work){.list = arena_alloc(arena, count, sizeof *work->list), .count = count};
	for (size_t i = 0; i < count; i++)
		work->list[i] = (struct work){tasks[i].node, tasks[i].service, tasks[i].planned, tasks[i].status == STEP_DONE,
		    tasks[i].attempt > 0};
	for (size_t i = 0; i < count; i++)
		any_undone = any_undone || (tasks[i].planned == ACTION_CREATE && tasks[i].status != STEP_DONE && tasks[i].attempt > 0);
	for (size_t i = 0; i < count; i++)
		if (tasks[i].status == STEP_DONE && tasks[i].planned == ACTION_CONFIGURE)
			names_intern(&done, tasks[i].task);
	result = layout_find_purpose(queue, job, state.action, work, err);
	if (result == 0)
		result = layout_find_left_out(queue, job, state.action, &done, arena, &work->left_out, err);
	names_release(&done);
	if (result < 0)
		return -1;
	if (any_undone && layout_forgive_creates(queue, job, tasks, work, err) < 0)
		return -1;
	if (count)
		qsort(work->list, count, sizeof *work->list, layout_compare_work);
	return 0;
}

/* Turns to the first task of a node. */
static void
layout_turn_to(struct layout_work *work, const char *node)
{
	size_t low = 0, high = work->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(work->list[middle].node, node) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	work->at = low;
}

struct part { /* what the tasks say of a service on a node, or of its hardware */
	bool all_done, any_tried, create_tried, removed, remove_tried, deleted, delete_tried, any_create;
	bool stopped, started, any_start, any_change;
};

/* Reads the next tasks, those of one node and service. */
static struct part
layout_next_part(struct layout_work *work)
{
	const struct work *first = &work->list[work->at];
	struct part part = {.all_done = true};

	for (; work->at < work->count && layout_compare_work(first, &work->list[work->at]) == 0; work->at++) {
		const struct work *task = &work->list[work->at];

		part.all_done = part.all_done && task->done;
		part.any_tried = part.any_tried || task->tried || task->done;
		part.remove_tried = part.remove_tried || (task->action == ACTION_REMOVE && task->tried);
		part.delete_tried = part.delete_tried || (task->action == ACTION_DELETE && task->tried);
		part.any_create = part.any_create || task->action == ACTION_CREATE;
		part.create_tried = part.create_tried || (task->action == ACTION_CREATE && task->tried);
		part.removed = part.removed || (task->action == ACTION_REMOVE && task->done);
		part.deleted = part.deleted || (task->action == ACTION_DELETE && task->done);
		part.stopped = part.stopped || (task->action == ACTION_STOP && task->done);
		part.started = part.started || (ACTION_BIT(task->action) & ACTIONS_UP && task->done);
		part.any_change = part.any_change || task->action == ACTION_CONFIGURE || task->action == ACTION_INSTALL;
		part.any_start = part.any_start || ACTION_BIT(task->action) & ACTIONS_UP;
	}
	return part;
}

struct standing { /* what stands on a node by now */
	struct string_list services;
	size_t capacity;
	struct string_list partial, stale;
	size_t partial_capacity, stale_capacity;
	struct part hardware;
	struct string_list stopped; /* was stopped, and is not to run */
	size_t stopped_capacity;
};

static void
layout_add_service(struct standing *standing, const char *service)
{
	ARRAY_ROOM(standing->services.list, standing->services.count, standing->capacity);
	standing->services.list[standing->services.count++] = service;
}

static void
layout_add_partial(struct standing *standing, const char *service)
{
	ARRAY_ROOM(standing->partial.list, standing->partial.count, standing->partial_capacity);
	standing->partial.list[standing->partial.count++] = service;
}

static void
layout_add_stale(struct standing *standing, const char *service)
{
	ARRAY_ROOM(standing->stale.list, standing->stale.count, standing->stale_capacity);
	standing->stale.list[standing->stale.count++] = service;
}

static void
layout_add_stopped(struct standing *standing, const char *service)
{
	ARRAY_ROOM(standing->stopped.list, standing->stopped.count, standing->stopped_capacity);
	standing->stopped.list[standing->stopped.count++] = service;
}

static void
layout_drop(struct string_list *list, const char *service)
{
	for (size_t i = list->count; i-- > 0;)
		if (strcmp(list->list[i], service) == 0)
			list->list[i] = list->list[--list->count];
}

/* Notes whether a service stays stopped. One that the plan starts again does not, even if that fails; nor does one that is stopped
 * because it leaves the node, which a later operation may bring back. */
static void
layout_note_stopped(struct standing *standing, const struct node *node, const char *service, const struct part *part)
{
	if (part->started || part->removed)
		layout_drop(&standing->stopped, service);
	else if (part->stopped && !part->any_start && !node->leaves && name_set_has(&node->services, service))
		layout_add_stopped(standing, service);
}

/* Notes how far what is done to a service has come. */
static void
layout_note_service(struct standing *standing, const struct node *node, const char *name, const struct part *part, bool only_runs)
{
	bool stood = name_set_has(&node->was, name), was_partial = name_set_has(&node->partial, name);
	bool finished = part->removed || (part->all_done && !only_runs);

	layout_note_stopped(standing, node, name, part);
	if (part->removed || (part->remove_tried && !part->all_done) || (!part->all_done && !stood))
		layout_drop(&standing->services, name);
	if (!part->all_done && part->any_tried && !part->removed && !was_partial)
		layout_add_partial(standing, name);
	else if (!part->all_done && !part->any_tried && stood && part->any_change && !name_set_has(&node->stale, name))
		layout_add_stale(standing, name);
	if (finished)
		layout_drop(&standing->partial, name);
	if (finished)
		layout_drop(&standing->stale, name);
}

/* Writes the stopped services that still stand into the node's record, and which of them are left out. */
static void
layout_keep_stopped(const struct standing *standing, const struct layout_work *work, struct arena *arena, struct node *node)
{
	const struct string_list *stopped = &standing->stopped;
	struct string_list kept = {arena_alloc(arena, stopped->count, sizeof *kept.list), 0},
	    out = {arena_alloc(arena, stopped->count, sizeof *out.list), 0};

	for (size_t i = 0; i < stopped->count; i++) {
		const char *service = stopped->list[i];

		if (!name_set_has(&standing->services, service))
			continue;
		kept.list[kept.count++] = service;
		if (name_set_has(&node->taken_out, service) ||
		    names_find(&work->left_out, arena_printf(arena, "%s/%s", node->id, service)) != NAMES_NONE)
			out.list[out.count++] = service;
	}
	node->stopped = kept;
	node->taken_out = out;
}

static struct standing
layout_what_stands(const struct node *node, struct layout_work *work)
{
	struct standing standing = {.hardware = {.all_done = true}};
	bool ready = true;

	for (size_t i = 0; i < node->was.count; i++)
		layout_add_service(&standing, node->was.list[i]);
	for (size_t i = 0; i < node->partial.count; i++)
		layout_add_partial(&standing, node->partial.list[i]);
	for (size_t i = 0; i < node->stale.count; i++)
		layout_add_stale(&standing, node->stale.list[i]);
	for (size_t i = 0; i < node->stopped.count; i++)
		layout_add_stopped(&standing, node->stopped.list[i]);
	for (size_t i = 0; !node->leaves && i < node->services.count; i++)
		layout_add_service(&standing, node->services.list[i]);
	layout_turn_to(work, node->id);
	while (work->at < work->count && strcmp(work->list[work->at].node, node->id) == 0) {
		const char *name = work->list[work->at].service;
		struct part part = layout_next_part(work);

		if (!*name) {
			standing.hardware = part;
			ready = part.all_done;
			continue;
		}
		layout_note_service(&standing, node, name, &part, work->only_runs);
	}
	/* A machine whose deletion failed may be there or not: what stood on it is to be set up again if it stays. */
	for (size_t i = 0; standing.hardware.delete_tried && i < node->was.count; i++)
		layout_add_partial(&standing, node->was.list[i]);
	/* On a machine that is not ready stands nothing that was not there before. */
	for (size_t i = 0; !ready && i < node->services.count; i++)
		if (!name_set_has(&node->was, node->services.list[i]))
			layout_drop(&standing.services, node->services.list[i]);
	name_set_make(&standing.services);
	name_set_make(&standing.partial);
	name_set_make(&standing.stale);
	name_set_make(&standing.stopped);
	return standing;
}

/* Returns true if there may be a machine: one that was half made must not be forgotten. */
static bool
layout_exists(const struct node *node, const struct part *hardware)
{
	return !node->is_new || hardware->create_tried || json_length(node->ipaddresses) > 0 ||
	    json_length(node->facts) > 0 ||
	    (!hardware->any_create && hardware->all_done);
}

static int
layout_add_node(const char *record, size_t length, struct layout_work *work, struct buffer *out, struct error *err)
{
	struct standing standing;
	struct arena arena = {0};
	struct node node;
	int result = facts_read(record, length, &arena, &node, err);

	if (result == 0) {
		standing = layout_what_stands(&node, work);
		if (layout_exists(&node, &standing.hardware)) {
			node.is_new = false;
			node.was = standing.services;
			node.partial = standing.partial;
			node.stale = standing.stale;
			node.unready = node.unready || (standing.hardware.any_create && !standing.hardware.all_done);
			layout_keep_stopped(&standing, work, &arena, &node);
		}
		if (!standing.hardware.deleted)
			node_print(&node, out);
		else if (!node.leaves)
			work->any_gone = true;
		free(standing.services.list);
		free(standing.partial.list);
		free(standing.stale.list);
		free(standing.stopped.list);
		jv_free(node.source);
	}
	arena_release(&arena);
	return result;
}

/* Appends the cluster record. Once all of the job is done, "was" is left out: it would be planned again. The solution holds as
 * long as no machine of it is deleted. */
static void
layout_add_cluster(jv record, const struct record_reader *reader, const struct layout_work *work, struct buffer *out)
{
	bool all_done = true;

	for (size_t i = 0; i < work->count; i++)
		all_done = all_done && work->list[i].done;
	if (!all_done && !work->any_gone) {
		buffer_append(out, reader->text, reader->length);
	} else {
		jv cluster = jv_copy(record);

		if (all_done)
			cluster = jv_object_delete(cluster, jv_string("was"));
		if (work->any_gone)
			cluster = jv_object_delete(cluster, jv_string("solution"));
		json_dump(cluster, out);
		jv_free(cluster);
	}
	buffer_byte(out, '\n');
}

/* Finds the cluster record of the plan. */
static int
layout_read_cluster(struct queue *queue, const char *job, const struct layout_work *work, struct buffer *out,
    struct error *err)
{
	struct record_reader reader = {.fd = -1, .name = job, .end = true};
	int got = queue_plan(queue, job, &reader.pending, err);
	bool found = false;
	jv record;

	while (got >= 0 && !found && (got = record_read(&reader, &record, err)) > 0) {
		found = strcmp(record_kind(record), "cluster") == 0;
		if (found)
			layout_add_cluster(record, &reader, work, out);
		jv_free(record);
	}
	record_reader_release(&reader);
	return got < 0 ? -1 : 0;
}

int
layout_now(struct queue *queue, const char *job, struct buffer *out, struct error *err)
{
	struct buffer nodes = {0}, records = {0};
	struct layout_work work = {0};
	struct arena arena = {0};
	/* The tasks first: a task that is done has brought its facts. */
	int result = layout_collect(queue, job, &arena, &work, err);

	if (result == 0)
		result = queue_nodes(queue, job, &records, err);
	for (size_t at = 0, length; result == 0 && at < records.length; at += length + 1) {
		length = (size_t)((const char *)memchr(records.data + at, '\n', records.length - at) - (records.data + at));
		result = layout_add_node(records.data + at, length, &work, &nodes, err);
	}
	if (result == 0)
		result = layout_read_cluster(queue, job, &work, out, err);
	if (result == 0 && nodes.length > 0)
		buffer_append(out, nodes.data, nodes.length);
	buffer_release(&nodes);
	buffer_release(&records);
	names_release(&work.left_out);
	arena_release(&arena);
	return result;
}
