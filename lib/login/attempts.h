/* SPDX-License-Identifier: Apache-2.0
 *
 * Attempts to log in: how often they have failed, for a user and for an address, and how long nobody may try again. Those of a user from an
 * address from which the user has logged in with the password, within the last 90 days, count by themselves, and wait for no others: so who
 * guesses elsewhere, or guesses others behind the same proxy, keeps nobody away.
 */
#ifndef LOGIN_ATTEMPTS_H
#define LOGIN_ATTEMPTS_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct store;

enum { ATTEMPT_SIZE = 360 };

struct attempt {
	char of_user[ATTEMPT_SIZE], of_address[ATTEMPT_SIZE]; /* what is counted; "": nothing */
	char of_both[ATTEMPT_SIZE];                           /* the user from that address; "": that is not known */
	bool is_familiar;                                     /* ... who has logged in from there: it counts in place of the user */
};

/* Fills in what is counted of an attempt: user may be NULL; an address of IPv6 counts with all of its network of 64 bits. */
void attempt_of(struct attempt *attempt, const char *user, const char *address);

/* Counts an attempt as one that has failed. Returns 0; 1 where it comes too early, after which *wait_s seconds may be waited, and it does
 * not count; -1. */
int attempt_count(struct store *store, struct attempt *attempt, int64_t *wait_s, struct error *err);

/* Takes the attempt back, which has not failed, inside a transaction: those of its user are forgotten. */
int attempt_succeeded(struct store *store, const struct attempt *attempt, struct error *err);

#endif
