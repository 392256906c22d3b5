/* SPDX-License-Identifier: Apache-2.0
 *
 * The call of a command by who sits at another machine, coopr-remote(7): its words, the files that these name, and what the command
 * has to know of the terminal there. Nothing in it names a file of ours, or chooses a store or a spool.
 */
#ifndef WEB_RUN_CALL_H
#define WEB_RUN_CALL_H

#include "base/buffer.h"
#include "base/process.h"
#include "event/supervise.h"

struct asker;
struct error;
struct http_exchange;

struct run_call { /* zero-initialise; release it */
	bool terminals; /* before it is read: whether a browser may log in to nodes */
	struct arguments argv, environment;
	struct arguments outputs; /* the files that the command may write, in the folder */
	struct buffer input;
	bool input_follows; /* more of it, with the answers of a person */
	char *folder;       /* where the command runs, and the files that came with the call are; NULL: it names none */
	bool joined;
	struct child_terminal terminal;
};

/* Reads the call from the body of a request. folder is a path for the folder, which is made if it is needed. EX_USAGE where the call is
 * malformed, or names what it may not; EX_UNAVAILABLE where who calls is too old or too new. */
int run_call_read(struct run_call *call, const struct http_exchange *exchange, const struct asker *asker, const char *folder,
    struct error *err);

/* Removes its folder, too. */
void run_call_release(struct run_call *call);

#endif
