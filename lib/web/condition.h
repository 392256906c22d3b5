/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes under a condition, If-Match or If-None-Match: they are made only if what GET shows at their path, or at the one above, is what
 * who asks has seen. The command of that GET is run first; the change is made only if the audit log has nothing new of that kind
 * since, which is looked at in the transaction that makes it (store/audit.h); else all is begun anew.
 */
#ifndef WEB_CONDITION_H
#define WEB_CONDITION_H

#include <stdbool.h>

struct arguments;
struct call;
struct child;
struct condition;
struct error;
struct http_exchange;
struct route_match;
struct store;

/* Returns the condition of a change, whose call is made; NULL where it has none. Where it wants one and has none, or has one that cannot
 * be, the exchange is answered, with 428 or 400. */
struct condition *condition_take(const struct route_match *match, const struct call *change, struct http_exchange *exchange);

/* Begins to look. Returns the call of the command that looks (borrowed); NULL, and err says why not. */
const struct call *condition_look(struct condition *condition, struct store *store, struct error *err);

/* Decides by what the command has found. Returns whether the change may be made; else condition_answer says why not. */
bool condition_holds(const struct condition *condition, const struct child *child);
void condition_answer(const struct condition *condition, const struct child *child, struct http_exchange *exchange);

/* Tells the command of the change. */
void condition_tell(const struct condition *condition, struct arguments *environment);

/* Returns whether the change, whose command has ended, was refused because of another since, and is to be begun anew. */
bool condition_is_late(const struct condition *condition, const struct child *child);

void condition_release(struct condition *condition);

#endif
