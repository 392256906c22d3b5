/* SPDX-License-Identifier: Apache-2.0
 *
 * Two who have the spool open at once, and a spool that breaks while it is open.
 */
#include "queue/read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/record.h"
#include "tap.h"

enum { MANY = 200 }; /* jobs: more than a new table has room for */

static const char plan[] =
    "{\"kind\":\"job\",\"cluster\":\"c1\",\"tenant\":\"qa\",\"action\":\"cluster_create\",\"tasks\":1,\"critical_path_s\":1}\n"
    "{\"kind\":\"cluster\",\"id\":\"c1\",\"name\":\"kv\",\"tenant\":\"qa\",\"services\":[],\"config\":{},\"definitions\":[],"
    "\"provider\":{\"name\":\"d\",\"providertype\":\"dummy\"}}\n"
    "{\"kind\":\"node\",\"id\":\"n0\",\"nodenum\":1000,\"hostname\":\"n0.example.net\",\"services\":[],\"was\":null}\n"
    "{\"kind\":\"task\",\"id\":\"t0\",\"node\":\"n0\",\"action\":\"create\",\"service\":null,\"type\":\"dummy\",\"fields\":{},"
    "\"timeout_s\":60,\"retries\":1,\"expect_s\":1,\"rank\":1,\"after\":[]}\n";

static struct error err;
static int dir; /* a fresh directory */

/* Both in the same directory. */
static struct queue *
open_queue(void)
{
	struct queue *queue = queue_open("spool", QUEUE_WRITE, &err);

	if (!queue)
		exit(tap_ok(false, "the spool can be opened: %s", err.text));
	return queue;
}

static bool
put(struct queue *queue, const char *cluster, char job[QUEUE_ID_SIZE])
{
	const struct queue_put options = {0};
	struct problems problems = {0};
	struct record_reader reader;
	char text[sizeof plan + 64];
	bool done;

	/* Each job is of a cluster of its own, with an id as long as that in the pattern. */
	memcpy(text, plan, sizeof plan);
	for (char *at = text; (at = strstr(at, "\"c1\"")); at++)
		memcpy(at + 1, cluster, 2);
	done = file_replace(dir, "plan", text, strlen(text), 0600, &err) == 0 &&
	    record_reader_open(&reader, "plan", &err) == 0;
	if (done) {
		done = queue_put(queue, &reader, &options, job, &problems, &err) == 0;
		record_reader_release(&reader);
	}
	problems_release(&problems);
	return done;
}

static void
test_board_grows(void)
{
	struct queue *mine = open_queue(), *other = open_queue();
	char cluster[3] = "aa", job[QUEUE_ID_SIZE] = "";
	struct queue_want want = {.count = 1, .job = job, .by = "me"};
	struct queue_batch batch;
	bool all = true;

	for (int i = 0; i < MANY; i++) {
		cluster[0] = (char)('a' + i / 26);
		cluster[1] = (char)('a' + i % 26);
		all &= put(other, cluster, job);
	}
	tap_ok(all, "many jobs can be put: %s", all ? "" : err.text);
	/* The other has looked for the dead: mine will not do so just now, which would show it the new table. */
	queue_reap(other, &err);
	queue_take(other, &(struct queue_want){.count = 1, .by = "other"}, &batch, &err);
	queue_batch_release(&batch);
	tap_is_number(queue_take(mine, &want, &batch, &err), 0, "a job put by another can be taken from by name");
	tap_is_number(batch.count, 1, "also where the board has grown since");
	queue_batch_release(&batch);
	queue_close(other);
	queue_close(mine);
}

static void
test_broken_spool(void)
{
	struct queue *queue = open_queue();
	struct result results[2] = {{.job = "zz-001", .task = "t0", .attempt = 1}, {.job = "zz-001", .task = "t0", .attempt = 1}};
	struct queue_answer answers[2] = {0};
	char job[QUEUE_ID_SIZE];

	tap_ok(put(queue, "zz", job), "a job can be put");
	renameat(dir, "spool/board", dir, "board");
	mkdirat(dir, "spool/board", 0700);
	tap_is_number(queue_finish(queue, results, 2, answers, &err), -1, "without a board nothing is recorded");
	tap_ok(answers[0].code != 0 && answers[1].code != 0, "and each answer says so");
	tap_is_text(answers[1].text, err.text, "with the reason");
	unlinkat(dir, "spool/board", AT_REMOVEDIR);
	renameat(dir, "board", dir, "spool/board");
	queue_close(queue);
}

static void
test_wanted(void)
{
	struct queue *queue = open_queue();
	char job[QUEUE_ID_SIZE];
	struct queue_want want = {.count = 1, .job = job, .by = "me"};
	struct queue_batch batch;

	tap_ok(put(queue, "ww", job), "a job can be put");
	tap_is_number(queue_take(queue, &want, &batch, &err), 0, "and taken from");
	queue_batch_release(&batch);
	tap_is_number(queue_wanted(queue, job, "t0", 1, &err), 1, "what runs is wanted");
	tap_is_number(queue_wanted(queue, job, "t0", 2, &err), 0, "another attempt is not");
	tap_is_number(queue_wanted(queue, "none", "t0", 1, &err), 0, "nor is one of a job that is not there");
	renameat(dir, "spool/jobs/ww-001/events.ndjson", dir, "events");
	tap_is_number(queue_wanted(queue, job, "t0", 1, &err), -1, "where the job cannot be read, that is no answer");
	tap_is_number(err.code, EX_NOINPUT, "but an error: %s", err.text);
	renameat(dir, "events", dir, "spool/jobs/ww-001/events.ndjson");
	tap_is_number(queue_control(queue, QUEUE_CANCEL, job, NULL, &err), 0, "the job can be cancelled");
	tap_is_number(queue_wanted(queue, job, "t0", 1, &err), 0, "then it is not wanted");
	queue_close(queue);
}

static void
test_reap(void)
{
	struct queue *queue = open_queue();
	char job[QUEUE_ID_SIZE];
	struct queue_want want = {.count = 1, .job = job, .by = "me"};
	struct queue_batch batch;
	struct queue_job found;

	tap_ok(put(queue, "ss", job), "a job can be put");
	tap_is_number(queue_take(queue, &want, &batch, &err), 0, "and taken from, on a lease that has run out at once");
	queue_batch_release(&batch);
	tap_is_number(queue_reap(queue, &err), 0, "who reaps and does not take");
	tap_is_number(queue_status_of(queue, job, &found, &err), 0, "finds the job");
	tap_is_number(found.ready, 1, "with the task ready again");
	queue_close(queue);
}

int
main(void)
{
	const char *folder = getenv("TMPDIR");
	char *path = memory_printf("%s/queue-engine.XXXXXX", folder ? folder : "/tmp");

	if (!mkdtemp(path) || chdir(path) < 0 || (dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return EX_CANTCREAT;
	test_board_grows();
	test_broken_spool();
	test_wanted();
	test_reap();
	close(dir);
	file_remove_tree(AT_FDCWD, path, &err);
	free(path);
	return tap_end();
}
