/* SPDX-License-Identifier: Apache-2.0 */
#include "account/guest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/accounts.h"
#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/option.h"

/* sudo gives the environment that it is told to give, which has this only where one of ours has set it. */
static const char vouched[] = "COOPR_VOUCHED";
static bool vouched_by_us; /* for those whom we start */

/* The user who has called sudo, where that counts for a store of this owner; NULL: nobody. */
static const char *
guest_caller(uid_t owner)
{
	const char *user = getenv("SUDO_USER");

	return user && *user && (geteuid() == 0 || geteuid() == owner) ? user : NULL;
}

static int
guest_is_guest(struct error *err)
{
	char *path = location_store(NULL);
	struct account account = {0};
	struct stat status;
	const char *user;
	int result = 0;

	if (stat(path, &status) == 0 && (user = guest_caller(status.st_uid))) {
		result = store_open(&account.store, path, STORE_READ, NULL, err);
		if (result == 0)
			result = account_is_superadmin(&account, user, status.st_uid, err);
		account_release(&account);
		result = result < 0 ? -1 : !result;
	}
	free(path);
	return result;
}

/* 1 where this process was begun by a guest, and not by one of ours. */
static int
guest_began_as_guest(struct error *err)
{
	return getenv("SUDO_USER") && (vouched_by_us || !getenv(vouched)) ? guest_is_guest(err) : 0;
}

int
guest_refuse(const char *what, struct error *err)
{
	int guest = guest_began_as_guest(err);

	return guest <= 0 ? guest : error_set(err, EX_NOPERM,
	    "%s: only for a superadmin, where sudo(8) has given %s the rights of the store's owner", what, getenv("SUDO_USER"));
}

static int
account_guest_refuse_file(const char *name, struct error *err)
{
	int guest = guest_began_as_guest(err);

	return guest <= 0 ? guest : error_set(err, EX_NOPERM,
	    "%s: only a superadmin may name files, where sudo(8) has given %s the rights of the store's owner; - is standard input",
	    name, getenv("SUDO_USER"));
}

int
guest_refuse_options(struct error *err)
{
	const char *name = option_placed();
	char *option = name ? memory_printf("--%s", name) : NULL;
	int result = option ? account_guest_refuse_file(option, err) : 0;

	free(option);
	return result;
}

int
guest_refuse_file(const char *path, struct error *err)
{
	return path && strcmp(path, "-") != 0 ? account_guest_refuse_file(path, err) : 0;
}

void
guest_vouch(void)
{
	if (!getenv("SUDO_USER") || getenv(vouched))
		return;
	vouched_by_us = true;
	setenv(vouched, "1", 1);
}
