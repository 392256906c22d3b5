/* SPDX-License-Identifier: Apache-2.0
 *
 * The events of all jobs in one order, each once, with a number. The order is committed: an event has its place in the file "feed" of the
 * state folder before anybody hears of it, so that a server that was killed goes on where it was. The oldest are forgotten. After the
 * machine was booted again the order is a new one, because nobody knows what of the old one was on disk.
 */
#ifndef WEB_FEED_H
#define WEB_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct feed;

enum { FEED_CURSOR_SIZE = 48 };

struct feed_event {
	int64_t cluster; /* 0: of none */
	char *text;      /* as server-sent events have it, without its id */
	size_t length;
};

/* Opens it, and takes in what has happened since it was last open; one that is new begins now. EX_TEMPFAIL where another server has it
 * open. */
int feed_open(struct feed **feed, struct error *err);

/* Returns the descriptor that becomes readable when something may have happened. */
int feed_descriptor(const struct feed *feed);

/* Takes in what has happened. */
int feed_take_in(struct feed *feed, struct error *err);

/* Returns the number of the last event; 0: there was none. */
uint64_t feed_last(const struct feed *feed);

/* Returns the event; NULL where it is forgotten, or has not happened. */
const struct feed_event *feed_event(const struct feed *feed, uint64_t number);

/* Writes the cursor behind an event; returns text. */
const char *feed_cursor(const struct feed *feed, uint64_t number, char text[FEED_CURSOR_SIZE]);

/* Finds the event that the cursor is behind. Returns false where the cursor is of another order, or what follows it is forgotten. */
bool feed_find(const struct feed *feed, const char *cursor, uint64_t *number);

void feed_close(struct feed *feed);

#endif
