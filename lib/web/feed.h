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

struct cursor_key;
struct error;
struct feed;

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

/* Returns the key with which the cursors of this order are written, behind an event by its number (content/cursor.h). */
const struct cursor_key *feed_key(const struct feed *feed);

/* Returns whether all that follows the event of that number is there. */
bool feed_follows(const struct feed *feed, uint64_t number);

void feed_close(struct feed *feed);

#endif
