/* SPDX-License-Identifier: Apache-2.0
 *
 * A filter of system calls, seccomp(2), made of rules: what no rule refuses is allowed. A refused call fails with an error, as if the
 * kernel had refused it.
 */
#ifndef CONFINE_CALLS_H
#define CONFINE_CALLS_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

enum { CALLS_SIZE = 256 };

struct calls {
	struct sock_filter list[CALLS_SIZE];
	unsigned short count; /* above CALLS_SIZE: there was no room */
};

/* Begins with the calls of other architectures refused, whose numbers mean something else. */
void calls_begin(struct calls *calls);

/* Refuse with the error reason: calls by number; a call whose first argument has one of the bits; sockets (of the call) of families
 * other than these; the requests of ioctl that write into another's terminal; calls about another process, or about all of a user's, by what
 * says which in the table of calls.c. */
void calls_refuse(struct calls *calls, const int *numbers, size_t count, int reason);
void calls_refuse_bits(struct calls *calls, int number, uint32_t bits);
void calls_refuse_families(struct calls *calls, int number, const int *families, unsigned count);
void calls_refuse_terminals(struct calls *calls);
void calls_refuse_others(struct calls *calls);

/* Ends it; the program is good as long as calls is. Returns -1 if it has become too long. */
int calls_end(struct calls *calls, struct sock_fprog *program);

#endif
