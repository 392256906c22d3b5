/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks given to a streaming plugin, each until it is answered: a set, in which an answer finds its task by name, and which
 * keeps the order in which they were given.
 */
#ifndef EXEC_ERRAND_H
#define EXEC_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "json/json.h"

struct stream;

enum errand_end {
	ERRAND_OPEN,
	ERRAND_ANSWERED, /* answer is the result record that the plugin gave */
	ERRAND_FAILED,   /* there is none: error says why, its code is the status */
	ERRAND_NOT,      /* the plugin does not stream, or is not there: it is to be done otherwise */
};

struct errand {
	/* Given; strings to live as long as it is open: */
	const char *job, *task;
	int64_t attempt;
	const char *record; /* the take record, with its newline */
	size_t length;
	int64_t timeout_ms;
	void *owner;        /* the caller's */

	/* Once it is over: */
	enum errand_end end;
	jv answer;          /* owned by whoever gave the errand */
	struct error *error; /* freed with errand_release */

	/* The stream's: */
	struct stream *stream;
	int64_t deadline;   /* its plugin is ended then, monotonic */
	bool sent, cancelled;
	struct errand *next, *previous; /* in the order given */
	struct errand *chain;           /* in its bucket */
};

void errand_release(struct errand *errand);

/* Ends it as failed. */
void errand_fail(struct errand *errand, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The line that asks its plugin to end it; the caller's to free. */
char *errand_cancel_line(const struct errand *errand);

struct errand_list { /* first in, first out; zero-initialise */
	struct errand *first, *last;
	size_t count;
};

void errand_list_add(struct errand_list *list, struct errand *errand);
void errand_list_remove(struct errand_list *list, struct errand *errand);

struct errand_set { /* zero-initialise */
	struct errand_list list;
	struct errand **buckets;
	size_t bucket_count; /* a power of 2 */
};

void errand_set_add(struct errand_set *set, struct errand *errand);
void errand_set_remove(struct errand_set *set, struct errand *errand);

/* Takes a line as the answer to the errand that it names, which stays in the set. NULL with a reason where it is no JSON, or
 * names none that was sent. */
struct errand *errand_set_answer(struct errand_set *set, const char *line, size_t length, struct error *err);
void errand_set_release(struct errand_set *set);

#endif
