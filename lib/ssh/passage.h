/* SPDX-License-Identifier: Apache-2.0
 *
 * A way to the sshd of a machine for an ssh that is elsewhere: what comes on standard input goes there, and what it answers to standard
 * output, byte by byte.
 */
#ifndef SSH_PASSAGE_H
#define SSH_PASSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PASSAGE_ROOM = 32 << 10 };

struct error;
struct machine;

struct passage {
	int fd; /* of the connection */
	struct passage_way {
		int from, to;
		size_t length, sent; /* of what was read, and of that what is written */
		bool ended;
		char bytes[PASSAGE_ROOM];
	} there, back;
	int64_t moved_ms; /* when something was last passed on, monotonic */
};

/* Connects, and waits for the greeting of the sshd. Fails with EX_TEMPFAIL where the machine cannot be reached, with EX_PROTOCOL where
 * something else answers. */
int passage_open(struct passage *passage, const struct machine *machine, struct error *err);

/* Passes on what there is, and waits for more, so many milliseconds at most. Returns 1; 0 once the machine has ended the connection, or
 * nobody reads. */
int passage_turn(struct passage *passage, int wait_ms);

void passage_close(struct passage *passage);

#endif
