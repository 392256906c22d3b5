/* SPDX-License-Identifier: Apache-2.0
 *
 * How a cluster stands, in a line: what coopr list, show and status print of it.
 */
#ifndef STATUS_STANDING_H
#define STATUS_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/terminal.h"

struct buffer;
struct cluster_record;
struct operation;
struct queue_job;

struct standing {
	const struct cluster_record *cluster;
	const struct operation *operation; /* that is under way; NULL: none */
	const struct queue_job *job;       /* its job; NULL: the queue does not know it */
	bool idle;                         /* no worker is at that */
	const char *folder;                /* where its files are, or NULL: that is not said */
};

/* Appends the clusterstatus record, with a newline. */
void standing_print(const struct standing *standing, struct buffer *out);

/* Appends the operation record, with a newline. */
void standing_print_operation(const struct operation *operation, struct buffer *out);

/* Appends what is under way and how far it is, "expand 12/41, paused"; nothing where nothing is. */
void standing_progress(const struct standing *standing, struct buffer *out);

enum terminal_style standing_style(const struct cluster_record *cluster);

/* "3 d", "4 h", "12 m", "5 s": a span for a table; returns text. */
enum { STANDING_SPAN_SIZE = 32 };
char *standing_span(int64_t ms, char text[STANDING_SPAN_SIZE]);

#endif
