/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/take-record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/dump.h"
#include "json/json.h"
#include "model/take/setting.h"
#include "model/take/take-record.h"
#include "queue/job/step.h"
#include "queue/spool/shared/spool.h"

static int
take_add_nodes(struct open_job *job, struct setting_nodes *nodes, struct error *err)
{
	struct job_state *state = &job->state;
	struct buffer lines = {0};
	int result = file_read(job->dir, "nodes.ndjson", SIZE_MAX, &lines, err);

	/* Records that are not yet in the file follow on those that the state speaks of. */
	if (result == 0 && job->nodes.length) {
		lines.length = state->header->nodes_size < lines.length ? state->header->nodes_size : lines.length;
		buffer_append(&lines, job->nodes.data, job->nodes.length);
	}
	for (uint32_t n = 0; result == 0 && n < state->header->node_count; n++) {
		const struct state_node *node = state_node(state, n);

		if (node->offset > lines.length || node->length > lines.length - node->offset)
			result = error_set(err, EX_IOERR, "nodes.ndjson: it is too short");
		else
			result = job_check_node(job, n, lines.data + node->offset, err);
		if (result == 0)
			result = setting_add_node(nodes, lines.data + node->offset, node->length, err);
	}
	buffer_release(&lines);
	return result;
}

/* Appends the record of the job; an unreadable one says nothing. */
static void
take_job_line(struct open_job *job, struct buffer *line)
{
	struct error ignored;

	if (job_plan(job, job->state.header->job_offset, job->state.header->job_length, line, &ignored) < 0)
		buffer_clear(line);
}

/* Tells whether the job makes the cluster. What an older cluster has may look up what it does not declare. */
static bool
take_is_creation(struct open_job *job)
{
	static const char action[] = "\"action\":\"cluster_create\"";
	struct buffer line = {0};
	bool is;

	take_job_line(job, &line);
	is = line.length && memmem(line.data, line.length, action, sizeof action - 1);
	buffer_release(&line);
	return is;
}

static int
take_make_setting(struct open_job *job, jv without, struct setting *setting, struct error *err)
{
	const struct state_header *header = job->state.header;
	struct setting_nodes nodes = {0};
	struct buffer cluster = {0};
	int result = job_plan(job, header->cluster_offset, header->cluster_length, &cluster, err);

	if (result == 0 && header->macros)
		result = take_add_nodes(job, &nodes, err);
	if (result == 0 && jv_get_kind(without) == JV_KIND_OBJECT)
		setting_hide(&nodes, without);
	if (result == 0)
		result = setting_make(setting, cluster.data, cluster.length, &nodes, take_is_creation(job), err);
	setting_release_nodes(&nodes);
	buffer_release(&cluster);
	return result;
}

/* Returns the setting that a task is told, owned by the open job; made by us, or by another process that has left its cache. */
static const struct setting *
take_setting_for(struct open_job *job, bool hardware, struct error *err)
{
	uint32_t generation = hardware ? 0 : job->state.header->generation;
	struct buffer text = {0};
	struct job_setting *kept;
	char name[sizeof "setting." + 10];

	if (!job->setting)
		job->setting = memory_zeroed(2, sizeof *job->setting);
	kept = &job->setting[hardware];
	if (kept->made && kept->generation == generation)
		return &kept->setting;
	setting_release(&kept->setting);
	snprintf(name, sizeof name, "setting.%" PRIu32, generation);
	kept->made = job_load_cache(job->dir, name, &text) && setting_load(&kept->setting, text.data, text.length, err) == 0;
	if (!kept->made) {
		setting_release(&kept->setting);
		kept->made = take_make_setting(job, jv_invalid(), &kept->setting, err) == 0;
		if (kept->made) {
			buffer_clear(&text);
			setting_save(&kept->setting, &text);
			job_save_cache(job, name, &text);
		}
	}
	buffer_release(&text);
	kept->generation = generation;
	return kept->made ? &kept->setting : NULL;
}

/* Appends what the task of a node is told. */
static int
take_print_setting(struct open_job *job, uint32_t node, const struct setting *setting, const struct buffer *machine,
    struct buffer *out, struct error *err)
{
	struct macro_instance instances[STATE_INSTANCES_MAX];
	const struct state_header *header = job->state.header;

	for (uint32_t i = 0; i < header->instance_count; i++)
		instances[i] = (struct macro_instance){state_text(&job->state, header->instance_service[i]),
		    *state_number(&job->state, STATE_INSTANCES, i * (uint64_t)header->node_count + node)};
	return setting_print(setting, machine->data, machine->length, instances, header->instance_count, out, err);
}

/* Appends what a task is told that leaves instances out. There are few of them: nothing is kept. */
static int
take_print_setting_without(struct open_job *job, uint32_t node, jv without, const struct buffer *machine, struct buffer *out,
    struct error *err)
{
	struct setting setting = {0};
	int result = take_make_setting(job, without, &setting, err);

	if (result == 0)
		result = take_print_setting(job, node, &setting, machine, out, err);
	setting_release(&setting);
	return result;
}

void
take_record_forget(const struct open_job *job)
{
	DIR *stream = spool_list(job->dir);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (strncmp(entry->d_name, "setting.", 8) == 0)
			unlinkat(job->dir, entry->d_name, 0);
	if (stream)
		closedir(stream);
}

static int
take_plan_line(struct open_job *job, uint32_t step, struct buffer *out, struct error *err)
{
	const struct state_step *of = state_step(&job->state, step);
	size_t start = out->length;

	if (job_plan(job, of->offset, of->length, out, err) < 0)
		return -1;
	if (checksum_sum(out->data + start, of->length, of->offset) == of->sum)
		return 0;
	job->state.broken = true;
	return error_set(err, EX_DATAERR, "job %s: plan.ndjson: the record of step %s is damaged", job->id,
	    state_step_id(&job->state, step));
}

/* An action of a step's undo is done as the task of that action on the same node says, where the step waits for one (a
 * confirm for its create); else as the step itself says. */
static uint32_t
take_pattern_of(struct open_job *job, uint32_t step, const struct string_list *after, enum action action)
{
	struct job_state *state = &job->state;

	for (size_t i = 0; i < after->count; i++) {
		uint32_t link = state_find(state, after->list[i]);
		const struct state_step *before = link ? state_step(state, link - 1) : NULL;

		if (before && !before->is_milestone && before->action == action &&
		    before->node == state_step(state, step)->node)
			return link - 1;
	}
	return step;
}

/* The line of the plan that says how to do the step now. */
static int
take_line_for(struct open_job *job, uint32_t step, enum action action, struct buffer *line, struct error *err)
{
	struct arena arena = {0};
	struct step own;
	uint32_t pattern;
	int result;

	if (take_plan_line(job, step, line, err) < 0)
		return -1;
	if (state_live(&job->state, step)->phase == 0)
		return 0;
	result = take_record_step(line->data, line->length, &arena, &own, err);
	pattern = result == 0 ? take_pattern_of(job, step, &own.after, action) : step;
	arena_release(&arena);
	if (pattern == step)
		return result;
	buffer_clear(line);
	return take_plan_line(job, pattern, line, err);
}

/* Returns the member "without" of a record, owned; invalid if it has none or it is empty. */
static jv
take_find_without(const struct buffer *line)
{
	static const char member[] = "\"without\":{\"";
	struct error ignored;
	jv task, without;

	if (!line->length || !memmem(line->data, line->length, member, sizeof member - 1) ||
	    json_parse("plan.ndjson", line->data, line->length, &task, &ignored) < 0)
		return jv_invalid();
	without = json_get(task, "without");
	jv_free(task);
	return without;
}

/* Adds to the line of a task what the job leaves out, unless the task itself says what it leaves out. A service knows all of its own
 * instances. */
static int
take_add_without(struct open_job *job, struct buffer *line, struct error *err)
{
	static const char member[] = "\"without\":";
	struct buffer record = {0};
	jv without, task, service;

	if (memmem(line->data, line->length, member, sizeof member - 1))
		return 0;
	take_job_line(job, &record);
	without = take_find_without(&record);
	buffer_release(&record);
	if (jv_get_kind(without) != JV_KIND_OBJECT)
		return 0;
	if (json_parse("plan.ndjson", line->data, line->length, &task, err) < 0) {
		jv_free(without);
		return -1;
	}
	service = json_get(task, "service");
	if (json_string(service)) {
		without = jv_object_delete(without, jv_copy(service));
		json_set(&task, "without", jv_copy(without));
		buffer_clear(line);
		json_dump(task, line);
	}
	jv_free(service);
	jv_free(without);
	jv_free(task);
	return 0;
}

/* Appends what the task of that line is told. */
static int
take_print_cluster(struct open_job *job, uint32_t node, enum action action, const struct buffer *line,
    const struct buffer *machine, struct buffer *out, struct error *err)
{
	jv without = take_find_without(line);
	const struct setting *setting = NULL;
	int result = -1;

	if (jv_get_kind(without) == JV_KIND_OBJECT)
		result = take_print_setting_without(job, node, without, machine, out, err);
	else if ((setting = take_setting_for(job, action_is_hardware(action), err)))
		result = take_print_setting(job, node, setting, machine, out, err);
	jv_free(without);
	return result;
}

/* Prints the record of taken, which knows all but the texts. */
static int
take_print_record(struct open_job *job, uint32_t number, struct take_record *taken, struct arena *arena, struct step *step,
    struct buffer *record, struct error *err)
{
	struct buffer machine = {0}, line = {0}, cluster = {0};
	uint32_t node = state_step(&job->state, number)->node;
	int result = -1;

	if (job_node(job, node, &machine, err) == 0 &&
	    take_line_for(job, number, taken->action, &line, err) == 0 && take_add_without(job, &line, err) == 0 &&
	    take_print_cluster(job, node, taken->action, &line, &machine, &cluster, err) == 0) {
		taken->machine = machine.data;
		taken->cluster = cluster.data;
		result = take_record_print(taken, line.data, line.length, arena, step, record, err);
	}
	buffer_release(&machine);
	buffer_release(&line);
	buffer_release(&cluster);
	return result;
}

int
take_record(struct open_job *job, uint32_t number, int64_t attempt, const char *worker, struct arena *arena,
    struct queue_task *task, struct error *err)
{
	const struct state_live *live = state_live(&job->state, number);
	enum action action = step_action(&job->state, number);
	struct take_places places = {0};
	struct take_record taken = {.job = arena_string(arena, job->id),
	    .task = arena_string(arena, state_step_id(&job->state, number)), .action = action_asked(action),
	    .attempt = attempt, .worker = worker, .places = &places};
	struct buffer record = {0};
	struct step step;
	int result;

	/* Each time round, what undoes makes a new machine: that is not the same thing as before. */
	taken.token = live->phase == 0 ? arena_printf(arena, "%s:%s", taken.job, taken.task)
	    : arena_printf(arena, "%s:%s:%u", taken.job, taken.task, live->rounds);
	result = take_print_record(job, number, &taken, arena, &step, &record, err);
	if (result == 0)
		*task = (struct queue_task){.job = taken.job, .task = taken.task, .attempt = attempt, .node = step.node,
		    .action = action, .service = step.service, .type = step.type, .timeout_s = step.timeout_s,
		    .expect_s = step.expect_s, .record = arena_substring(arena, record.data, record.length),
		    .record_length = record.length, .log_at = places.log, .nodes_at = places.nodes};
	else
		error_prefix(err, "job %s", job->id);
	buffer_release(&record);
	return result;
}
