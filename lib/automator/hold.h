/* SPDX-License-Identifier: Apache-2.0
 *
 * A node that is held for a task whose work a program of this host does there, over connections of its own: a session by which the node
 * knows that the task is at work. With the session ends, on the node, all that the program's connections have begun; a session of the same
 * task, of an attempt that could not end it, is ended before. The node's half is share/coopr/shell/hold.sh.
 */
#ifndef AUTOMATOR_HOLD_H
#define AUTOMATOR_HOLD_H

#include <stdbool.h>

#include "event/supervise.h"
#include "ssh/payload.h"
#include "ssh/response.h"
#include "ssh/ssh.h"

struct task;

struct hold { /* zero-initialise */
	bool become_root;
	struct payload payload;
	struct ssh ssh;
	struct child child;
	struct response response;
	struct remote_answer answer;
	bool started, over;
};

/* Makes what goes to the node. To be released in any case. */
int hold_prepare(struct hold *hold, const struct task *task, struct error *err);
void hold_release(struct hold *hold);

/* Appends words for the node's login shell that stand before a command of another connection, which with them ends as the hold does, and does
 * not begin after it. */
void hold_print_entry(const struct hold *hold, struct buffer *out);

/* Begins, and waits until the node is held. A signal is an error, EX_TEMPFAIL. */
int hold_begin(struct hold *hold, struct supervisor *supervisor, struct error *err);

/* Takes an event of its child. Returns -1 with the reason if the node is held no more, though nobody has asked for that. */
int hold_child_event(struct hold *hold, struct supervisor *supervisor, enum supervise_event event, struct error *err);

/* Asks for its end, which comes as an event of its child: over. */
void hold_ask(struct hold *hold, struct supervisor *supervisor);

#endif
