/* SPDX-License-Identifier: Apache-2.0
 *
 * The call of a command that a request asks for. What the command takes, it says itself (--complete-options), so the members of a
 * body and of a query are its options. Options that name files and folders, or that say where and how it prints, are the server's:
 * a request has none of them. A document of the request is the command's standard input.
 */
#ifndef WEB_CALL_H
#define WEB_CALL_H

#include "base/buffer.h"
#include "base/process.h"
#include "json/place.h"
#include "web/route.h"

struct command_option;
struct command_table;
struct http_exchange;

struct call { /* zero-initialise; release it */
	struct arguments argv;
	struct buffer input;
	size_t secrets; /* so many bytes of the input, at its start, are secrets */
};

/* Returns what the command of the route takes, asked once; NULL if it cannot be asked. */
const struct command_table *call_table(const struct route *route);

/* Returns whether a request of the route, whose command has the table, may have the option: a GET has none by which that changes something. */
bool call_takes(const struct route *route, const struct command_table *table, const struct command_option *option);

/* Returns whether a member for the option is true or false: also where it names a file in which the answer is kept. */
bool call_is_flag(const struct command_option *option);

/* Makes the call. Returns 0; or -1, and the problems say what is wrong with the request. */
int call_make(struct call *call, const struct route_match *match, struct http_exchange *exchange, struct problems *problems);

void call_release(struct call *call);

#endif
