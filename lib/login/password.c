/* SPDX-License-Identifier: Apache-2.0 */
#include "login/password.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/error.h"

enum {
	PASSWORD_MEMORY = 64 << 20,
	PASSWORD_MS = 250,
	PASSWORD_PASSES_MIN = 2,
	PASSWORD_PASSES_MAX = 16,
};

_Static_assert(PASSWORD_STORED_SIZE >= crypto_pwhash_STRBYTES, "a hash fits");

int
password_check(const char *password, const char *user, struct error *err)
{
	size_t length = strlen(password);

	if (length < PASSWORD_MIN)
		return error_set(err, EX_DATAERR, "the password is too short: expected %d characters or more", PASSWORD_MIN);
	if (length > PASSWORD_MAX)
		return error_set(err, EX_DATAERR, "the password is too long: expected %d characters or fewer", PASSWORD_MAX);
	if (strcasecmp(password, user) == 0)
		return error_set(err, EX_DATAERR, "the password is the user's name; choose another");
	return 0;
}

static int
password_try(const char *password, unsigned long long passes, char stored[static PASSWORD_STORED_SIZE], struct error *err)
{
	if (crypto_pwhash_str_alg(stored, password, strlen(password), passes, PASSWORD_MEMORY, crypto_pwhash_ALG_ARGON2ID13) < 0)
		return error_set(err, EX_OSERR, "there is no memory for the hash of a password (%d MiB)", PASSWORD_MEMORY >> 20);
	return 0;
}

/* Makes what is kept with the fewest passes, and sets how many of them a hash has here. */
static int
password_measure(const char *password, char stored[static PASSWORD_STORED_SIZE], unsigned long long *passes, int64_t *took_ms, struct error *err)
{
	int64_t began_ms = clock_monotonic_ms();

	if (sodium_init() < 0 || password_try(password, PASSWORD_PASSES_MIN, stored, err) < 0)
		return -1;
	*took_ms = clock_monotonic_ms() - began_ms;
	if (*took_ms >= PASSWORD_MS)
		*passes = PASSWORD_PASSES_MIN;
	else
		*passes = *took_ms > 0 ? PASSWORD_PASSES_MIN * PASSWORD_MS / (unsigned long long)*took_ms : PASSWORD_PASSES_MAX;
	if (*passes > PASSWORD_PASSES_MAX)
		*passes = PASSWORD_PASSES_MAX;
	return 0;
}

int
password_hash(const char *password, char stored[static PASSWORD_STORED_SIZE], struct error *err)
{
	unsigned long long passes;
	int64_t took_ms;

	if (password_measure(password, stored, &passes, &took_ms, err) < 0)
		return -1;
	return passes == PASSWORD_PASSES_MIN ? 0 : password_try(password, passes, stored, err);
}

int
password_cost(struct password_cost *cost, struct error *err)
{
	char stored[PASSWORD_STORED_SIZE];
	unsigned long long passes;
	int64_t took_ms;

	if (password_measure("what a password costs", stored, &passes, &took_ms, err) < 0)
		return -1;
	*cost = (struct password_cost){.ms = took_ms * (int64_t)passes / PASSWORD_PASSES_MIN, .memory_kib = PASSWORD_MEMORY >> 10};
	return 0;
}

bool
password_is(const char *password, const char *stored)
{
	return sodium_init() >= 0 && crypto_pwhash_str_verify(stored, password, strlen(password)) == 0;
}
