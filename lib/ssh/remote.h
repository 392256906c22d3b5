/* SPDX-License-Identifier: Apache-2.0
 *
 * One round trip: a payload goes to a node with an ssh of its own, what its script says streams to our stderr, and
 * status and facts come back.
 */
#ifndef SSH_REMOTE_H
#define SSH_REMOTE_H

#include "ssh/response.h"

struct remote_archive {
	const char *key;
	bool gives; /* the script reads it; else it prints it, and it is kept when the script has ended with 0 */
};

/* Runs the payload on the machine, through sudo if become_root. Returns 0 once the script ran to its end, whatever its status;
 * else -1: EX_TEMPFAIL (not reached, lost, no room), EX_NOPERM (host key, login, sudo), EX_UNAVAILABLE (there is no ssh here).
 * archive: what the script prints or reads; or NULL. The answer is to be released in any case. */
int remote_run(const struct machine *machine, struct payload *payload, bool become_root,
    const struct remote_archive *archive, struct remote_answer *answer, struct error *err);

#endif
