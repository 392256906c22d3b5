/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests that are sent again. Who sends a change with an Idempotency-Key may send it again where the answer was lost: what it changes
 * is changed once. That it has changed something, the audit log knows (store/audit.h), whatever became of the server; what it was
 * answered, a server remembers as long as it runs. An upload is known by its key alone.
 */
#ifndef WEB_REPEATS_H
#define WEB_REPEATS_H

struct arguments;
struct asker;
struct call;
struct http_exchange;
struct repeat;
struct repeats;
struct route_match;
struct store;

struct repeats *repeats_open(struct store *store); /* borrowed */

/* Decides about a request that has a key, and whose call is made: NULL where it has none, is answered here, or is to be refused, see the
 * answer's status; a repeat otherwise. Where that has a maker, a command does the same request just now; else the caller is its maker. */
struct repeat *repeats_find(struct repeats *repeats, const struct route_match *match, const struct asker *asker, const struct call *call,
    struct http_exchange *exchange);

/* Returns who does the request, NULL: nobody yet. */
void *repeat_maker(const struct repeat *repeat);

/* Has a maker do the request, whose command knows it by the environment. */
void repeat_begin(struct repeat *repeat, void *maker, struct arguments *environment);

/* Where the log knows the request, since the command of a server that was killed has done it meanwhile: answers it anew if it was
 * refused; if not, as when what is begun is resumed, says that it is repeated. */
void repeat_revise(struct repeats *repeats, const struct repeat *repeat, struct http_exchange *exchange);

/* Remembers what the request was answered, if it has changed something; exchange is NULL where nobody has waited for an answer. */
void repeat_end(struct repeats *repeats, struct repeat *repeat, const struct http_exchange *exchange);

void repeats_close(struct repeats *repeats);

#endif
