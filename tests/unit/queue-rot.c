/* SPDX-License-Identifier: Apache-2.0
 *
 * The caches of a spool, `state`, `board`, `nodes.ndjson` and `setting.N`, damaged at random: bytes changed, pages zeroed, cut
 * off, lengthened, written over. Whoever comes along afterwards does not crash, does not hang, takes nothing twice and nothing
 * before its time, is told of each task exactly what it would have been told, and every job comes to its end: what is damaged
 * is noticed and made anew, or told, and repaired by fsck --repair.
 *
 * ROT_SEEDS rounds (default 100), from ROT_SEED (default 1) on.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* What is lost here is lost otherwise than by a disk that was not waited for. */
#include "../crash/shim.c" /* NOLINT(bugprone-suspicious-include) */

#include "json/json.h"
#include "queue-rig.h"
#include "queue/read.h"
#include "tap.h"

enum { JOBS = 3, HELD_MAX = 3, HANGS_S = 20, MENDS = 6 };

static char *spool;
static char jobs[JOBS][QUEUE_ID_SIZE];
static bool is_done[JOBS][TASKS];

static unsigned
chance(unsigned below)
{
	return (unsigned)random() % below;
}

/* --- damage --- */

/* Where it fails there is less damage. */
static void
place(int fd, const void *bytes, size_t length, off_t at)
{
	if (pwrite(fd, bytes, length, at) < 0)
		perror("# pwrite");
}

static void
place_random(int fd, off_t at, size_t length)
{
	char bytes[5000];

	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)random();
	place(fd, bytes, length, at);
}

static void
copy_range(int fd, off_t size)
{
	char bytes[512];
	ssize_t length = pread(fd, bytes, 1 + chance(sizeof bytes), (off_t)chance((unsigned)size));

	if (length > 0)
		place(fd, bytes, (size_t)length, (off_t)chance((unsigned)size));
}

static void
change_bits(int fd, off_t size)
{
	for (unsigned left = 1 + chance(8); left > 0; left--) {
		off_t at = (off_t)chance((unsigned)size);
		char byte;

		if (pread(fd, &byte, 1, at) != 1)
			return;
		byte = (char)(byte ^ (1 << chance(8)));
		place(fd, &byte, 1, at);
	}
}

/* Says what it has done. */
static const char *
damage_file(int fd, off_t size)
{
	static const char zeros[4096];
	off_t at = (off_t)chance((unsigned)size);

	switch (chance(8)) {
	case 0:
		place(fd, zeros, size < 4096 ? (size_t)size : 4096, at & ~4095);
		return "zeroed";
	case 1:
		return ftruncate(fd, at) == 0 ? "cut off" : "left alone";
	case 2:
		place_random(fd, size, 1 + chance(4999));
		return "lengthened";
	case 3:
		place_random(fd, at, 1 + chance(64));
		return "written over";
	case 4:
		copy_range(fd, size);
		return "copied over itself";
	default:
		change_bits(fd, size);
		return "changed";
	}
}

static const char *
damage(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	const char *how = "not there";
	struct stat st;

	if (fd < 0)
		return how;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		how = damage_file(fd, st.st_size);
	close(fd);
	return how;
}

/* A cache in one of the jobs; chosen, it need not be there. */
static char *
choose_file(void)
{
	const char *job = jobs[chance(JOBS)];

	switch (chance(6)) {
	case 0:
	case 1:
		return memory_printf("%s/board", spool);
	case 2:
	case 3:
		return memory_printf("%s/jobs/%s/state", spool, job);
	case 4:
		return memory_printf("%s/jobs/%s/nodes.ndjson", spool, job);
	default:
		return memory_printf("%s/jobs/%s/setting.%u", spool, job, chance(2));
	}
}

/* --- what has happened, and what may happen --- */

static char *told[TASKS]; /* what who takes a task is told, where nothing is damaged */

/* What the cluster's configuration comes to is told to tasks of the hardware as far as it was known when it was first asked
 * for: before any address is known, at some time between, or behind all. */
static jv
without_early(jv cluster)
{
	static const char late[] = "{\"config\":{\"a\":\"10.0.0.1,10.0.0.1,10.0.0.1\"},\"unexpanded\":[]}";
	jv early = JV_OBJECT(jv_string("config"), json_get(cluster, "config"), jv_string("unexpanded"), json_get(cluster, "unexpanded"));
	struct buffer text = {0};
	bool known;

	if (!jv_is_valid(early)) {
		jv_free(early);
		return cluster;
	}
	json_dump(early, &text);
	known = strcmp(text.data, late) == 0;
	for (int n = 0; n < NODES && !known; n++) {
		char *soon = memory_printf("{\"config\":{\"a\":\"%%ip.service.s%%\"},\"unexpanded\":[{\"pointer\":\"/a\","
		    "\"text\":\"%%ip.service.s%%: the address bind_v4 of node n%d is not known yet\"}]}", n);

		known = strcmp(text.data, soon) == 0;
		free(soon);
	}
	buffer_release(&text);
	jv_free(early);
	return known ? jv_object_delete(jv_object_delete(cluster, jv_string("config")), jv_string("unexpanded")) : cluster;
}

/* The record without what differs from job to job, and from attempt to attempt. */
static char *
tell(const struct queue_task *task)
{
	static const char *const own[] = {"attempt", "job", "log", "nodes", "token", "worker"};
	struct buffer text = {0};
	struct error err;
	jv record, cluster;

	if (json_parse("a take record", task->record, task->record_length, &record, &err) < 0)
		return memory_string(err.text);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		record = jv_object_delete(record, jv_string(own[i]));
	cluster = jv_object_delete(json_get(record, "cluster"), jv_string("id"));
	if (atoi(task->task + 1) < 2 * NODES)
		cluster = without_early(cluster);
	json_set(&record, "cluster", cluster);
	json_dump(record, &text);
	jv_free(record);
	return buffer_take(&text);
}

/* Keeps what is told at first; whether it is the same from then on. */
static bool
is_told_the_same(const struct queue_task *task)
{
	char **before = &told[atoi(task->task + 1)], *now = tell(task);
	bool same = !*before || strcmp(*before, now) == 0;

	if (!same)
		printf("# it should be told %s\n# and is told %s\n", *before, now);
	if (*before)
		free(now);
	else
		*before = now;
	return same;
}

static int
job_number(const char *job)
{
	int number = 0;

	while (number < JOBS - 1 && strcmp(jobs[number], job) != 0)
		number++;
	return number;
}

/* Why a task should not have been taken, NULL: it may. */
static const char *
wrong_to_take(const struct queue_task *task)
{
	int number = atoi(task->task + 1);
	const bool *finished = is_done[job_number(task->job)];

	if (finished[number])
		return "a task that was done is taken";
	if (!is_told_the_same(task))
		return "who takes a task is told something else";
	if (number >= NODES && number < 2 * NODES && !finished[number - NODES])
		return "confirm before create";
	for (int i = NODES; number >= 2 * NODES && i < 2 * NODES; i++)
		if (!finished[i])
			return "install before confirm";
	return NULL;
}

static int
finish_all(struct queue *queue, const struct queue_batch *batch, struct error *err)
{
	if (finish(queue, batch->list, batch->count, 0, err) < 0)
		return -1;
	for (size_t i = 0; i < batch->count; i++)
		is_done[job_number(batch->list[i].job)][atoi(batch->list[i].task + 1)] = true;
	return 0;
}

static bool
all_done(void)
{
	for (int j = 0; j < JOBS; j++)
		for (int t = 0; t < TASKS; t++)
			if (!is_done[j][t])
				return false;
	return true;
}

/* Takes and finishes. 1: all is done; 0: nothing more is ready; -1: err says why not, or what should not be. */
static int
drain(struct queue *queue, const char **wrong, struct error *err)
{
	struct queue_want want = {.count = 4, .lease_ms = -1};
	struct queue_batch batch;
	int result = 1;

	*wrong = NULL;
	while (result == 1) {
		result = queue_take(queue, &want, &batch, err) < 0 ? -1 : batch.count > 0;
		for (size_t i = 0; i < batch.count && !*wrong; i++)
			*wrong = wrong_to_take(&batch.list[i]);
		if (result == 0 && batch.trouble.code) {
			*err = batch.trouble;
			result = -1;
		}
		if (result == 1 && (*wrong || finish_all(queue, &batch, err) < 0))
			result = -1;
		queue_batch_release(&batch);
	}
	return result == 0 && all_done() ? 1 : result;
}

/* --- a round --- */

static struct queue_batch held[HELD_MAX];
static size_t held_count;

static bool
begin(struct queue *queue)
{
	struct queue_want want = {.count = 1, .lease_ms = -1};
	char cluster[16];
	struct error err;

	memset(is_done, 0, sizeof is_done);
	held_count = 0;
	for (int i = 0; i < JOBS; i++) {
		snprintf(cluster, sizeof cluster, "c%d", i);
		if (put(queue, cluster, jobs[i], &err) < 0)
			return false;
	}
	for (unsigned left = chance(2 * TASKS); left > 0; left--) {
		struct queue_batch batch;

		if (queue_take(queue, &want, &batch, &err) < 0 || (batch.count && finish_all(queue, &batch, &err) < 0))
			return false;
		queue_batch_release(&batch);
	}
	for (unsigned left = chance(HELD_MAX + 1); left > 0; left--)
		if (queue_take(queue, &want, &held[held_count], &err) == 0 && held[held_count].count)
			held_count++;
	return true;
}

static void
repair(struct queue *queue)
{
	struct buffer out = {0};
	struct queue_check check = {true, &out, 0, 0};
	struct error err;

	queue_check(queue, NULL, &check, &err);
	buffer_release(&out);
}

static const char *
look_at_the_end(struct queue *queue)
{
	struct buffer out = {0};
	struct queue_check check = {true, &out, 0, 0};
	struct queue_job job;
	struct error err;
	const char *wrong = NULL;

	for (int i = 0; i < JOBS && !wrong; i++)
		if (queue_status_of(queue, jobs[i], &job, &err) < 0 || job.status != QUEUE_COMPLETE)
			wrong = "a job is not complete";
	/* What nobody has looked at any more may still be as it was damaged: that is found, and repaired. */
	if (!wrong && (queue_check(queue, NULL, &check, &err) < 0 || check.found != check.repaired))
		wrong = memory_printf("fsck --repair: %s", out.data ? out.data : "");
	check = (struct queue_check){false, &out, 0, 0};
	if (!wrong && (queue_check(queue, NULL, &check, &err) < 0 || check.found > 0))
		wrong = memory_printf("fsck: %s", out.data ? out.data : "");
	buffer_release(&out);
	return wrong;
}

/* Everything, from the damage on. What is wrong, NULL: nothing; what was told of it goes to stdout. */
static const char *
live_on(struct queue *queue)
{
	const char *wrong = NULL;
	struct error err;
	int result = 0;

	for (size_t i = 0; i < held_count; i++)
		if (finish_all(queue, &held[i], &err) < 0) {
			printf("# told: %s\n", err.text);
			repair(queue);
			if (finish_all(queue, &held[i], &err) < 0)
				return memory_printf("a result is refused: %s", err.text);
		}
	for (int i = 0; i < MENDS && result != 1; i++) {
		if ((result = drain(queue, &wrong, &err)) == 1)
			break;
		if (wrong)
			return wrong;
		if (result < 0)
			printf("# told: %s\n", err.text);
		else
			printf("# nothing more is ready\n");
		repair(queue);
		if (queue_reap(queue, &err) < 0)
			printf("# told: %s\n", err.text);
	}
	return result == 1 ? look_at_the_end(queue) : "not all of it can be done";
}

/* In a process of its own: 0 where all is well. */
static int
round_of(long seed)
{
	struct error err;
	struct queue *queue;
	const char *how, *wrong;
	char *path;

	alarm(HANGS_S);
	srandom((unsigned)seed);
	file_remove_tree(AT_FDCWD, spool, &err);
	queue = queue_open(spool, QUEUE_WRITE, &err);
	if (!queue || !begin(queue)) {
		printf("# seed %ld: nothing to begin with\n", seed);
		return 2;
	}
	path = choose_file();
	/* Some have it open. */
	if (chance(3)) {
		queue_close(queue);
		queue = NULL;
	}
	how = damage(path);
	printf("# seed %ld: %s %s%s\n", seed, path + strlen(spool) + 1, how, queue ? ", while it is open" : "");
	fflush(stdout);
	if (!queue && !(queue = queue_open(spool, QUEUE_WRITE, &err)))
		wrong = err.text;
	else
		wrong = live_on(queue);
	if (wrong)
		printf("# %s\n", wrong);
	return wrong != NULL;
}

/* One without damage, to learn what is told. */
static bool
learn(void)
{
	struct queue *queue;
	const char *wrong;
	struct error err;
	bool fine;

	queue = queue_open(spool, QUEUE_WRITE, &err);
	if (!queue)
		return false;
	memset(is_done, 0, sizeof is_done);
	fine = put(queue, "c0", jobs[0], &err) == 0 && put(queue, "c1", jobs[1], &err) == 0 && put(queue, "c2", jobs[2], &err) == 0 &&
	    drain(queue, &wrong, &err) == 1;
	queue_close(queue);
	return fine;
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR"), *seeds = getenv("ROT_SEEDS"), *first = getenv("ROT_SEED");
	char *folder = memory_printf("%s/queue-rot.XXXXXX", tmp ? tmp : "/tmp");
	long seed = first ? atol(first) : 1, end = seed + (seeds ? atol(seeds) : 100);
	struct error err;

	if (!mkdtemp(folder))
		return EX_CANTCREAT;
	shim_no_sync = true;
	spool = memory_printf("%s/spool", folder);
	tap_ok(learn(), "without damage all is done");
	for (; seed < end; seed++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			int failed = round_of(seed);

			fflush(stdout);
			_exit(failed);
		}
		waitpid(child, &status, 0);
		tap_ok(status == 0, "seed %ld: %s", seed, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "all is done");
	}
	file_remove_tree(AT_FDCWD, folder, &err);
	free(spool);
	free(folder);
	return tap_end();
}
