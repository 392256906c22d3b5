/* SPDX-License-Identifier: Apache-2.0 */
#include "login/grant.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "http/listener.h"
#include "login/logins.h"

int
grant_begin(struct grant *grant, struct store *store, const char *user, const struct rights_limit *limit, struct error *err)
{
	grant->user = memory_string(user);
	grant->limit = *limit;
	return rights_hold(store, user, &grant->held, err);
}

bool
grant_counts(const struct rights_limit *limit, const struct http_exchange *exchange)
{
	return !limit->is_set || strcmp(limit->kind, RIGHTS_CERTIFICATE) != 0 || listener_still_believes(exchange);
}

bool
grant_is_over(const struct grant *grant, struct store *store, const struct http_exchange *exchange)
{
	struct rights_held now = {0};
	struct error ignored; /* then it is looked at again */
	bool over = (exchange && !grant_counts(&grant->limit, exchange)) ||
	    logins_hold(store, grant->user, &grant->limit, &ignored) == 0 ||
	    (rights_hold(store, grant->user, &now, &ignored) == 0 && rights_are_lost(&grant->held, &now));

	rights_held_release(&now);
	return over;
}

void
grant_release(struct grant *grant)
{
	rights_held_release(&grant->held);
	free(grant->user);
	*grant = (struct grant){0};
}
