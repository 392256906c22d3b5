/* SPDX-License-Identifier: Apache-2.0
 *
 * A command that is run for a request, and those who wait for what it says. Where the request has a condition, another command is run before,
 * which looks at what that is of.
 */
#ifndef WEB_SERVING_H
#define WEB_SERVING_H

#include <stdbool.h>
#include <stddef.h>

#include "event/supervise.h"
#include "login/grant.h"
#include "web/call.h"

struct asker;
struct error;
struct http_exchange;
struct route_match;
struct store;

struct waiter { /* for the answer of a call */
	struct http_exchange *exchange;
	struct waiter *next;
};

struct serving { /* a command that is run for requests */
	struct child child;
	struct call call;
	struct arguments environment;
	struct waiter *waiters; /* the one who has asked first is the last of them */
	struct recent_answer *recent; /* or NULL */
	struct repeat *repeat;        /* or NULL */
	struct condition *condition;  /* or NULL */
	bool looks;                   /* at what the condition is of, before the change */
	size_t shared;                /* of the environment, what both of these have */
	const struct route *route;
	char *session; /* that was shown; or NULL */
	char *user;    /* who asks; "": nobody is known */
	struct grant grant; /* to whom a change was granted when it was asked for; without a user where there is none */
	bool is_over;       /* the grant is */
	char *place;   /* from where somebody asks who is not known; "": it does not matter */
	bool uploads;  /* it runs while its body comes */
	size_t came;   /* bytes of the step */
	bool is_text;  /* the answer is for people */
	char *fields;  /* members of what is answered, see route_fields; or NULL */
	struct printed *output; /* where what it prints is taken to; NULL: nowhere yet */
	struct serving *next; /* that waits for its turn, or runs */
};

/* Has an exchange wait for the answer. */
void serving_add(struct serving *serving, struct http_exchange *exchange);

/* Takes the first of those who wait; NULL: nobody does any more. */
struct http_exchange *serving_take(struct serving *serving);

/* An exchange does not wait any more. */
void serving_leave(struct serving *serving, struct http_exchange *exchange);

/* Fills in whom and what the command is for. Returns -1 where it cannot be known what the user is. */
int serving_prepare(struct serving *serving, const struct route_match *match, const struct asker *asker, struct store *store,
    struct error *err);

/* Looks again whether who has asked for a change still may: it may have waited, or have come slowly. Returns true where that is over. */
bool serving_is_over(struct serving *serving, struct store *store);

/* Makes the child that is next: the command of the request, or before it the one that looks at what its condition is of. */
int serving_make_child(struct serving *serving, struct store *store, struct error *err);

/* Starts that child, which is bounded. */
int serving_start(struct serving *serving, struct supervisor *supervisor, struct error *err);

/* Takes what the command has printed up to now to where it needs no memory. Returns as printed_take does. */
int serving_take_output(struct serving *serving);

/* Releases it, for which nobody waits any more, or is to. */
void serving_free(struct serving *serving);

#endif
