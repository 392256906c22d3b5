/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes over ssh for one task: a command of a few words, and on its stdin a shell script that makes the
 * files in a private directory, runs the service script there and leaves nothing behind. The node's half is
 * share/coopr/shell/node.sh.
 */
#ifndef SSH_PAYLOAD_H
#define SSH_PAYLOAD_H

#include <stdbool.h>

#include "base/buffer.h"
#include "ssh/bundle.h"

struct arguments;
struct error;
struct task;

enum { PAYLOAD_NONCE_SIZE = 33 };

struct payload { /* zero-initialise */
	struct buffer script;            /* for stdin */
	char nonce[PAYLOAD_NONCE_SIZE];  /* in the lines that begin and end both streams */
};

/* The payload that runs the script, the first file of the bundle, with the words of args. user: whom to run
 * it as on the node, NULL: root. */
int payload_run(const struct task *task, const struct bundle *bundle, const struct arguments *args,
    const char *user, struct payload *payload, struct error *err);

/* The payload that only looks whether the node has what it needs. */
int payload_check(struct payload *payload, struct error *err);

/* Appends the command to be run by the node's login shell. become_root: through sudo. */
void payload_command(const struct payload *payload, bool become_root, struct buffer *out);

void payload_release(struct payload *payload);

#endif
