/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin that streams, or may: what stream.c, which begins and ends it, and stream-errand.c, which has it do things, know of it.
 */
#ifndef EXEC_STREAM_STATE_H
#define EXEC_STREAM_STATE_H

#include "exec/stream.h"

enum phase { PHASE_IDLE, PHASE_ASKING, PHASE_SERVING, PHASE_PLAIN };

struct stream {
	struct streams *streams;
	char *kind, *type;
	char *argv[3];
	enum phase phase;
	bool retired;
	struct child child;
	struct errand_set set;    /* those that it has, or will be sent once it serves */
	char *why;                /* what made us end it */
	struct stream *next;
};

/* Sends it one of its errands, or all of them. */
void stream_post(struct stream *stream, struct errand *errand);
void stream_post_all(struct stream *stream);

/* Reads what it has printed: answers, a line each. One that does not keep to the rules is ended. */
void stream_take_answers(struct stream *stream);

/* All of its errands are over: they have failed, or others are to do them. */
void stream_fail_all(struct stream *stream, int code, const char *why);
void stream_leave_all(struct stream *stream);

#endif
