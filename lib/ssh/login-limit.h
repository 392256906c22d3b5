/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits how many logins at one address are tried at once. sshd drops some at random beyond its MaxStartups, 10 by
 * default: one more is tried with each that succeeds, half as many with each that is dropped.
 */
#ifndef SSH_LOGIN_LIMIT_H
#define SSH_LOGIN_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct tail;

enum { LOGIN_LIMIT_FIRST = 4, LOGIN_LIMIT_MAX = 8 };

struct login_limit {
	char *name;
	unsigned allowed, opening; /* logins that may be, and are, in progress */
	struct login_limit *next;
};

/* Returns the limit of the machine's address, a new one if it had none. */
struct login_limit *login_limit_of(struct login_limit **limits, const struct machine *machine);
void login_limits_free(struct login_limit *limits);

/* Counts a login that has succeeded. */
void login_limit_succeeded(struct login_limit *limit);

/* Counts a login that has failed, after ssh said so much. Returns whether sshd dropped it for their number. */
bool login_limit_failed(struct login_limit *limit, const struct tail *said);

/* Returns how many milliseconds later a login that was dropped so many times before is tried again, spread so that those that
 * were dropped together do not come back together. */
int64_t login_limit_back_off(unsigned times);

#endif
