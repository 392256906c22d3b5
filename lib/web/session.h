/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions as a browser has them: a cookie that no script can read and no other site sends, and, for requests that change something, a
 * header whose value only a page of this site gets to know.
 */
#ifndef WEB_SESSION_H
#define WEB_SESSION_H

#include <stdbool.h>

struct asker;
struct buffer;
struct child;
struct http_exchange;
struct route;

/* Returns whether a route is answered by session_answer. */
bool session_is_answer(const struct route *route);

/* Writes what the command that ends a session reads. */
void session_order_end(const struct asker *asker, struct buffer *order);

/* Answers with what the command of the route has found; session is the one that was shown, or NULL. */
void session_answer(const struct route *route, struct http_exchange *exchange, const struct child *child, const char *session);

#endif
