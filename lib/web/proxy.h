/* SPDX-License-Identifier: Apache-2.0
 *
 * The proxies that an installation names: what they say of who asks, and from where, is believed. Of all others it is not.
 */
#ifndef WEB_PROXY_H
#define WEB_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/memory.h"
#include "json/place.h"

struct error;
struct http_exchange;
struct option_list;

struct proxies { /* zero-initialise; release it */
	struct arena arena;
	struct string_list ranges; /* of addresses */
	uid_t *users;              /* who come by a Unix socket */
	size_t user_count, user_capacity;
	const char *header; /* in which they name who has logged in there, borrowed; NULL: they do not */
};

/* Takes those that are named: "10.0.0.7", "10.0.0.0/24", "unix:www-data". EX_USAGE where one is none. */
int proxies_open(struct proxies *proxies, const struct option_list *named, const char *header, struct error *err);

/* Where the request comes through a proxy: takes its address, and whether it was encrypted, from what that says, and the user whom it
 * names. Answers it with 400, and returns false, where several are named. */
bool proxy_look(const struct proxies *proxies, struct http_exchange *exchange);

void proxies_release(struct proxies *proxies);

#endif
