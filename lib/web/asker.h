/* SPDX-License-Identifier: Apache-2.0
 *
 * Who asks the server, and the environment in which a command knows that (store/client.h).
 */
#ifndef WEB_ASKER_H
#define WEB_ASKER_H

#include <stdbool.h>

struct arguments;
struct http_exchange;

struct asker { /* release it */
	char *user;
};

/* Finds out who asks: by a Unix socket, whom the kernel names. Returns false where nobody is known, and the answer says what is missing:
 * 401. */
bool asker_find(struct asker *asker, struct http_exchange *exchange);

/* Fills in the environment of a command that the asker wants: ours, without what says who has started the server. */
void asker_environment(const struct asker *asker, struct arguments *environment);

void asker_release(struct asker *asker);

#endif
