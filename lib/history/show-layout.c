/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout that a cluster has by now, as the next plan wants it: "was" of each node says what stands there after the
 * tasks that are done, "stopped" what of that was stopped and is not to run, the facts that results brought are in its
 * record, and a node whose machine was deleted is not in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "history/show.h"
#include "model/facts.h"
#include "model/name.h"
#include "model/node.h"

struct work { /* a task: what it says about one service on one node, or about the node */
	uint32_t node, service; /* service: its place in the state's text, 0 for the hardware */
	enum action action;
	bool done, tried;
};

struct layout_work { /* of all tasks, sorted by node and service */
	struct work *list;
	size_t count;
	size_t at;     /* those before it were looked at */
	bool any_gone; /* a node that was to stay is deleted */
};

static int
show_compare_work(const void *a, const void *b)
{
	const struct work *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->service > y->service) - (x->service < y->service);
}

static struct layout_work
show_collect(struct job_state *state)
{
	uint32_t steps = state->header->step_count;
	struct layout_work work = {.list = memory_zeroed(steps, sizeof *work.list)};

	for (uint32_t i = 0; i < steps; i++) {
		const struct state_step *step = state_step(state, i);

		if (!step->is_milestone)
			work.list[work.count++] = (struct work){step->node, step->service, (enum action)step->action,
			    state_live(state, i)->status == STEP_DONE, state_live(state, i)->attempt > 0};
	}
	if (work.count)
		qsort(work.list, work.count, sizeof *work.list, show_compare_work);
	return work;
}

struct part { /* what the tasks say of a service on a node, or of its hardware */
	bool all_done, create_tried, removed, deleted, any_create;
	bool stopped, started, any_start;
};

/* The next tasks that are of one node and service. */
static struct part
show_next_part(struct layout_work *work)
{
	const struct work *first = &work->list[work->at];
	struct part part = {.all_done = true};

	for (; work->at < work->count && show_compare_work(first, &work->list[work->at]) == 0; work->at++) {
		const struct work *task = &work->list[work->at];

		part.all_done = part.all_done && task->done;
		part.any_create = part.any_create || task->action == ACTION_CREATE;
		part.create_tried = part.create_tried || (task->action == ACTION_CREATE && task->tried);
		part.removed = part.removed || (task->action == ACTION_REMOVE && task->done);
		part.deleted = part.deleted || (task->action == ACTION_DELETE && task->done);
		part.stopped = part.stopped || (task->action == ACTION_STOP && task->done);
		part.started = part.started || (task->action == ACTION_START && task->done);
		part.any_start = part.any_start || task->action == ACTION_START;
	}
	return part;
}

struct standing { /* what stands on a node by now */
	struct string_list services;
	size_t capacity;
	struct part hardware;
	jv stopped; /* an object with a member for each service that was stopped and is not to run; owned */
};

static void
show_add_service(struct standing *standing, const char *service)
{
	ARRAY_ROOM(standing->services.list, standing->services.count, standing->capacity);
	standing->services.list[standing->services.count++] = service;
}

static void
show_drop_service(struct standing *standing, const char *service)
{
	struct string_list *list = &standing->services;

	for (size_t i = list->count; i-- > 0;)
		if (strcmp(list->list[i], service) == 0)
			list->list[i] = list->list[--list->count];
}

/* As members of an object, what the node's record says was stopped before. */
static jv
show_stopped_before(const struct node *node)
{
	jv list = json_get(node->source, "stopped"), stopped = jv_object();

	for (size_t i = 0; i < json_length(list); i++) {
		jv name = jv_array_get(jv_copy(list), (int)i);

		if (json_string(name))
			json_set(&stopped, json_string(name), jv_true());
		jv_free(name);
	}
	jv_free(list);
	return stopped;
}

/* One that the plan would have started again is not to stay stopped, also where it could not be started. */
static void
show_note_stopped(struct standing *standing, const char *service, const struct part *part)
{
	if (part->started || part->removed)
		standing->stopped = jv_object_delete(standing->stopped, jv_string(service));
	else if (part->stopped && !part->any_start)
		json_set(&standing->stopped, service, jv_true());
}

/* Writes it into the node's record: those that still stand. */
static void
show_keep_stopped(const struct standing *standing, struct node *node)
{
	jv list = jv_array();

	for (size_t i = 0; i < standing->services.count; i++)
		if (jv_object_has(jv_copy(standing->stopped), jv_string(standing->services.list[i])))
			list = jv_array_append(list, jv_string(standing->services.list[i]));
	if (json_length(list) > 0) {
		json_set(&node->source, "stopped", list);
		return;
	}
	jv_free(list);
	node->source = jv_object_delete(node->source, jv_string("stopped"));
}

/* Goes through the tasks of a node, which come next. */
static struct standing
show_what_stands(struct job_state *state, uint32_t number, const struct node *node, struct layout_work *work)
{
	struct standing standing = {.hardware = {.all_done = true}, .stopped = show_stopped_before(node)};
	bool ready = true;

	for (size_t i = 0; i < node->was.count; i++)
		show_add_service(&standing, node->was.list[i]);
	for (size_t i = 0; !node->leaves && i < node->services.count; i++)
		show_add_service(&standing, node->services.list[i]);
	while (work->at < work->count && work->list[work->at].node == number) {
		uint32_t service = work->list[work->at].service;
		struct part part = show_next_part(work);
		const char *name = state_text(state, service);

		if (service == 0) {
			standing.hardware = part;
			ready = part.all_done;
			continue;
		}
		show_note_stopped(&standing, name, &part);
		if (part.removed || (!part.all_done && !name_set_has(&node->was, name))) {
			show_drop_service(&standing, name);
		}
	}
	/* On a machine that is not ready stands nothing that was not there before. */
	for (size_t i = 0; !ready && i < node->services.count; i++)
		if (!name_set_has(&node->was, node->services.list[i]))
			show_drop_service(&standing, node->services.list[i]);
	name_set_make(&standing.services);
	return standing;
}

/* Whether there may be a machine: one that was half made must not be forgotten. */
static bool
show_exists(const struct node *node, const struct part *hardware)
{
	return !node->is_new || hardware->create_tried || json_length(node->ipaddresses) > 0 ||
	    json_length(node->facts) > 0 ||
	    (!hardware->any_create && hardware->all_done);
}

static int
show_add_node(struct open_job *job, uint32_t number, struct layout_work *work, struct buffer *out, struct error *err)
{
	struct buffer record = {0};
	struct arena arena = {0};
	struct standing standing;
	struct node node;
	int result = job_node(job, number, &record, err);

	if (result == 0 && (result = facts_read(record.data, record.length, &arena, &node, err)) == 0) {
		standing = show_what_stands(&job->state, number, &node, work);
		if (show_exists(&node, &standing.hardware)) {
			node.is_new = false;
			node.was = standing.services;
			show_keep_stopped(&standing, &node);
		}
		if (!standing.hardware.deleted)
			node_print(&node, out);
		else if (!node.leaves)
			work->any_gone = true;
		free(standing.services.list);
		jv_free(standing.stopped);
		jv_free(node.source);
	}
	buffer_release(&record);
	arena_release(&arena);
	return result;
}

static bool
show_is_all_done(const struct layout_work *work)
{
	for (size_t i = 0; i < work->count; i++)
		if (!work->list[i].done)
			return false;
	return true;
}

/* What was before the job is past once all of it is done: what the cluster record says of it would be planned again. What was
 * counted for the solution holds as long as no machine of it is deleted. */
static int
show_add_cluster(struct open_job *job, const struct layout_work *work, struct buffer *out, struct error *err)
{
	const struct state_header *header = job->state.header;
	bool all_done = show_is_all_done(work);
	struct buffer record = {0};
	jv cluster;
	int result = job_plan(job, header->cluster_offset, header->cluster_length + 1, &record, err);

	if (result == 0 && !all_done && !work->any_gone) {
		buffer_append(out, record.data, record.length);
	} else if (result == 0 && (result = json_parse("cluster", record.data, record.length, &cluster, err)) == 0) {
		if (all_done)
			cluster = jv_object_delete(cluster, jv_string("was"));
		if (work->any_gone)
			cluster = jv_object_delete(cluster, jv_string("solution"));
		json_dump(cluster, out);
		buffer_byte(out, '\n');
		jv_free(cluster);
	}
	buffer_release(&record);
	return result;
}

static int
show_print_layout(struct open_job *job, struct buffer *out, struct error *err)
{
	struct layout_work work = show_collect(&job->state);
	struct buffer nodes = {0};
	int result = 0;

	for (uint32_t n = 0; result == 0 && n < job->state.header->node_count; n++)
		result = show_add_node(job, n, &work, &nodes, err);
	if (result == 0)
		result = show_add_cluster(job, &work, out, err);
	if (result == 0 && nodes.length > 0)
		buffer_append(out, nodes.data, nodes.length);
	buffer_release(&nodes);
	free(work.list);
	return result;
}

int
show_layout(struct queue *queue, const char *id, struct buffer *out, struct error *err)
{
	size_t start = out->length;
	int result = -1;

	/* Damage shows when a record is read; the second time they have been made anew. */
	for (int tries = 0; result < 0 && tries < 2; tries++) {
		struct open_job *job = engine_lock_whole(spool_queue_of(queue), id, err);

		if (!job)
			return -1;
		out->length = start;
		result = show_print_layout(job, out, err);
		tries += !job->state.broken;
		job_unlock(job);
	}
	return result;
}
