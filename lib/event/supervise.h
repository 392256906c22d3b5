/* SPDX-License-Identifier: Apache-2.0
 *
 * Many children from one loop: what they are to read is fed, what they print is captured, who exceeds
 * its time is ended, and the caller is told what happened, one event at a time. Each child leads a process
 * group, and it is the group that is ended: SIGTERM, and SIGKILL after SUPERVISE_GRACE_MS.
 *
 * A child has ended when its process has: something it left in the background may hold its streams open
 * for ever, and is not waited for.
 */
#ifndef EVENT_SUPERVISE_H
#define EVENT_SUPERVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "base/buffer.h"
#include "base/process.h"

struct error;

enum {
	SUPERVISE_GRACE_MS = 5000,
	SUPERVISE_WATCHED = 4, /* descriptors of the caller's at most */
	SUPERVISE_BATCH = 64,
};

enum supervise_event {
	SUPERVISE_OUTPUT, /* child: its err has grown, or its out, see tell_out */
	SUPERVISE_FED,    /* child: its stdin has taken all that it was fed, or nobody reads it; where tell_fed */
	SUPERVISE_ENDED,  /* child: it is no longer supervised; the last of its output is there */
	SUPERVISE_SIGNAL, /* SIGTERM, SIGINT or SIGHUP came: supervisor.signal */
	SUPERVISE_READY,  /* a watched descriptor: supervisor.ready */
	SUPERVISE_TIME,   /* the time given to supervise_next is over */
};

struct supervised_end { /* one descriptor in the loop */
	int fd;
	struct child *child; /* NULL: the supervisor's or the caller's own */
	const struct supervisor *supervisor; /* that waits for it, or NULL */
};

struct child_terminal { /* which streams of a child are a terminal: one and the same, whose other end is ours */
	bool in, out, err;     /* in alone is none */
	bool whole;            /* nobody sits at another one, which would echo and edit lines: this one does that itself */
	unsigned columns, lines; /* 0: not known */
};

struct child {
	/* Before the start: */
	char *const *argv;
	char *const *environment; /* NULL: ours */
	const char *input; /* for its stdin; to live until it has ended */
	size_t input_length;
	bool hold_input;   /* keep its stdin open behind the input */
	bool wipe_input;   /* of what is fed to it no copy is left in memory behind its time */
	size_t out_limit;  /* bytes of stdout that are kept; what is beyond is read and dropped */
	size_t tell_out;   /* SUPERVISE_OUTPUT for stdout too, once so many bytes of it are kept; 0: never */
	bool tell_fed;     /* SUPERVISE_FED */
	bool capture_err;   /* its stderr comes to err, which the caller empties; else it has ours */
	bool joined;        /* its stderr is its stdout: both come to out, in their order */
	struct child_terminal terminal; /* where out is one, err comes to out, too, if it is one; with session */
	const char *folder; /* where it starts; NULL: where we are */
	bool session;      /* it leads a session; where it is killed, that ends before the child has ended */
	bool die_with_us;
	const struct confinement *confinement; /* NULL: none; to live until the start */
	int64_t timeout_ms; /* 0: none */
	void *owner;        /* the caller's */

	/* From then on: */
	struct buffer out, err;
	struct buffer control; /* what an adopted one's control descriptor said */
	size_t out_total; /* bytes of stdout, with those dropped */
	pid_t pid;        /* 0: adopted, no process of ours */
	bool timed_out, stopped; /* ended by its timeout, by supervise_stop */
	int wait_status;         /* as wait(2) gives it, once it has ended */

	struct supervised_end in_end, out_end, err_end, exit_end;
	struct buffer fed; /* input behind that of the start; fed_used bytes of it are written */
	size_t fed_used;
	bool output_held;
	bool in_quiet;     /* nothing is left to be written: only its hang-up is waited for */
	int64_t deadline; /* of the next measure against it, monotonic; INT64_MAX: none */
	bool told_to_end;
	struct child *next, *previous;
};

struct supervisor {
	size_t count; /* of children that run */
	int signal;
	int ready;

	int epoll;
	struct supervised_end signals, watched[SUPERVISE_WATCHED];
	struct child *children;
	int64_t deadline; /* before it, none of theirs is over */
	struct epoll_event events[SUPERVISE_BATCH];
	int event_count, event_next;
};

/* Begins without a child. Makes SIGTERM, SIGINT and SIGHUP events, and has SIGPIPE ignored, from here on. */
int supervise_init(struct supervisor *supervisor, struct error *err);
void supervise_release(struct supervisor *supervisor);

/* Starts child, which stays where it is until it has ended. Its buffers are the caller's to release, with child_release. */
int supervise_start(struct supervisor *supervisor, struct child *child, struct error *err);

/* Supervises what runs elsewhere as a child. theirs are descriptors for its stdin, stdout, stderr, and a control socket: what that
 * says comes to control (SUPERVISE_OUTPUT), and when it is closed the child has ended. All four are the child's from now on. */
int supervise_adopt(struct supervisor *supervisor, struct child *child, const int theirs[4], struct error *err);

void child_release(struct child *child);

/* Feed more input to a child whose input is held open, and end that input. supervise_feed returns how many bytes are kept until the
 * child reads them. */
size_t supervise_feed(struct supervisor *supervisor, struct child *child, const char *bytes, size_t length);
void supervise_end_input(struct supervisor *supervisor, struct child *child);

/* Stops reading what the child prints, so that it has to wait, or reads on. */
void supervise_hold_output(struct supervisor *supervisor, struct child *child, bool hold);

/* Reads the child's stdout no more: what it writes there is refused, as where the reader of a pipe has left. */
void supervise_leave_output(struct child *child);

/* Sends a signal to the child, or to its group. */
void supervise_signal(const struct child *child, int signal, bool group);

/* Ends the child's group; its end comes as an event. Closes the control socket of one that was adopted. */
void supervise_stop(struct supervisor *supervisor, struct child *child);

/* Gives the child its timeout once more, from now on. */
void supervise_extend(struct supervisor *supervisor, struct child *child);

/* Ends the child's input, so that it ends by itself; stops it in so many milliseconds. */
void supervise_ask(struct supervisor *supervisor, struct child *child, int64_t grace_ms);

/* Makes input on fd (with EPOLLIN), and in any case its hang-up, an event, SUPERVISE_READY. Returns false if fd is of a kind that
 * cannot be waited for (a file). */
bool supervise_watch(struct supervisor *supervisor, int fd, uint32_t events);
void supervise_unwatch(struct supervisor *supervisor, int fd);

/* Waits for the next event, at most wait_ms (-1: for ever, 0: only those that are there already), and sets *child to its child. */
enum supervise_event supervise_next(struct supervisor *supervisor, int64_t wait_ms, struct child **child);

#endif
