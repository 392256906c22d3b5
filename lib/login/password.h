/* SPDX-License-Identifier: Apache-2.0
 *
 * Passwords, of which only the argon2id hash of libsodium is kept. What one costs is measured on this machine when it is chosen: 64 MiB,
 * and as many passes as take a quarter of a second, two at least.
 */
#ifndef LOGIN_PASSWORD_H
#define LOGIN_PASSWORD_H

#include <stdbool.h>
#include <stdint.h>

struct error;

enum {
	PASSWORD_MIN = 10, /* bytes of a password */
	PASSWORD_MAX = 1024,
	PASSWORD_STORED_SIZE = 128, /* of a hash as text, with its NUL */
};

/* Refuses, with EX_DATAERR, a password that is too short or too long, or is the name of its user. */
int password_check(const char *password, const char *user, struct error *err);

/* Makes what is kept of a password. EX_OSERR where there is no memory for that. */
int password_hash(const char *password, char stored[static PASSWORD_STORED_SIZE], struct error *err);

/* What it costs to look whether a password is the one that is kept. */
struct password_cost {
	int64_t ms;
	int memory_kib;
};

/* Sets what a password that is chosen now costs, by the fewest passes, which take a part of that. EX_OSERR where there is no memory for it. */
int password_cost(struct password_cost *cost, struct error *err);

/* Returns whether the password is the one of which stored is kept. That takes as long where it is not. */
bool password_is(const char *password, const char *stored);

#endif
