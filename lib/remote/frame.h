/* SPDX-License-Identifier: Apache-2.0
 *
 * What a command that runs at a server and who has called it tell each other: frames, one behind the other, coopr-api(7). Each is a
 * byte that says what it is, the length of what follows in four bytes, the highest first, and so many bytes.
 */
#ifndef REMOTE_FRAME_H
#define REMOTE_FRAME_H

#include <stddef.h>

struct buffer;

#define FRAME_TYPE "application/x-coopr-frames"

enum frame_kind {
	FRAME_OUT = 1,  /* what the command prints on stdout: a terminal's all */
	FRAME_ERR,      /* ... and on stderr */
	FRAME_EXIT,     /* its exit code, and the signal that has ended it or 0: two bytes, and nothing comes behind them */
	FRAME_BEGUN,    /* it runs: the name by which it is called from now on */
	FRAME_ECHO,     /* 0: what is typed is not to be shown; 1: it is again */
	FRAME_FILE,     /* a file: its name, a NUL, and what it contains */
	FRAME_CALL,     /* the call, an object of JSON */
	FRAME_INPUT,    /* standard input; an empty one is its end */
	FRAME_SIGNAL,   /* the number of a signal, and whether it is for all that the command has started, as one of a terminal: two bytes */
	FRAME_WINDOW,   /* the size of the terminal: columns and lines, two bytes each */
	FRAME_LEFT,     /* nobody reads what comes on stdout any more */
};

enum { FRAME_HEAD = 5, FRAME_MAX = 8 << 20 };

struct frame {
	enum frame_kind kind;
	const char *bytes; /* borrowed */
	size_t length;
};

/* Appends a frame. */
void frame_append(struct buffer *out, enum frame_kind kind, const void *bytes, size_t length);

/* Takes a frame from text, of which *at bytes are taken already. Returns 1; 0 where it is not all there; -1 where it is none. */
int frame_take(const char *text, size_t length, size_t *at, struct frame *frame);

#endif
