/* SPDX-License-Identifier: Apache-2.0 */
#include "show/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "model/show/output.h"
#include "queue/queue.h"
#include "status/status.h"

enum {
	WATCH_POLL_MS = 2000,  /* the store tells nobody of its changes */
	WATCH_PAUSE_NS = 100 * 1000 * 1000, /* between two looks: a busy queue changes all the time */
};

/* Prints into memory; returns the text, which the caller frees, or NULL. */
static char *
watch_capture(const struct watch *watch, struct error *err)
{
	FILE *before = watch->output->stream;
	char *text = NULL;
	size_t length;
	int result;

	watch->output->stream = open_memstream(&text, &length);
	if (!watch->output->stream) {
		watch->output->stream = before;
		error_errno(err, EX_OSERR, "memory");
		return NULL;
	}
	result = watch->print(watch->context, watch->output, err);
	if (fclose(watch->output->stream) != 0 && result == 0)
		result = error_errno(err, EX_OSERR, "memory");
	watch->output->stream = before;
	if (result == 0)
		return text;
	free(text);
	return NULL;
}

/* Returns whether text has a line. */
static bool
watch_has_line(const char *text, const char *line, size_t length)
{
	while (text && *text) {
		size_t its = strcspn(text, "\n");

		if (its == length && strncmp(text, line, length) == 0)
			return true;
		text += its + (text[its] == '\n');
	}
	return false;
}

/* Prints the lines of text that before does not have. */
static void
watch_print_new(const char *before, const char *text, FILE *out)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (!watch_has_line(before, text, length))
			fprintf(out, "%.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

/* Prints what is there now, if that is not what it was; *before is the text of the last time. */
static int
watch_print_again(const struct watch *watch, char **before, struct error *err)
{
	struct output *output = watch->output;
	char *text;

	if (isatty(fileno(output->stream))) {
		fputs("\033[H\033[2J", output->stream);
		return watch->print(watch->context, output, err);
	}
	text = watch_capture(watch, err);
	if (!text)
		return -1;
	if (output->format == OUTPUT_JSON || output->format == OUTPUT_NAME)
		watch_print_new(*before, text, output->stream);
	else if (!*before || strcmp(text, *before) != 0)
		fprintf(output->stream, "%s%s", *before && !output_is_records(output) ? "\n" : "", text);
	free(*before);
	*before = text;
	return 0;
}

/* Sleeps until something may have changed. Returns false once nobody reads standard output any more. */
static bool
watch_sleep(struct queue *queue, int changes)
{
	struct pollfd fds[] = {{.fd = STDOUT_FILENO}, {.fd = changes, .events = POLLIN}};
	const struct timespec pause = {.tv_nsec = WATCH_PAUSE_NS};

	nanosleep(&pause, NULL);
	if (poll(fds, 2, WATCH_POLL_MS) < 0 && errno != EINTR)
		return false;
	if (changes >= 0)
		queue_watch_clear(queue, changes);
	return !(fds[0].revents & (POLLERR | POLLHUP | POLLNVAL));
}

int
watch_print(const struct watch *watch, struct error *err)
{
	struct queue *queue = status_queue(watch->options);
	struct error ignored; /* then a look is taken every two seconds */
	int changes = queue ? queue_watch(queue, &ignored) : -1, result;
	char *before = NULL;

	do
		result = watch_print_again(watch, &before, err);
	while (result == 0 && fflush(watch->output->stream) == 0 && watch_sleep(queue, changes));
	free(before);
	if (changes >= 0)
		close(changes);
	queue_close(queue);
	return result;
}
