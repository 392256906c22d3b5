/* SPDX-License-Identifier: Apache-2.0
 *
 * With which rights something was begun that goes on, such as a command or a connection of somebody at another machine: it ends where
 * they are taken away.
 */
#ifndef LOGIN_GRANT_H
#define LOGIN_GRANT_H

#include <stdbool.h>

#include "account/rights.h"

struct error;
struct http_exchange;
struct store;

struct grant { /* zero-initialise; release it */
	char *user;
	struct rights_limit limit; /* of what was shown */
	struct rights_held held;   /* what the user was when it began */
};

/* Fills in whom it was granted to, as they are now. */
int grant_begin(struct grant *grant, struct store *store, const char *user, const struct rights_limit *limit, struct error *err);

/* Returns whether the user is not let in any more, or was taken a role; or whether what the exchange that began it has shown is a certificate
 * that is not believed any more. NULL: nobody waits for its answer. Where that cannot be known it is not. */
bool grant_is_over(const struct grant *grant, struct store *store, const struct http_exchange *exchange);

/* Returns whether what the exchange has shown still counts, as far as the store does not know it: only certificates may not. */
bool grant_counts(const struct rights_limit *limit, const struct http_exchange *exchange);

void grant_release(struct grant *grant);

#endif
