/* SPDX-License-Identifier: Apache-2.0
 *
 * Events as they come: those of a job in their order, each once, also where the job appears, finishes, is moved, is brought back,
 * or goes meanwhile. Nothing is polled: the kernel tells which file was written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/names.h"
#include "queue/job/id.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"
#include "queue/spool/shared/journal.h"

struct followed { /* a job */
	const char *id;
	ino_t folder, file; /* what is read: another folder of that name is another job, another file was repaired */
	uint64_t offset;    /* in the file: what is before has been told */
	uint64_t seq;       /* of the last event told, or passed over */
	int watch;          /* inotify's number; -1: none */
	bool dirty;         /* there may be more to read */
	bool over;          /* its last event is finish */
	bool gone;
};

struct follow {
	struct queue_follow base;
	struct spool_queue *queue;
	struct arena arena;
	struct names names;    /* of jobs, numbered as list */
	struct followed *list;
	size_t capacity;
	bool all;              /* jobs that come later, too */
	bool impatient;        /* only what has happened already */
	bool at_hand;          /* nor waits for more */
	int64_t since_ms;
	int inotify, jobs, done; /* its descriptor; the numbers of the two folders */
	struct journal_reader reader;
	struct followed *reading; /* or NULL */
};

/* Opens the events of the job; -1 with errno. */
static int
events_open_file(const struct follow *follow, const char *job, ino_t *folder)
{
	int dir = spool_open_job(&follow->queue->spool, job), fd;
	struct stat st;

	if (dir < 0)
		return -1;
	*folder = fstat(dir, &st) < 0 ? 0 : st.st_ino;
	fd = openat(dir, "events.ndjson", O_RDONLY | O_CLOEXEC);
	close(dir);
	return fd;
}

static int
events_add_watch(const struct follow *follow, const char *path, uint32_t what, struct error *err)
{
	int watch = inotify_add_watch(follow->inotify, path, what);

	if (watch < 0 && errno == ENOSPC)
		return error_set(err, EX_OSERR, "too many files are watched: raise fs.inotify.max_user_watches");
	return watch < 0 ? error_errno(err, EX_OSERR, "%s: cannot be watched", path) : watch;
}

static int
events_watch_folder(const struct follow *follow, const char *name, uint32_t what, struct error *err)
{
	char *path = memory_printf("%s/%s", follow->queue->spool.path, name);
	int watch = events_add_watch(follow, path, what, err);

	free(path);
	return watch;
}

static void
events_unwatch(const struct follow *follow, struct followed *job)
{
	if (job->watch >= 0)
		inotify_rm_watch(follow->inotify, job->watch);
	job->watch = -1;
}

static struct followed *
events_find(const struct follow *follow, const char *id)
{
	int number = names_find(&follow->names, id);

	return number == NAMES_NONE ? NULL : &follow->list[number];
}

/* A job that was not known: all of it is to be told. */
static struct followed *
events_add(struct follow *follow, const char *id)
{
	int number = names_intern(&follow->names, arena_string(&follow->arena, id));

	if (follow->names.count > follow->capacity) {
		follow->capacity = follow->names.capacity;
		follow->list = memory_resize(follow->list, follow->capacity, sizeof *follow->list);
	}
	follow->list[number] = (struct followed){.id = follow->names.list[number], .watch = -1, .dirty = true};
	return &follow->list[number];
}

/* Passes over what has happened so far. */
static int
events_pass_over(const struct follow *follow, struct followed *followed, struct error *err)
{
	struct open_job *job = engine_lock(follow->queue, followed->id, err);
	struct stat st;

	if (!job)
		return err->code == EX_NO ? 0 : -1;
	followed->folder = fstat(job->dir, &st) < 0 ? 0 : st.st_ino;
	followed->file = job->events_inode;
	followed->offset = job->state.header->applied;
	followed->seq = job->state.header->seq;
	followed->over = job->state.header->finished != 0;
	job_unlock(job);
	return 0;
}

/* A job that was finished is being brought back: passes over what there was up to then. */
static int
events_pass_over_finish(const struct follow *follow, struct followed *job, struct error *err)
{
	struct journal_reader reader = {.fd = events_open_file(follow, job->id, &job->folder)};
	struct event event;
	struct stat st;
	int got;

	if (reader.fd < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_NOINPUT, "job %s", job->id);
	job->file = fstat(reader.fd, &st) < 0 ? 0 : st.st_ino;
	while ((got = journal_next(&reader, &event, err)) > 0)
		if (event.kind == EVENT_FINISH) {
			job->offset = reader.next;
			job->seq = event.seq;
			job->over = true;
		}
	close(reader.fd);
	journal_reader_release(&reader);
	return got < 0 && reader.next > reader.offset ? error_prefix(err, "job %s", job->id) : 0;
}

/* Opens the file of a job that has more to tell, where there is one. */
static int
events_begin_reading(struct follow *follow, struct followed *job, struct error *err)
{
	ino_t folder = 0;
	struct stat st;
	int fd = events_open_file(follow, job->id, &folder);
	char path[64];

	job->dirty = false;
	if (fd < 0 || fstat(fd, &st) < 0) {
		events_unwatch(follow, job);
		job->gone = true;
		return errno == ENOENT ? 0 : error_errno(err, EX_NOINPUT, "job %s", job->id);
	}
	if (folder != job->folder)
		job->seq = 0;
	if (folder != job->folder || st.st_ino != job->file || (uint64_t)st.st_size < job->offset)
		job->offset = 0;
	if (st.st_ino != job->file)
		events_unwatch(follow, job);
	job->folder = folder;
	job->file = st.st_ino;
	job->gone = false;
	follow->reading = job;
	follow->reader = (struct journal_reader){.fd = fd, .next = job->offset};
	/* Before it is read: what is written from here on is seen, or told by the kernel. */
	if (job->watch >= 0)
		return 0;
	/* The file itself is watched, whatever becomes of its name. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	job->watch = events_add_watch(follow, path, IN_MODIFY | IN_ATTRIB, err);
	return job->watch < 0 ? -1 : 0;
}

static void
events_end_reading(struct follow *follow)
{
	struct followed *job = follow->reading;

	/* As long as it has not left, or when it comes back, there may be more. */
	if (job->over && file_exists(follow->queue->spool.done, job->id))
		events_unwatch(follow, job);
	close(follow->reader.fd);
	journal_reader_release(&follow->reader);
	follow->reading = NULL;
}

/* The next event of the job at hand: 1; 0 where there is none for now. */
static int
events_read_event(struct follow *follow, struct queue_event *out, struct error *err)
{
	struct journal_reader *reader = &follow->reader;
	struct followed *job = follow->reading;
	struct event *event = &out->event;
	int got;

	while ((got = journal_next(reader, event, err)) > 0) {
		job->offset = reader->next;
		job->over = event->kind == EVENT_FINISH || (job->over && event->kind != EVENT_RETRY);
		if (event->seq <= job->seq)
			continue;
		job->seq = event->seq;
		if (follow->since_ms > 0 && event->at_ms < follow->since_ms)
			continue;
		out->job = job->id;
		out->line = reader->pending.data + reader->start - reader->length;
		out->length = reader->length;
		return 1;
	}
	/* A line that is not whole yet is read again when there is more of it; any other is damage. */
	if (got < 0 && (err->code != EX_DATAERR || reader->next > reader->offset))
		return error_prefix(err, "job %s", job->id);
	events_end_reading(follow);
	return 0;
}

/* A job was moved: into jobs/; out of done/, to come back; or into it. */
static int
events_take_note(struct follow *follow, const char *id, bool comes_back, struct error *err)
{
	struct followed *job = events_find(follow, id);

	if (!id_is_valid(id))
		return 0;
	if (!job && comes_back && follow->since_ms == QUEUE_NOW)
		return events_pass_over_finish(follow, events_add(follow, id), err);
	if (!job)
		job = events_add(follow, id);
	job->dirty = true;
	return 0;
}

/* All that is in jobs/. */
static int
events_look_around(struct follow *follow, struct error *err)
{
	DIR *stream = spool_list(follow->queue->spool.jobs);
	const struct dirent *entry;

	if (!stream)
		return error_errno(err, EX_IOERR, "%s/jobs", follow->queue->spool.path);
	while ((entry = readdir(stream)))
		if (id_is_valid(entry->d_name) && !events_find(follow, entry->d_name))
			events_add(follow, entry->d_name);
	closedir(stream);
	return 0;
}

static int
events_handle(struct follow *follow, const struct inotify_event *event, struct error *err)
{
	if (event->mask & IN_Q_OVERFLOW) {
		for (size_t i = 0; i < follow->names.count; i++)
			follow->list[i].dirty = true;
		return follow->all ? events_look_around(follow, err) : 0;
	}
	if (event->wd == follow->jobs || event->wd == follow->done)
		return event->len ? events_take_note(follow, event->name, event->wd == follow->done &&
		    event->mask & IN_MOVED_FROM, err) : 0;
	for (size_t i = 0; i < follow->names.count; i++)
		if (follow->list[i].watch == event->wd)
			follow->list[i].dirty = true;
	return 0;
}

/* Takes note of what the kernel has told: 1; 0 where that is nothing. */
static int
events_take_in(struct follow *follow, struct error *err)
{
	_Alignas(struct inotify_event) char bytes[64 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
	const struct inotify_event *event;
	ssize_t n = read(follow->inotify, bytes, sizeof bytes);

	if (n < 0 && errno != EINTR && errno != EAGAIN)
		return error_errno(err, EX_OSERR, "inotify");
	for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof *event + event->len)) {
		event = (const void *)(bytes + at);
		if (events_handle(follow, event, err) < 0)
			return -1;
	}
	return n > 0;
}

static int
events_wait_for_more(struct follow *follow, struct error *err)
{
	struct pollfd fds[2] = {{.fd = follow->inotify, .events = POLLIN}, {.fd = STDOUT_FILENO}};

	if (poll(fds, 2, -1) < 0 && errno != EINTR)
		return error_errno(err, EX_OSERR, "poll");
	if (fds[1].revents & (POLLERR | POLLHUP))
		return error_set(err, EX_IOERR, "standard output: nobody reads it any more");
	return fds[0].revents & POLLIN && events_take_in(follow, err) < 0 ? -1 : 0;
}

static bool
events_is_over(const struct follow *follow)
{
	for (size_t i = 0; i < follow->names.count; i++)
		if (!follow->list[i].over && !follow->list[i].gone)
			return false;
	return !follow->all;
}

int
events_next(struct queue_follow *base, struct queue_event *event, struct error *err)
{
	struct follow *follow = (struct follow *)base;

	for (;;) {
		struct followed *job = NULL;
		int got = follow->reading ? events_read_event(follow, event, err) : 0;

		if (got < 0 && follow->at_hand)
			events_end_reading(follow);
		if (got != 0)
			return got;
		for (size_t i = 0; !job && i < follow->names.count; i++)
			if (follow->list[i].dirty)
				job = &follow->list[i];
		if (job && events_begin_reading(follow, job, err) < 0)
			return -1;
		if (job)
			continue;
		if (follow->impatient || events_is_over(follow))
			return 0;
		if (follow->at_hand) {
			got = events_take_in(follow, err);
			if (got <= 0)
				return got;
			continue;
		}
		if (events_wait_for_more(follow, err) < 0)
			return -1;
	}
}

static int
events_begin(struct follow *follow, char *const *jobs, struct error *err)
{
	struct queue_job looked;

	follow->base.fd = follow->inotify = inotify_init1(follow->at_hand ? IN_CLOEXEC | IN_NONBLOCK : IN_CLOEXEC);
	if (follow->inotify < 0)
		return error_errno(err, EX_OSERR, "inotify");
	if (follow->all && ((follow->jobs = events_watch_folder(follow, "jobs", IN_MOVED_TO | IN_ONLYDIR, err)) < 0 ||
	    (follow->done = events_watch_folder(follow, "done", IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR, err)) < 0 ||
	    events_look_around(follow, err) < 0))
		return -1;
	for (; *jobs; jobs++) {
		if (queue_status_of(&follow->queue->base, *jobs, &looked, err) < 0)
			return -1;
		if (!events_find(follow, *jobs))
			events_add(follow, *jobs);
	}
	for (size_t i = 0; follow->since_ms == QUEUE_NOW && i < follow->names.count; i++)
		if (events_pass_over(follow, &follow->list[i], err) < 0)
			return -1;
	return 0;
}

struct queue_follow *
events_follow(struct queue *queue, const struct queue_follow_options *options, struct error *err)
{
	struct follow *follow = memory_zeroed(1, sizeof *follow);

	*follow = (struct follow){.base.queue = queue, .queue = spool_queue_of(queue), .all = !options->jobs[0],
	    .impatient = options->past, .at_hand = options->at_hand, .since_ms = options->since_ms, .inotify = -1, .jobs = -1, .done = -1};
	if (events_begin(follow, options->jobs, err) == 0)
		return &follow->base;
	events_close(&follow->base);
	return NULL;
}

void
events_close(struct queue_follow *base)
{
	struct follow *follow = (struct follow *)base;

	if (follow->reading)
		events_end_reading(follow);
	if (follow->inotify >= 0)
		close(follow->inotify);
	free(follow->list);
	names_release(&follow->names);
	arena_release(&follow->arena);
	free(follow);
}
