/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/plan-loader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/plural.h"
#include "json/record.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/take/facts.h"
#include "model/take/macro.h"
#include "queue/job/id.h"
#include "queue/job/plan-loader-order.h"

enum { FLUSH_BYTES = 1024 * 1024 };

#define ID_RULE "at most 127 of A-Z a-z 0-9 _ . - are allowed, and no \".\" at the start"

struct reading { /* a plan while it is read */
	struct plan_loader *loader;
	struct buffer lines; /* not yet written to out */
	int out;
	uint64_t offset;     /* of the line of the record at hand */
	uint32_t length;
	uint32_t sum;        /* of that line */
};

/* A simulation prints the plan; everything else keeps it. */
static const char *
plan_loader_out_name(int out)
{
	return out == STDOUT_FILENO ? "standard output" : "plan.ndjson";
}

/* The record's line: as it came where it came on one line. */
static int
plan_loader_keep_line(struct reading *reading, const struct record_reader *reader, jv record, struct error *err)
{
	struct buffer *lines = &reading->lines;
	size_t start = lines->length;

	if (memchr(reader->text, '\n', reader->length) || memchr(reader->text, '\r', reader->length))
		json_dump(record, lines);
	else
		buffer_append(lines, reader->text, reader->length);
	reading->offset = reading->loader->size;
	reading->length = (uint32_t)(lines->length - start);
	reading->sum = checksum_sum(lines->data + start, reading->length, reading->offset);
	reading->loader->size += reading->length + 1;
	buffer_byte(lines, '\n');
	if (lines->length < FLUSH_BYTES)
		return 0;
	if (reading->out >= 0 && file_write_all(reading->out, lines->data, lines->length) < 0)
		return error_errno(err, EX_IOERR, "%s", plan_loader_out_name(reading->out));
	buffer_clear(lines);
	return 0;
}

static uint32_t
plan_loader_intern(struct plan_loader *loader, struct names *names, const char *id)
{
	int number = names_find(names, id);

	return (uint32_t)(number == NAMES_NONE ? names_intern(names, arena_string(&loader->arena, id)) : number);
}

/* The number of an id of a step, mentioned or defined. */
static uint32_t
plan_loader_name_of(struct plan_loader *loader, const char *id)
{
	uint32_t number = plan_loader_intern(loader, &loader->names, id);

	while (loader->step_of_capacity <= number) {
		size_t old = loader->step_of_capacity, new = old ? 2 * old : 1024;

		loader->step_of = memory_resize(loader->step_of, new, sizeof *loader->step_of);
		memset(loader->step_of + old, 0, (new - old) * sizeof *loader->step_of);
		loader->step_of_capacity = new;
	}
	return number;
}

static void
plan_loader_read_job(const struct place *record, struct reading *reading)
{
	struct plan_loader *loader = reading->loader;
	struct place id = place_member(record, "id");

	if (loader->has_job) {
		place_problem(record, "a second job record");
		return;
	}
	loader->has_job = true;
	loader->job_offset = reading->offset;
	loader->job_length = reading->length;
	job_parse(record, &loader->arena, &loader->job);
	if (loader->job.id && !id_is_valid(loader->job.id))
		place_problem(&id, "\"%.80s\" cannot be the id of a job: %s", loader->job.id, ID_RULE);
}

static void
plan_loader_read_cluster(const struct place *record, struct reading *reading)
{
	struct plan_loader *loader = reading->loader;
	struct cluster cluster;
	struct buffer config = {0};

	if (loader->has_cluster) {
		place_problem(record, "a second cluster record");
		return;
	}
	loader->has_cluster = true;
	loader->cluster_offset = reading->offset;
	loader->cluster_length = reading->length;
	cluster_parse(record, &loader->arena, &cluster);
	loader->cluster = cluster.id;
	loader->provider = cluster.provider.name ? cluster.provider.name : "";
	if (cluster.id && !id_is_valid(cluster.id))
		place_problem(record, "\"%.80s\" cannot be the id of a cluster with jobs: %s", cluster.id, ID_RULE);
	if (jv_is_valid(cluster.config)) {
		json_dump(cluster.config, &config);
		loader->macros = strchr(config.data, '%') != NULL;
		loader->instances = macro_instances_of(cluster.config, &loader->arena);
		loader->asked = macro_addresses_of(cluster.config, &loader->arena);
	}
	if (loader->instances.count > STATE_INSTANCES_MAX)
		place_problem(record, "the config asks for instance numbers of more than %d services", STATE_INSTANCES_MAX);
	buffer_release(&config);
	cluster_release(&cluster);
}

static void
plan_loader_read_node(const struct place *record, struct reading *reading)
{
	struct plan_loader *loader = reading->loader;
	struct plan_loader_node *node;
	struct arena scratch = {0};
	struct node parsed;

	if (!loader->has_cluster)
		place_problem(record, "a node before the cluster record");
	node_parse(record, &scratch, &parsed);
	if (parsed.id && names_find(&loader->node_names, parsed.id) != NAMES_NONE)
		place_problem(record, "a second node with the id \"%s\"", parsed.id);
	else if (parsed.id) {
		ARRAY_ROOM(loader->nodes, loader->node_count, loader->node_capacity);
		node = &loader->nodes[loader->node_count++];
		*node = (struct plan_loader_node){.id = arena_string(&loader->arena, parsed.id),
		    .offset = loader->node_lines.length, .nodenum = parsed.nodenum,
		    .addressed = json_length(parsed.ipaddresses) > 0};
		for (size_t i = 0; i < loader->asked.count; i++)
			node->asked |= name_set_has(&parsed.services, loader->asked.list[i]);
		for (size_t i = 0; i < loader->instances.count && i < STATE_INSTANCES_MAX; i++)
			node->instances |= (uint32_t)name_set_has(&parsed.services, loader->instances.list[i]) << i;
		names_intern(&loader->node_names, node->id);
		node_print(&parsed, &loader->node_lines);
		node->length = (uint32_t)(loader->node_lines.length - node->offset - 1);
	}
	jv_free(parsed.source);
	arena_release(&scratch);
}

/* Reads what a task has and a milestone has not. */
static void
plan_loader_read_task(const struct place *record, struct plan_loader *loader, const struct step *step,
    struct plan_loader_step *kept)
{
	struct place node = place_member(record, "node"), undo = place_member(record, "undo");
	int number = step->node ? names_find(&loader->node_names, step->node) : NAMES_NONE;

	loader->tasks++;
	if (number != NAMES_NONE)
		kept->node = (uint32_t)number;
	else if (step->node)
		place_problem(&node, "no node \"%s\" stands before the task", step->node);
	if (step->undo.count > STATE_UNDO_MAX)
		place_problem(&undo, "at most %d actions can undo a task", STATE_UNDO_MAX);
	for (size_t i = 0; i < step->undo.count && i < STATE_UNDO_MAX; i++)
		kept->state.undo[kept->state.undo_count++] = (uint8_t)action_of_name(step->undo.list[i]);
}

static void
plan_loader_keep_step(const struct place *record, const struct reading *reading, const struct step *step)
{
	struct plan_loader *loader = reading->loader;
	struct place id = place_member(record, "id");
	struct plan_loader_step *kept;
	uint32_t *link;

	ARRAY_ROOM(loader->steps, loader->step_count, loader->step_capacity);
	kept = &loader->steps[loader->step_count++];
	*kept = (struct plan_loader_step){.name = plan_loader_name_of(loader, step->id),
	    .service = step->service ? (int)plan_loader_intern(loader, &loader->services, step->service) : NAMES_NONE,
	    .offset = reading->offset, .length = reading->length, .sum = reading->sum, .after_first = (uint32_t)loader->after_count,
	    .after_count = (uint32_t)step->after.count, .record = (uint32_t)record->index, .expect_s = step->expect_s,
	    .state = {.rank = step->rank, .timeout_s = (uint32_t)step->timeout_s,
	        .patience_s = (uint32_t)step->patience_s, .retries = (uint16_t)step->retries,
	        .is_milestone = step->is_milestone, .action = (uint8_t)step->action}};
	link = &loader->step_of[kept->name];
	if (*link)
		place_problem(&id, "\"%s\" is the id of record %u already", step->id, loader->steps[*link - 1].record);
	else if (!id_is_valid(step->id))
		place_problem(&id, "\"%.80s\" cannot be the id of a step: %s", step->id, ID_RULE);
	*link = (uint32_t)loader->step_count;
	for (size_t i = 0; i < step->after.count; i++) {
		ARRAY_ROOM(loader->after, loader->after_count, loader->after_capacity);
		loader->after[loader->after_count++] = plan_loader_name_of(loader, step->after.list[i]);
	}
	if (!step->is_milestone)
		plan_loader_read_task(record, loader, step, kept);
}

static void
plan_loader_read_step(const struct place *record, const struct reading *reading)
{
	struct arena scratch = {0};
	struct step step;

	step_parse(record, &scratch, &step);
	if (step.id)
		plan_loader_keep_step(record, reading, &step);
	arena_release(&scratch);
}

static void
plan_loader_read_record(const struct place *record, struct reading *reading)
{
	const char *kind = record_kind(record->value);

	if (strcmp(kind, "task") == 0 || strcmp(kind, "milestone") == 0)
		plan_loader_read_step(record, reading);
	else if (strcmp(kind, "node") == 0)
		plan_loader_read_node(record, reading);
	else if (strcmp(kind, "job") == 0)
		plan_loader_read_job(record, reading);
	else if (strcmp(kind, "cluster") == 0)
		plan_loader_read_cluster(record, reading);
}

/* Checks what can only be told once the whole plan is there. */
static void
plan_loader_check_whole(const struct place *stream, const struct plan_loader *loader)
{
	if (!loader->has_job)
		place_problem(stream, "there is no job record: this is not a plan");
	if (!loader->has_cluster)
		place_problem(stream, "there is no cluster record");
	if (loader->has_job && loader->cluster && loader->job.cluster &&
	    strcmp(loader->job.cluster, loader->cluster) != 0)
		place_problem(stream, "the job is of cluster %s, the cluster record of %s", loader->job.cluster,
		    loader->cluster);
	if (loader->has_job && loader->job.tasks != loader->tasks)
		place_problem(stream, "the job record speaks of %zu %s, and %zu %s here: something is missing",
		    loader->job.tasks, plural(loader->job.tasks, "task", "tasks"), loader->tasks, plural(loader->tasks, "is", "are"));
	plan_loader_check_order(stream, loader);
}

int
plan_loader_read(struct plan_loader *loader, struct record_reader *reader, int out, struct problems *problems,
    struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	struct reading reading = {.loader = loader, .out = out};
	int got, result = 0;
	jv value;

	*loader = (struct plan_loader){0};
	while (result == 0 && (got = record_read(reader, &value, err)) != 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = problems};

		result = got < 0 ? -1 : plan_loader_keep_line(&reading, reader, value, err);
		if (result == 0)
			plan_loader_read_record(&record, &reading);
		if (got > 0)
			jv_free(value);
	}
	if (result == 0 && out >= 0 && file_write_all(out, reading.lines.data, reading.lines.length) < 0)
		result = error_errno(err, EX_IOERR, "%s", plan_loader_out_name(out));
	buffer_release(&reading.lines);
	if (result == 0)
		plan_loader_check_whole(&stream, loader);
	return result;
}

void
plan_loader_release(struct plan_loader *loader)
{
	arena_release(&loader->arena);
	free(loader->steps);
	free(loader->nodes);
	buffer_release(&loader->node_lines);
	names_release(&loader->names);
	names_release(&loader->node_names);
	names_release(&loader->services);
	free(loader->step_of);
	free(loader->after);
	*loader = (struct plan_loader){0};
}
