/* SPDX-License-Identifier: Apache-2.0
 *
 * A command over an ssh connection that is open already, without a client of its own: the OpenSSH client that holds the
 * connection (ControlMaster) is asked through its socket, in the protocol of OpenSSH's PROTOCOL.mux, version 4. What the
 * command reads and writes are pipes of ours, handed over with the request.
 */
#ifndef SSH_MUX_H
#define SSH_MUX_H

#include "event/supervise.h"

enum mux_news {
	MUX_QUIET,
	MUX_REFUSED, /* there is no session: the reason is in err */
	MUX_EXITED,  /* child->wait_status says how; its streams end when all was written */
};

/* Begins the command on the connection behind the socket, as a child of the supervisor's without a process: see
 * supervise_adopt. Fails with EX_UNAVAILABLE if nobody holds that socket any more. */
int mux_start(struct supervisor *supervisor, struct child *child, const char *socket, const char *command,
    struct error *err);

/* Returns whether a master answers behind the socket. Removes a socket that nobody holds. */
bool mux_answers(const char *socket);

/* Reads what was said on the control descriptor. */
enum mux_news mux_read(struct child *child, struct error *err);

#endif
