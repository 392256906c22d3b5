/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes over ssh for one task: a command of a few words, and on its stdin a shell script that makes the
 * files in a private directory, runs the service script there and removes them. Files with secrets in them are in a second
 * directory, in a file system in memory; the part of the shell script that makes them goes before the rest, and is never on a disk
 * either. The part that makes many files of the catalogue is sent where the node asks for it: it keeps that for the tasks that follow,
 * and has it if there is a file with its SHA-256. The node's half is share/coopr/shell/node.sh.
 */
#ifndef SSH_PAYLOAD_H
#define SSH_PAYLOAD_H

#include <stdbool.h>

#include "base/buffer.h"
#include "ssh/bundle.h"

struct arguments;
struct error;
struct task;

enum {
	PAYLOAD_NONCE_SIZE = 33,
	PAYLOAD_CACHED_BYTES = 64 * 1024, /* files of fewer bytes in all are sent with each task: to ask for them takes longer */
};

struct payload { /* zero-initialise */
	struct buffer script;            /* for stdin */
	size_t secrets;                  /* how many bytes of it, the first, may lie in memory only */
	struct buffer cached;            /* the part of it that the node asks for unless it has it; empty: there is none */
	bool ends_descendants;           /* if the script is ended, its children end also where they have left its process group */
	char nonce[PAYLOAD_NONCE_SIZE];  /* in the lines that begin and end both streams */
};

/* Calls each for what the environment of a task's program says of the task, wherever that runs; a value may be NULL. */
void payload_each_variable(const struct task *task, void (*each)(void *context, const char *name, const char *value), void *context);

/* Makes the payload that runs the script, the program of the bundle, with the words of args, as the user on the node (NULL:
 * as who logs in, or root if payload_command says so). */
int payload_run(const struct task *task, const struct bundle *bundle, const struct arguments *args,
    const char *user, struct payload *payload, struct error *err);

/* Makes the payload that only checks whether the node has what a script needs; and, unless the task is NULL or only asks, has the node know
 * the others by name. */
int payload_check(const struct task *task, struct payload *payload, struct error *err);

/* Makes the payload that takes what coopr has written for the task's cluster out of the node's hosts file, if the node's own name is in
 * it: a machine that another cluster has by now keeps what it has. What the node has cached goes, too. */
int payload_leave(const struct task *task, struct payload *payload, struct error *err);

/* Makes the payload that has the user who logs in admit the key, a line of authorized_keys, for the task's cluster; and the one that
 * takes it away again. Nothing else of the file changes. */
int payload_admit(const struct task *task, const char *key, struct payload *payload, struct error *err);
int payload_dismiss(const struct task *task, struct payload *payload, struct error *err);

/* Appends the command for the node's login shell, through sudo if become_root. */
void payload_command(const struct payload *payload, bool become_root, struct buffer *out);

void payload_release(struct payload *payload);

#endif
