/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/take-record.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/scan.h"
#include "model/offer.h"
#include "model/setting.h"
#include "queue/spool.h"
#include "queue/step.h"

static int
add_nodes(struct ledger *ledger, struct setting *setting, struct error *err)
{
	struct index *index = &ledger->index;
	struct buffer lines = {0};
	int result = file_read(ledger->dir, "nodes.ndjson", SIZE_MAX, &lines, err);

	if (result == 0)
		buffer_append(&lines, ledger->nodes.data, ledger->nodes.length);
	for (uint32_t n = 0; result == 0 && n < index->header->node_count; n++) {
		const struct index_node *node = index_node(index, n);

		if (node->offset > lines.length || node->length > lines.length - node->offset)
			result = error_set(err, EX_IOERR, "nodes.ndjson: it is too short");
		else
			result = setting_add(setting, lines.data + node->offset, node->length, err);
	}
	buffer_release(&lines);
	return result;
}

/* Makes the text; machine is the record of the node it is for. */
static int
make_setting(struct ledger *ledger, const struct buffer *machine, struct buffer *text, struct error *err)
{
	const struct index_header *header = ledger->index.header;
	bool own = header->macros == INDEX_MACROS_NODE;
	struct setting setting = {0};
	struct buffer cluster = {0};
	int result = ledger_plan(ledger, header->cluster_offset, header->cluster_length, &cluster, err);

	if (result == 0 && header->macros != INDEX_MACROS_NONE)
		result = add_nodes(ledger, &setting, err);
	if (result == 0)
		result = setting_print(&setting, cluster.data, cluster.length, own ? machine->data : NULL,
		    machine->length, text, err);
	setting_release(&setting);
	buffer_release(&cluster);
	return result;
}

/* The file that another process has left; whole files end in a newline. */
static bool
load_setting(const struct ledger *ledger, const char *name, struct buffer *text)
{
	struct error none;
	bool whole = file_exists(ledger->dir, name) && file_read(ledger->dir, name, JSON_BYTES, text, &none) == 0 &&
	    text->length > 2 && text->data[0] == '{' && text->data[text->length - 1] == '\n';

	if (whole)
		text->data[--text->length] = '\0';
	else
		buffer_clear(text);
	return whole;
}

/* Leaves the text to others. Where that is not possible they make it themselves. */
static void
save_setting(const struct ledger *ledger, const char *name, const struct buffer *text)
{
	char *fresh = memory_printf("%s.new", name);
	int fd = openat(ledger->dir, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd >= 0) {
		bool written = file_write_all(fd, text->data, text->length) == 0 && file_write_all(fd, "\n", 1) == 0;

		close(fd);
		if (!written || renameat(ledger->dir, fresh, ledger->dir, name) < 0)
			unlinkat(ledger->dir, fresh, 0);
	}
	free(fresh);
}

/* The text for a task, owned by the ledger. */
static const char *
setting_for(struct ledger *ledger, bool hardware, const struct buffer *machine, struct error *err)
{
	const struct index_header *header = ledger->index.header;
	uint32_t generation = hardware ? 0 : header->generation;
	bool shared = header->macros != INDEX_MACROS_NODE;
	struct buffer text = {0};
	char *name;

	if (ledger->setting[!hardware].text && ledger->setting[!hardware].generation == generation && shared)
		return ledger->setting[!hardware].text;
	name = memory_printf("setting.%" PRIu32, generation);
	if (!shared || !load_setting(ledger, name, &text)) {
		if (make_setting(ledger, machine, &text, err) < 0) {
			free(name);
			buffer_release(&text);
			return NULL;
		}
		if (shared)
			save_setting(ledger, name, &text);
	}
	free(name);
	free(ledger->setting[!hardware].text);
	ledger->setting[!hardware].text = buffer_take(&text);
	ledger->setting[!hardware].generation = generation;
	return ledger->setting[!hardware].text;
}

void
take_record_forget(const struct ledger *ledger)
{
	int fd = openat(ledger->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (strncmp(entry->d_name, "setting.", 8) == 0)
			unlinkat(fd, entry->d_name, 0);
	if (stream)
		closedir(stream);
}

static int
plan_line(struct ledger *ledger, uint32_t step, struct buffer *out, struct error *err)
{
	const struct index_step *of = index_step(&ledger->index, step);

	return ledger_plan(ledger, of->offset, of->length, out, err);
}

/* An action of a step's undo is done as the task of that action on the same node says, where the step waits for one (a
 * confirm for its create); else as the step itself says. */
static uint32_t
pattern_of(struct ledger *ledger, uint32_t step, const struct string_list *after, enum action action)
{
	struct index *index = &ledger->index;

	for (size_t i = 0; i < after->count; i++) {
		uint32_t link = index_find(index, after->list[i]);
		const struct index_step *before = link ? index_step(index, link - 1) : NULL;

		if (before && !before->is_milestone && before->action == action &&
		    before->node == index_step(index, step)->node)
			return link - 1;
	}
	return step;
}

/* The line of the plan that says how to do the step now. */
static int
line_for(struct ledger *ledger, uint32_t step, enum action action, struct buffer *line, struct error *err)
{
	struct buffer scratch = {0};
	struct arena arena = {0};
	struct offer none = {.task = index_step_id(&ledger->index, step), .cluster = "{}", .machine = "{}"};
	struct step own;
	uint32_t pattern;
	int result;

	if (plan_line(ledger, step, line, err) < 0)
		return -1;
	if (index_live(&ledger->index, step)->phase == 0)
		return 0;
	none.action = action;
	result = offer_print(&none, line->data, line->length, &arena, &own, &scratch, err);
	pattern = result == 0 ? pattern_of(ledger, step, &own.after, action) : step;
	arena_release(&arena);
	buffer_release(&scratch);
	if (pattern == step)
		return result;
	buffer_clear(line);
	return plan_line(ledger, pattern, line, err);
}

static void
fill_offer(struct ledger *ledger, uint32_t number, struct arena *arena, struct offer *offer)
{
	struct index *index = &ledger->index;
	const struct index_live *live = index_live(index, number);
	const char *spool = ledger->spool->path;

	offer->job = arena_string(arena, ledger->id);
	offer->task = arena_string(arena, index_step_id(index, number));
	offer->action = step_action(index, number);
	offer->nodes = arena_printf(arena, "%s/jobs/%s/nodes.ndjson", spool, ledger->id);
	offer->log = arena_printf(arena, "%s/jobs/%s/log/%s.%" PRId64, spool, ledger->id, offer->task, offer->attempt);
	/* Each time round, what undoes makes a new machine: that is not the same thing as before. */
	offer->token = live->phase == 0 ? arena_printf(arena, "%s:%s", offer->job, offer->task)
	    : arena_printf(arena, "%s:%s:%u", offer->job, offer->task, live->cycles);
}

static void
fill_task(const struct offer *offer, const struct step *step, struct arena *arena, const struct buffer *record,
    struct queue_task *task)
{
	*task = (struct queue_task){.job = offer->job, .task = offer->task, .attempt = offer->attempt, .node = step->node,
	    .action = offer->action, .service = step->service, .type = step->type, .timeout_s = step->timeout_s,
	    .expect_s = step->expect_s, .record = arena_substring(arena, record->data, record->length),
	    .record_length = record->length};
}

int
take_record(struct ledger *ledger, uint32_t number, int64_t attempt, const char *worker, struct arena *arena,
    struct queue_task *task, struct error *err)
{
	struct buffer machine = {0}, line = {0}, record = {0};
	struct offer offer = {.attempt = attempt, .worker = worker};
	struct step step;
	int result;

	fill_offer(ledger, number, arena, &offer);
	result = ledger_node(ledger, index_step(&ledger->index, number)->node, &machine, err);
	if (result == 0)
		result = line_for(ledger, number, offer.action, &line, err);
	if (result == 0) {
		offer.machine = machine.data;
		offer.cluster = setting_for(ledger, action_is_hardware(offer.action), &machine, err);
		result = offer.cluster ? offer_print(&offer, line.data, line.length, arena, &step, &record, err) : -1;
		if (result < 0)
			error_prefix(err, "job %s", ledger->id);
	}
	if (result == 0)
		fill_task(&offer, &step, arena, &record, task);
	buffer_release(&machine);
	buffer_release(&line);
	buffer_release(&record);
	return result;
}
