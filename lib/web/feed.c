/* SPDX-License-Identifier: Apache-2.0 */
#include "web/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/names.h"
#include "cluster/clusters.h"
#include "content/cursor.h"
#include "queue/read.h"

enum { FEED_KEPT = 8 << 20, FEED_FILE_MAX = 256 << 20 };

/* The file: "coopr-feed KEY BOOT FIRST", then lines "JOB SEQ EVENT RECORD" in the order, numbered from FIRST on; and, anywhere, "= JOB SEQ":
 * what the order has had of a job, or passed over. A line that is not whole was told to nobody. */
struct feed {
	struct cursor_key key; /* that no other order has */
	char *path;
	int lock, fd;
	off_t size;
	struct queue *queue;
	struct queue_follow *follow;
	struct arena arena;
	struct names jobs;
	uint64_t *known; /* the seq of the last event of each job */
	size_t known_capacity;
	struct feed_event *list; /* those that are kept: from start up to count */
	size_t start, count, capacity;
	uint64_t first; /* the number of list[start] */
	size_t bytes;
	bool passes_over;
};

static uint64_t *
feed_known(struct feed *feed, const char *job)
{
	size_t before = feed->jobs.count;
	int number = names_find(&feed->jobs, job);

	if (number == NAMES_NONE)
		number = names_intern(&feed->jobs, arena_string(&feed->arena, job));
	if (feed->jobs.count > feed->known_capacity) {
		feed->known_capacity = feed->jobs.capacity;
		feed->known = memory_resize(feed->known, feed->known_capacity, sizeof *feed->known);
	}
	if (feed->jobs.count > before)
		feed->known[number] = 0;
	return &feed->known[number];
}

static void
feed_forget(struct feed *feed)
{
	while (feed->bytes > FEED_KEPT) {
		struct feed_event *event = &feed->list[feed->start++];

		feed->first++;
		feed->bytes -= event->length;
		free(event->text);
	}
	if (feed->start > feed->count / 2) {
		feed->count -= feed->start;
		memmove(feed->list, feed->list + feed->start, feed->count * sizeof *feed->list);
		feed->start = 0;
	}
}

/* Gives an event, whose line is in the file, the next number. */
static void
feed_add(struct feed *feed, const char *job, const char *name, const char *record, size_t length)
{
	char *cluster = memory_printf("%.*s", (int)strcspn(job, "-"), job);
	struct feed_event event = {.cluster = cluster_id_of(cluster)};
	struct buffer text = {0};

	buffer_printf(&text, "event: %s\ndata: ", name);
	buffer_append(&text, record, length);
	buffer_text(&text, "\n\n");
	event.length = text.length;
	event.text = buffer_take(&text);
	ARRAY_ROOM(feed->list, feed->count, feed->capacity);
	feed->list[feed->count++] = event;
	feed->bytes += event.length;
	feed_forget(feed);
	free(cluster);
}

/* Appends a line; what cannot be written whole is not there. */
static int
feed_write(struct feed *feed, const struct buffer *line, struct error *err)
{
	if (file_write_all(feed->fd, line->data, line->length) < 0) {
		error_errno(err, EX_IOERR, "%s", feed->path);
		(void)!ftruncate(feed->fd, feed->size);
		return -1;
	}
	feed->size += (off_t)line->length;
	return 0;
}

/* Gives an event of the queue its place, unless it has one. */
static int
feed_commit(struct feed *feed, const struct queue_event *event, struct error *err)
{
	uint64_t *known = feed_known(feed, event->job);
	const char *name = event_name(event->event.kind);
	struct buffer line = {0};
	size_t head;
	int result;

	if (event->event.seq <= *known)
		return 0;
	if (feed->passes_over) {
		*known = event->event.seq;
		return 0;
	}
	buffer_printf(&line, "%s %" PRIu64 " %s ", event->job, event->event.seq, name);
	head = line.length;
	queue_event_record(event, &line);
	result = feed_write(feed, &line, err);
	if (result == 0) {
		*known = event->event.seq;
		feed_add(feed, event->job, name, line.data + head, line.length - head - 1);
	}
	buffer_release(&line);
	return result;
}

/* Commits what is at hand. A job that cannot be read holds up no other. */
static int
feed_drain(struct feed *feed, struct queue_follow *follow, struct error *err)
{
	struct queue_event event;
	int got;

	while ((got = queue_follow_next(follow, &event, err)) != 0) {
		if (got < 0 && err->code == EX_OSERR)
			return -1;
		if (got < 0)
			message("%s", err->text);
		else if (feed_commit(feed, &event, err) < 0)
			return -1;
	}
	return 0;
}

/* Takes in a line of the file; returns false where it is malformed. */
static bool
feed_load_line(struct feed *feed, char *line)
{
	char job[QUEUE_ID_SIZE], name[32];
	uint64_t seq;
	int at = 0;

	if (sscanf(line, "= %127s %" SCNu64, job, &seq) == 2) {
		*feed_known(feed, job) = seq;
		return true;
	}
	if (sscanf(line, "%127s %" SCNu64 " %31s %n", job, &seq, name, &at) != 3 || at == 0)
		return false;
	*feed_known(feed, job) = seq;
	feed_add(feed, job, name, line + at, strlen(line + at));
	return true;
}

/* Reads the file. Returns false where there is no order to go on with. */
static bool
feed_load(struct feed *feed)
{
	char key[CURSOR_KEY_SIZE], boot[CLOCK_BOOT_ID_SIZE], now[CLOCK_BOOT_ID_SIZE], *line, *end;
	struct buffer text = {0};
	struct error ignored; /* then it is begun anew, and who comes with a cursor is told */
	bool good = file_read(AT_FDCWD, feed->path, FEED_FILE_MAX, &text, &ignored) == 0 && text.length > 0 &&
	    sscanf(text.data, "coopr-feed %64s %39s %" SCNu64 "\n", key, boot, &feed->first) == 3 && cursor_parse_key(&feed->key, key) &&
	    strcmp(boot, clock_boot_id(now)) == 0;

	for (line = good ? strchr(text.data, '\n') : NULL; good && line && (end = strchr(line + 1, '\n')); line = end) {
		*end = '\0';
		good = feed_load_line(feed, line + 1);
	}
	if (good && line)
		feed->size = line + 1 - text.data;
	good = good && line;
	buffer_release(&text);
	return good;
}

static void
feed_clear_events(struct feed *feed)
{
	for (size_t i = feed->start; i < feed->count; i++)
		free(feed->list[i].text);
	feed->start = feed->count = 0;
	feed->bytes = 0;
}

static void
feed_clear_jobs(struct feed *feed)
{
	names_release(&feed->jobs);
	free(feed->known);
	feed->jobs = (struct names){0};
	feed->known = NULL;
	feed->known_capacity = 0;
}

/* Begins an order that nobody has a cursor of, whose next event has that number. */
static int
feed_begin(struct feed *feed, uint64_t first, struct error *err)
{
	char key[CURSOR_KEY_SIZE], boot[CLOCK_BOOT_ID_SIZE];
	char *text;
	int result;

	cursor_make_key(&feed->key);
	feed_clear_events(feed);
	feed->first = first;
	text = memory_printf("coopr-feed %s %s %" PRIu64 "\n", cursor_print_key(&feed->key, key), clock_boot_id(boot), first);
	feed->size = (off_t)strlen(text);
	result = file_replace(AT_FDCWD, feed->path, text, strlen(text), 0600, err);
	free(text);
	return result;
}

/* The first one: what has happened so far is passed over. */
static int
feed_begin_first(struct feed *feed, struct error *err)
{
	feed_clear_jobs(feed);
	feed->passes_over = true;
	return feed_begin(feed, 1, err);
}

/* Commits what has happened to all jobs of the queue, also those that have finished. */
static int
feed_catch_up(struct feed *feed, struct error *err)
{
	struct queue_job *list = NULL;
	struct queue_follow *follow;
	size_t count = 0;
	char **names;
	int result = 0;

	if (queue_list(feed->queue, true, &list, &count, err) < 0)
		message("%s", err->text); /* of a job that is damaged; the others are there */
	names = memory_zeroed(count + 1, sizeof *names);
	for (size_t i = 0; i < count; i++)
		names[i] = list[i].id;
	if (count > 0) {
		follow = queue_follow(feed->queue, &(struct queue_follow_options){.jobs = names, .at_hand = true}, err);
		result = follow ? feed_drain(feed, follow, err) : -1;
		queue_follow_close(follow);
	}
	free(names);
	free(list);
	return result;
}

/* Writes what was passed over. */
static int
feed_mark(struct feed *feed, struct error *err)
{
	struct buffer lines = {0};
	int result;

	for (size_t i = 0; i < feed->jobs.count; i++)
		buffer_printf(&lines, "= %s %" PRIu64 "\n", feed->jobs.list[i], feed->known[i]);
	feed->passes_over = false;
	result = lines.length ? feed_write(feed, &lines, err) : 0;
	buffer_release(&lines);
	return result;
}

static int
feed_lock(struct feed *feed, struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s/feed.lock", state);

	feed->path = memory_printf("%s/feed", state);
	free(state);
	feed->lock = file_open(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, err);
	free(path);
	if (feed->lock < 0)
		return -1;
	if (flock(feed->lock, LOCK_EX | LOCK_NB) < 0)
		return error_set(err, EX_TEMPFAIL, "another server tells of the events of this installation");
	return 0;
}

static int
feed_start(struct feed *feed, struct error *err)
{
	static char *const all[] = {NULL};

	if (feed_lock(feed, err) < 0)
		return -1;
	feed->queue = queue_open(NULL, QUEUE_WRITE, err);
	if (!feed->queue || (!feed_load(feed) && feed_begin_first(feed, err) < 0))
		return -1;
	feed->fd = file_open(AT_FDCWD, feed->path, O_WRONLY | O_APPEND, 0, err);
	if (feed->fd < 0)
		return -1;
	if (ftruncate(feed->fd, feed->size) < 0)
		return error_errno(err, EX_IOERR, "%s", feed->path);
	feed->follow = queue_follow(feed->queue, &(struct queue_follow_options){.jobs = all, .at_hand = true}, err);
	if (!feed->follow || feed_catch_up(feed, err) < 0)
		return -1;
	return feed->passes_over ? feed_mark(feed, err) : 0;
}

int
feed_open(struct feed **out, struct error *err)
{
	struct feed *feed = memory_zeroed(1, sizeof *feed);

	feed->fd = feed->lock = -1;
	if (feed_start(feed, err) == 0) {
		*out = feed;
		return 0;
	}
	feed_close(feed);
	return -1;
}

int
feed_descriptor(const struct feed *feed)
{
	return queue_follow_descriptor(feed->follow);
}

/* Begins a new order where the file has become too long. Numbers go on, and so does who has heard of all events; others are told. */
static int
feed_begin_again(struct feed *feed, struct error *err)
{
	if (feed_begin(feed, feed_last(feed) + 1, err) < 0)
		return -1;
	close(feed->fd);
	feed->fd = file_open(AT_FDCWD, feed->path, O_WRONLY | O_APPEND, 0, err);
	return feed->fd < 0 ? -1 : feed_mark(feed, err);
}

int
feed_take_in(struct feed *feed, struct error *err)
{
	if (feed_drain(feed, feed->follow, err) < 0)
		return -1;
	return feed->size > FEED_FILE_MAX / 2 ? feed_begin_again(feed, err) : 0;
}

uint64_t
feed_last(const struct feed *feed)
{
	return feed->first + (feed->count - feed->start) - 1;
}

const struct feed_event *
feed_event(const struct feed *feed, uint64_t number)
{
	return number < feed->first || number > feed_last(feed) ? NULL : &feed->list[feed->start + (number - feed->first)];
}

const struct cursor_key *
feed_key(const struct feed *feed)
{
	return &feed->key;
}

bool
feed_follows(const struct feed *feed, uint64_t number)
{
	return number + 1 >= feed->first && number <= feed_last(feed);
}

void
feed_close(struct feed *feed)
{
	if (!feed)
		return;
	queue_follow_close(feed->follow);
	queue_close(feed->queue);
	feed_clear_events(feed);
	feed_clear_jobs(feed);
	free(feed->list);
	arena_release(&feed->arena);
	if (feed->fd >= 0)
		close(feed->fd);
	if (feed->lock >= 0)
		close(feed->lock);
	free(feed->path);
	free(feed);
}
