/* SPDX-License-Identifier: Apache-2.0
 *
 * The engines of the store that the suites drive: each test runs on each of them, in an empty folder. A further engine is a row.
 */
#ifndef TESTS_UNIT_STORE_ENGINES_H
#define TESTS_UNIT_STORE_ENGINES_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "account/accounts.h"
#include "base/error.h"
#include "base/file.h"
#include "store/fsck.h"
#include "tap.h"

static const struct suite_engine {
	const char *name;
	const char *store; /* what a store in the current folder is called */
} suite_engines[] = {
	{"sqlite", "sub/store"},
};

static const struct suite_engine *suite; /* the engine that is driven */
static struct error err;

static void
suite_bail(void)
{
	printf("Bail out! %s\n", err.text);
	exit(1);
}

/* Opens an account of a user (NULL: of the one who runs the test). */
static inline void
suite_open(struct account *account, const char *user)
{
	const struct account_ask ask = {.store = suite->store, .user = user, .why = "a test"};

	if (account_open(account, &ask, STORE_CREATE, &err) < 0)
		suite_bail();
}

static inline void
suite_say(const char *fault, void *unused)
{
	(void)unused;
	printf("# %s\n", fault);
}

/* Runs the tests on each engine. Returns the exit code of main. */
static int
suite_run(void (*tests)(void))
{
	char folder[] = "/tmp/coopr-store-XXXXXX";

	unsetenv("COOPR_TENANT");
	unsetenv("COOPR_USER");
	unsetenv("SUDO_USER");
	for (suite = suite_engines; suite < suite_engines + sizeof suite_engines / sizeof *suite_engines; suite++) {
		memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
		if (!mkdtemp(folder) || chdir(folder) < 0)
			return 1;
		tests();
		if (chdir("/") < 0 || file_remove_tree(AT_FDCWD, folder, &err) < 0)
			return 1;
	}
	return tap_end();
}

#endif
