/* SPDX-License-Identifier: Apache-2.0
 *
 * How many logins at one address are tried at once. sshd drops some at random beyond its MaxStartups, 10 by default: one more
 * is tried with each that succeeds, half as many with each that is dropped.
 */
#ifndef SSH_GATE_H
#define SSH_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct tail;

enum { GATE_FIRST = 4, GATE_MAX = 8 };

struct gate {
	char *name;
	unsigned limit, opening;
	struct gate *next;
};

/* The gate of the machine's address, a new one where it had none. */
struct gate *gate_of(struct gate **gates, const struct machine *machine);
void gates_free(struct gate *gates);

/* A login that was being tried has succeeded; has failed, after ssh said so much: whether it was dropped. */
void gate_passed(struct gate *gate);
bool gate_refused(struct gate *gate, const struct tail *said);

/* Milliseconds before one that was dropped so many times before is tried again, spread so that those that were dropped
 * together do not come back together. */
int64_t gate_back_off(unsigned times);

#endif
