/* SPDX-License-Identifier: Apache-2.0 */
#include "account/guest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/rights.h"
#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/option.h"
#include "store/client.h"
#include "store/store.h"

/* sudo gives the environment that it is told to give, which has this only where one of ours has set it. */
static const char vouched[] = "COOPR_VOUCHED";
static bool vouched_by_us; /* for those whom we start */

/* Returns who acts as another user (borrowed); NULL: nobody does. */
static const char *
guest_name(void)
{
	return client_asker() ? client_asker() : getenv("SUDO_USER");
}

/* Returns whether the token or the session that is asked with has less than all rights. */
static bool
guest_is_limited(void)
{
	struct rights_limit limit = rights_limit();

	return limit.is_set && (limit.role < ACCOUNT_SUPERADMIN || *limit.tenant);
}

/* Returns 1 if this process was begun by a guest, and not by one of ours; 0; -1. It asks the installation's store, once, before
 * another is named. There is no superadmin of a store that does not exist yet: who makes it, becomes one. */
static int
guest_began_as_guest(struct error *err)
{
	static int guest = -1;
	struct store *store;
	const char *user;
	uid_t owner;
	int superadmin = 1;

	if (!guest_name() || (!vouched_by_us && getenv(vouched)))
		return 0;
	if (guest >= 0)
		return guest;
	if (store_open(&store, NULL, STORE_READ, NULL, err) < 0)
		superadmin = err->code == EX_NOINPUT ? 1 : -1;
	else if (store_owner(store, &owner, err) < 0)
		superadmin = -1;
	else if ((user = rights_caller(owner)))
		superadmin = guest_is_limited() ? 0 : rights_is_superadmin(store, user, owner, err);
	store_release(store);
	if (superadmin >= 0)
		guest = !superadmin;
	return guest;
}

int
guest_refuse(const char *what, struct error *err)
{
	int guest = guest_began_as_guest(err);

	if (guest > 0 && client_asker())
		return error_set(err, EX_NOPERM, "%s: only a superadmin may do that", what);
	return guest <= 0 ? guest : error_set(err, EX_NOPERM,
	    "%s: only a superadmin may do that; sudo(8) has given %s the rights of the store's owner", what, guest_name());
}

static int
guest_refuse_named(const char *name, struct error *err)
{
	int guest;

	if (client_asker() && (vouched_by_us || !getenv(vouched)))
		return error_set(err, EX_NOPERM, "%s: a request names no file of the server; send what it contains", name);
	guest = guest_began_as_guest(err);
	return guest <= 0 ? guest : error_set(err, EX_NOPERM,
	    "%s: only a superadmin may name files, where sudo(8) has given %s the rights of the store's owner; - is standard input",
	    name, getenv("SUDO_USER"));
}

int
guest_refuse_options(struct error *err)
{
	const char *name = option_placed();
	char *option = name ? memory_printf("--%s", name) : NULL;
	int result = option ? guest_refuse_named(option, err) : 0;

	free(option);
	return result;
}

int
guest_refuse_folder(const char *path, struct error *err)
{
	return !path || (client_asker() && location_is_sent(path)) ? 0 : guest_refuse_named(path, err);
}

int
guest_refuse_file(const char *path, struct error *err)
{
	return !path || strcmp(path, "-") == 0 ? 0 : guest_refuse_folder(path, err);
}

void
guest_vouch(void)
{
	if (!guest_name() || getenv(vouched))
		return;
	vouched_by_us = true;
	setenv(vouched, "1", 1);
}
