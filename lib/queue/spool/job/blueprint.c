/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job/blueprint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/record.h"
#include "model/facts.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/take/macro.h"
#include "queue/spool/job/blueprint-order.h"
#include "queue/spool/shared/spool.h"

enum { FLUSH_BYTES = 1024 * 1024 };

#define ID_RULE "at most 127 of A-Z a-z 0-9 _ . - are allowed, and no \".\" at the start"

struct reading { /* a plan while it is read */
	struct blueprint *blueprint;
	struct buffer lines; /* not yet written to out */
	int out;
	uint64_t offset;     /* of the line of the record at hand */
	uint32_t length;
};

/* A rehearsal prints the plan, all else keeps it. */
static const char *
blueprint_out_name(int out)
{
	return out == STDOUT_FILENO ? "standard output" : "plan.ndjson";
}

/* The record's line: as it came where it came on one line. */
static int
blueprint_keep_line(struct reading *reading, const struct record_reader *reader, jv record, struct error *err)
{
	struct buffer *lines = &reading->lines;
	size_t start = lines->length;

	if (memchr(reader->text, '\n', reader->length) || memchr(reader->text, '\r', reader->length))
		json_dump(record, lines);
	else
		buffer_append(lines, reader->text, reader->length);
	reading->offset = reading->blueprint->size;
	reading->length = (uint32_t)(lines->length - start);
	reading->blueprint->size += reading->length + 1;
	buffer_byte(lines, '\n');
	if (lines->length < FLUSH_BYTES)
		return 0;
	if (reading->out >= 0 && file_write_all(reading->out, lines->data, lines->length) < 0)
		return error_errno(err, EX_IOERR, "%s", blueprint_out_name(reading->out));
	buffer_clear(lines);
	return 0;
}

/* The number of an id of a step, mentioned or defined. */
static uint32_t
blueprint_name_of(struct blueprint *blueprint, const char *id)
{
	int number = names_find(&blueprint->names, id);

	if (number == NAMES_NONE)
		number = names_intern(&blueprint->names, arena_string(&blueprint->arena, id));
	while (blueprint->step_of_capacity <= (size_t)number) {
		size_t old = blueprint->step_of_capacity, new = old ? 2 * old : 1024;

		blueprint->step_of = memory_resize(blueprint->step_of, new, sizeof *blueprint->step_of);
		memset(blueprint->step_of + old, 0, (new - old) * sizeof *blueprint->step_of);
		blueprint->step_of_capacity = new;
	}
	return (uint32_t)number;
}

static void
blueprint_read_job(const struct place *record, struct reading *reading)
{
	struct blueprint *blueprint = reading->blueprint;
	struct place id = place_member(record, "id");

	if (blueprint->has_job) {
		place_problem(record, "a second job record");
		return;
	}
	blueprint->has_job = true;
	blueprint->job_offset = reading->offset;
	blueprint->job_length = reading->length;
	job_parse(record, &blueprint->arena, &blueprint->job);
	if (blueprint->job.id && !spool_is_id(blueprint->job.id))
		place_problem(&id, "\"%.80s\" cannot be the id of a job: %s", blueprint->job.id, ID_RULE);
}

static void
blueprint_read_cluster(const struct place *record, struct reading *reading)
{
	struct blueprint *blueprint = reading->blueprint;
	struct cluster cluster;
	struct buffer config = {0};

	if (blueprint->has_cluster) {
		place_problem(record, "a second cluster record");
		return;
	}
	blueprint->has_cluster = true;
	blueprint->cluster_offset = reading->offset;
	blueprint->cluster_length = reading->length;
	cluster_parse(record, &blueprint->arena, &cluster);
	blueprint->cluster = cluster.id;
	blueprint->provider = cluster.provider.name ? cluster.provider.name : "";
	if (cluster.id && !spool_is_id(cluster.id))
		place_problem(record, "\"%.80s\" cannot be the id of a cluster with jobs: %s", cluster.id, ID_RULE);
	if (jv_is_valid(cluster.config)) {
		json_dump(cluster.config, &config);
		blueprint->macros = strchr(config.data, '%') != NULL;
		blueprint->instances = macro_instances_of(cluster.config, &blueprint->arena);
		blueprint->asked = macro_addresses_of(cluster.config, &blueprint->arena);
	}
	if (blueprint->instances.count > INDEX_INSTANCES_MAX)
		place_problem(record, "the config asks for instance numbers of more than %d services", INDEX_INSTANCES_MAX);
	buffer_release(&config);
	cluster_release(&cluster);
}

static bool
blueprint_is_asked(const struct blueprint *blueprint, const struct node *node)
{
	for (size_t i = 0; i < blueprint->asked.count; i++)
		if (name_set_has(&node->services, blueprint->asked.list[i]))
			return true;
	return false;
}

static uint32_t
blueprint_instances_of(const struct blueprint *blueprint, const struct node *node)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < blueprint->instances.count && i < INDEX_INSTANCES_MAX; i++)
		bits |= (uint32_t)name_set_has(&node->services, blueprint->instances.list[i]) << i;
	return bits;
}

static void
blueprint_read_node(const struct place *record, struct reading *reading)
{
	struct blueprint *blueprint = reading->blueprint;
	struct blueprint_node *node;
	struct arena scratch = {0};
	struct node parsed;

	if (!blueprint->has_cluster)
		place_problem(record, "a node before the cluster record");
	node_parse(record, &scratch, &parsed);
	if (parsed.id && names_find(&blueprint->node_names, parsed.id) != NAMES_NONE)
		place_problem(record, "a second node with the id \"%s\"", parsed.id);
	else if (parsed.id) {
		ARRAY_ROOM(blueprint->nodes, blueprint->node_count, blueprint->node_capacity);
		node = &blueprint->nodes[blueprint->node_count++];
		*node = (struct blueprint_node){.id = arena_string(&blueprint->arena, parsed.id),
		    .offset = blueprint->node_lines.length, .nodenum = parsed.nodenum,
		    .instances = blueprint_instances_of(blueprint, &parsed), .asked = blueprint_is_asked(blueprint, &parsed),
		    .addressed = json_length(parsed.ipaddresses) > 0};
		names_intern(&blueprint->node_names, node->id);
		node_print(&parsed, &blueprint->node_lines);
		node->length = (uint32_t)(blueprint->node_lines.length - node->offset - 1);
	}
	jv_free(parsed.source);
	arena_release(&scratch);
}

static void
blueprint_read_node_of(const struct place *record, const struct blueprint *blueprint, const struct step *step,
    struct blueprint_step *kept)
{
	struct place member = place_member(record, "node");
	int node = step->node ? names_find(&blueprint->node_names, step->node) : NAMES_NONE;

	if (node == NAMES_NONE && step->node)
		place_problem(&member, "no node \"%s\" stands before the task", step->node);
	kept->node = node == NAMES_NONE ? 0 : (uint32_t)node;
}

static void
blueprint_read_undo(const struct place *record, const struct step *step, struct index_step *index)
{
	struct place member = place_member(record, "undo");

	if (step->undo.count > INDEX_UNDO_MAX)
		place_problem(&member, "at most %d actions can undo a task", INDEX_UNDO_MAX);
	for (size_t i = 0; i < step->undo.count && i < INDEX_UNDO_MAX; i++)
		index->undo[index->undo_count++] = (uint8_t)action_of_name(step->undo.list[i]);
}

static void
blueprint_define(const struct place *record, struct blueprint *blueprint, uint32_t name)
{
	struct place id = place_member(record, "id");

	if (blueprint->step_of[name])
		place_problem(&id, "\"%s\" is the id of record %u already", blueprint->names.list[name],
		    blueprint->steps[blueprint->step_of[name] - 1].record);
	else if (!spool_is_id(blueprint->names.list[name]))
		place_problem(&id, "\"%.80s\" cannot be the id of a step: %s", blueprint->names.list[name], ID_RULE);
	blueprint->step_of[name] = (uint32_t)blueprint->step_count;
}

static int
blueprint_service_of(struct blueprint *blueprint, const char *service)
{
	int number;

	if (!service)
		return NAMES_NONE;
	number = names_find(&blueprint->services, service);
	return number == NAMES_NONE ? names_intern(&blueprint->services, arena_string(&blueprint->arena, service)) : number;
}

static void
blueprint_keep_step(const struct place *record, const struct reading *reading, const struct step *step)
{
	struct blueprint *blueprint = reading->blueprint;
	struct blueprint_step *kept;

	ARRAY_ROOM(blueprint->steps, blueprint->step_count, blueprint->step_capacity);
	kept = &blueprint->steps[blueprint->step_count++];
	*kept = (struct blueprint_step){.name = blueprint_name_of(blueprint, step->id),
	    .service = blueprint_service_of(blueprint, step->service), .offset = reading->offset, .length = reading->length,
	    .after_first = (uint32_t)blueprint->after_count,
	    .after_count = (uint32_t)step->after.count, .record = (uint32_t)record->index, .expect_s = step->expect_s,
	    .index = {.rank = step->rank, .timeout_s = (uint32_t)step->timeout_s, .retries = (uint16_t)step->retries,
	        .is_milestone = step->is_milestone, .action = (uint8_t)step->action}};
	blueprint_define(record, blueprint, kept->name);
	for (size_t i = 0; i < step->after.count; i++) {
		ARRAY_ROOM(blueprint->after, blueprint->after_count, blueprint->after_capacity);
		blueprint->after[blueprint->after_count++] = blueprint_name_of(blueprint, step->after.list[i]);
	}
	if (step->is_milestone)
		return;
	blueprint->tasks++;
	blueprint_read_node_of(record, blueprint, step, kept);
	blueprint_read_undo(record, step, &kept->index);
}

static void
blueprint_read_step(const struct place *record, const struct reading *reading)
{
	struct arena scratch = {0};
	struct step step;

	step_parse(record, &scratch, &step);
	if (step.id)
		blueprint_keep_step(record, reading, &step);
	arena_release(&scratch);
}

static void
blueprint_read_record(const struct place *record, struct reading *reading)
{
	const char *kind = record_kind(record->value);

	if (strcmp(kind, "task") == 0 || strcmp(kind, "milestone") == 0)
		blueprint_read_step(record, reading);
	else if (strcmp(kind, "node") == 0)
		blueprint_read_node(record, reading);
	else if (strcmp(kind, "job") == 0)
		blueprint_read_job(record, reading);
	else if (strcmp(kind, "cluster") == 0)
		blueprint_read_cluster(record, reading);
}

/* What can only be told once all of it is there. */
static void
blueprint_check_whole(const struct place *stream, const struct blueprint *blueprint)
{
	if (!blueprint->has_job)
		place_problem(stream, "there is no job record: this is no plan");
	if (!blueprint->has_cluster)
		place_problem(stream, "there is no cluster record");
	if (blueprint->has_job && blueprint->cluster && blueprint->job.cluster &&
	    strcmp(blueprint->job.cluster, blueprint->cluster) != 0)
		place_problem(stream, "the job is of cluster %s, the cluster record of %s", blueprint->job.cluster,
		    blueprint->cluster);
	if (blueprint->has_job && blueprint->job.tasks != blueprint->tasks)
		place_problem(stream, "the job record speaks of %zu tasks, and %zu are here: something is missing",
		    blueprint->job.tasks, blueprint->tasks);
	blueprint_check_order(stream, blueprint);
}

int
blueprint_read(struct blueprint *blueprint, struct record_reader *reader, int out, struct problems *problems,
    struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	struct reading reading = {.blueprint = blueprint, .out = out};
	int got, result = 0;
	jv value;

	*blueprint = (struct blueprint){0};
	while (result == 0 && (got = record_read(reader, &value, err)) != 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = problems};

		result = got < 0 ? -1 : blueprint_keep_line(&reading, reader, value, err);
		if (result == 0)
			blueprint_read_record(&record, &reading);
		if (got > 0)
			jv_free(value);
	}
	if (result == 0 && out >= 0 && file_write_all(out, reading.lines.data, reading.lines.length) < 0)
		result = error_errno(err, EX_IOERR, "%s", blueprint_out_name(out));
	buffer_release(&reading.lines);
	if (result == 0)
		blueprint_check_whole(&stream, blueprint);
	return result;
}

void
blueprint_release(struct blueprint *blueprint)
{
	arena_release(&blueprint->arena);
	free(blueprint->steps);
	free(blueprint->nodes);
	buffer_release(&blueprint->node_lines);
	names_release(&blueprint->names);
	names_release(&blueprint->node_names);
	names_release(&blueprint->services);
	free(blueprint->step_of);
	free(blueprint->after);
	*blueprint = (struct blueprint){0};
}
