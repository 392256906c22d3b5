/* SPDX-License-Identifier: Apache-2.0
 *
 * Child processes, as a struct: fill, start, wait. A program that cannot be executed is
 * an error of process_start, not an exit code of the child: the reason is left in memory that
 * both share until then. A child starts with default signals, an empty signal mask and only
 * the descriptors named here (everything else of ours is O_CLOEXEC).
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buffer;
struct error;
struct sock_fprog;

/* A growable argument vector: zero-initialise; list is NULL-terminated after each push. */
struct arguments {
	char **list;
	size_t count, capacity;
};

void arguments_push(struct arguments *arguments, const char *text); /* copies */
void arguments_push_all(struct arguments *arguments, ...) __attribute__((sentinel)); /* copies texts, up to NULL */
void arguments_printf(struct arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arguments_release(struct arguments *arguments);

enum {
	PROCESS_INHERIT = -1, /* as ours */
	PROCESS_NULL = -2,    /* /dev/null */
};

/* The confinement of a child and all that it starts, see confine/confine.h. */
struct confinement {
	int domain; /* a Landlock ruleset; -1: none */
	const struct sock_fprog *calls; /* a filter of system calls */
};

struct process {
	char *const *argv;   /* argv[0] is searched in PATH, /usr/sbin and /sbin where it has no slash */
	char *const *environment; /* NULL: ours */
	int in, out, err;    /* a descriptor, PROCESS_INHERIT or PROCESS_NULL; never closed here */
	bool group;          /* lead a process group of its own */
	bool session;        /* lead a session of its own, and so a group too */
	bool controls;       /* with session: the terminal among its streams is the session's, whose signals are for its group */
	const char *folder;  /* where it starts; NULL: where we are */
	bool die_with_us;    /* SIGKILL when this process dies */
	const struct confinement *confinement; /* NULL: none */
	pid_t pid;           /* after the start */
};

/* Starts it. Fails with EX_UNAVAILABLE if the program does not exist, else with EX_OSERR. */
int process_start(struct process *process, struct error *err);

/* Waits for it. Returns its exit code, 128 + signal if one ended it, -1 on error. */
int process_wait(struct process *process, struct error *err);

/* Returns the name of a user, "uid 1234" if there is none; the caller frees it. */
char *process_user(uid_t uid);

/* Returns the exit code of a status as wait(2) gives it: 128 + signal if one ended the process. */
int process_exit_code(int wait_status);

/* Returns how a process has ended that has such an exit code: "ended with exit code 3" or "was killed by signal 9"; the caller frees it. */
char *process_end_text(int code);

/* As the length of an input: stdin is ours. */
#define PROCESS_OUR_INPUT ((size_t)-1)

/* Runs argv with input (length bytes) on its stdin; appends its stdout, at most limit bytes, to
 * out (NULL: inherited) and its stderr to log (NULL: inherited). Does not wait for what it has left behind. Returns its exit code, or -1. */
int process_run(char *const *argv, const void *input, size_t length, struct buffer *out,
    struct buffer *log, size_t limit, struct error *err);

/* The same, confined. */
int process_run_confined(const struct confinement *confinement, char *const *argv, const void *input, size_t length,
    struct buffer *out, struct buffer *log, size_t limit, struct error *err);

#endif
