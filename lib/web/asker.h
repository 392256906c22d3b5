/* SPDX-License-Identifier: Apache-2.0
 *
 * Who asks the server, and the environment in which a command knows that (store/client.h). A token or a session that is shown says it;
 * else, on a Unix socket, the kernel.
 */
#ifndef WEB_ASKER_H
#define WEB_ASKER_H

#include <stdbool.h>

#include "account/rights.h"

struct arguments;
struct buffer;
struct http_exchange;
struct store;

struct asker { /* release it */
	char *user; /* NULL: nobody is known, who may only log in */
	struct rights_limit limit;
	char *from;    /* CLIENT_ASKER_FROM */
	char *tenant;  /* that the request is about, whatever it says else; or NULL */
	char *session; /* the text of a session that was shown as a cookie; or NULL */
	char *bearer;  /* that of a token or a session that was shown as Authorization; or NULL */
};

/* Whose value is the text of a session. By TLS it is __Host-coopr, which no other host of the domain can set. */
#define ASKER_COOKIE "coopr"
#define ASKER_COOKIE_TLS "__Host-" ASKER_COOKIE

enum { ASKER_CSRF_SIZE = 65 };

/* Finds out who asks. Returns false where nobody is known, or may not ask so, and the answer says why: 401, or 403 where another site has
 * made a browser ask. */
bool asker_find(struct asker *asker, struct store *store, struct http_exchange *exchange);

/* Does the same for clients of Cask's Coopr, who say user and tenant in headers: coopr-api-v2(7) tells of whom these are believed. */
bool asker_find_coopr(struct asker *asker, struct store *store, struct http_exchange *exchange);

/* The same for a provisioner of Coopr: it shows the token that was made for it, as the password in its URL or as a bearer of it. */
bool asker_find_provisioner(struct asker *asker, struct store *store, struct http_exchange *exchange);

/* Finds out from where somebody comes who is not known yet. Returns false where that is another site, and the answer says so. */
bool asker_find_unknown(struct asker *asker, struct http_exchange *exchange);

/* Appends what the rights of the asker depend on, so that no two who differ have the same: all but the token or session itself, with
 * which the same user comes again. */
void asker_identify(const struct asker *asker, struct buffer *out);

/* Returns from where somebody asks who is not known: an address, with its network (address/network.h), or a user of this machine; "" of who is
 * known. Free it. */
char *asker_place(const struct asker *asker);

/* Writes what is to be shown, besides a session, for a request that changes something: no other site can know it. Returns csrf. */
const char *asker_csrf(const char *session, char csrf[static ASKER_CSRF_SIZE]);

/* Fills in the environment of a command that the asker wants: ours, without what says who has started the server. */
void asker_environment(const struct asker *asker, struct arguments *environment);

void asker_release(struct asker *asker);

#endif
