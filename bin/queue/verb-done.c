/* SPDX-License-Identifier: Apache-2.0
 *
 * done and fail: results from a stream are recorded as they come, those that came together with one wait for the disk.
 */
#include "verb.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/message.h"
#include "json/record.h"

enum { BATCH_MAX = 1000 };

static const char *spool;

static const struct option_spec options[] = {VERB_SPOOL(&spool), OPTION_END};

static const struct command done_command = {
	"coopr-queue done", "[OPTION]... [RESULTS]",
	"Record results: tasks with status 0 are done, all others have failed.", options,
	"  coopr-queue take | coopr-exec | coopr-queue done\n"
	"  coopr-queue done results.ndjson\n"};

static const struct command fail_command = {
	"coopr-queue fail", "[OPTION]... [RESULTS]",
	"Record that attempts have failed: as done, but status 0 counts as 1.", options,
	"  coopr-queue take >task.json; jq '{kind:\"result\",job,task:.id,attempt,message:\"no\"}' task.json | coopr-queue fail\n"};

struct batch {
	struct result *list;
	struct queue_answer *answers;
	size_t count, capacity;
	int code; /* the worst so far */
};

/* Lists a problem for each member that a result needs to be recorded at all. */
static void
done_verb_check_names(const struct place *record)
{
	static const char *const names[] = {"job", "task", "attempt"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct place member = place_member(record, names[i]);

		if (!place_present(&member))
			place_problem(&member, "is missing");
	}
}

/* Adds a result, or says what is wrong with it. */
static void
done_verb_add(struct batch *batch, const struct record_reader *reader, jv *record, bool failed)
{
	struct problems problems = {0};
	struct place stream = place_root((jv){0}, &problems), place;
	struct result *result;
	jv status = json_get(*record, "status");

	if (failed && (!jv_is_valid(status) || (jv_get_kind(status) == JV_KIND_NUMBER && jv_number_value(status) == 0)))
		json_set_number(record, "status", 1);
	jv_free(status);
	place = (struct place){.up = &stream, .index = reader->number - 1, .value = *record, .problems = &problems};
	ARRAY_ROOM(batch->list, batch->count, batch->capacity);
	result = &batch->list[batch->count];
	done_verb_check_names(&place);
	result_parse(&place, result);
	if (problems_report(&problems, reader->name)) {
		batch->code = EX_DATAERR;
		result_release(result);
	} else {
		batch->count++;
	}
	problems_release(&problems);
}

static void
done_verb_flush(struct batch *batch, struct queue *queue)
{
	struct error err;

	if (batch->count == 0)
		return;
	batch->answers = memory_resize(batch->answers, batch->count, sizeof *batch->answers);
	memset(batch->answers, 0, batch->count * sizeof *batch->answers);
	if (queue_finish(queue, batch->list, batch->count, batch->answers, &err) < 0 && err.code > batch->code)
		batch->code = err.code;
	for (size_t i = 0; i < batch->count; i++) {
		/* The same reason is told once for all results of a job. */
		if (batch->answers[i].code != 0 && (i == 0 || strcmp(batch->answers[i].text, batch->answers[i - 1].text) != 0))
			message("%s", batch->answers[i].text);
		result_release(&batch->list[i]);
	}
	batch->count = 0;
}

/* Returns true if the next record, or the end, is here: reading on will not wait for anyone. */
static bool
done_verb_more_is_here(const struct record_reader *reader)
{
	struct pollfd fd = {.fd = reader->fd, .events = POLLIN};
	const char *next = reader->pending.data + reader->start;

	/* The record read last has left its newline behind. */
	next += strspn(next, " \t\r\n");
	return strchr(next, '\n') || poll(&fd, 1, 0) > 0;
}

static int
done_verb_record_all(struct queue *queue, struct record_reader *reader, bool failed)
{
	struct batch batch = {0};
	struct error err;
	size_t results = 0;
	jv record;
	int got;

	while ((got = record_read(reader, &record, &err)) > 0) {
		if (strcmp(record_kind(record), "result") == 0) {
			done_verb_add(&batch, reader, &record, failed);
			results++;
		}
		jv_free(record);
		if (batch.count == BATCH_MAX || !done_verb_more_is_here(reader))
			done_verb_flush(&batch, queue);
	}
	done_verb_flush(&batch, queue);
	if (got < 0)
		batch.code = message_error(&err);
	else if (results == 0)
		batch.code = EX_NO;
	if (got == 0 && results == 0)
		message("%s: no result record", reader->name);
	free(batch.list);
	free(batch.answers);
	return batch.code;
}

static int
done_verb_run(const struct command *command, int argc, char **argv, bool failed)
{
	struct record_reader reader;
	struct queue *queue;
	struct error err;
	int code;

	argv += option_parse(command, argc, argv);
	if (argv[0] && argv[1])
		return option_misuse(command, "one file of results, found also '%s'", argv[1]);
	if (record_reader_open(&reader, argv[0], &err) < 0)
		return message_error(&err);
	queue = verb_open(spool, QUEUE_WRITE);

	code = done_verb_record_all(queue, &reader, failed);

	queue_close(queue);
	record_reader_release(&reader);
	return code;
}

int
verb_done(int argc, char **argv)
{
	return done_verb_run(&done_command, argc, argv, false);
}

int
verb_fail(int argc, char **argv)
{
	return done_verb_run(&fail_command, argc, argv, true);
}
