/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of the API: made of what a command has printed, or by the server itself.
 */
#ifndef WEB_ANSWER_H
#define WEB_ANSWER_H

#include <stdbool.h>

struct child;
struct http_exchange;
struct printed;
struct route;

/* Answers with what the command of the route, which has ended, has printed; output is where that was taken to, NULL: nowhere. */
void answer_call(const struct route *route, struct http_exchange *exchange, const struct child *child, struct printed *output);

/* Answers a request that no command does. terminals: browsers may log in to nodes. */
void answer_own(const struct route *route, struct http_exchange *exchange, bool terminals);

/* Gives the body of an answer a tag. */
void answer_tag(struct http_exchange *exchange);

/* Sends nothing to who has the body with this tag already: 304; and to who asks for a range of it, that alone: 206. */
void answer_spare(struct http_exchange *exchange);

#endif
