/* SPDX-License-Identifier: Apache-2.0 */
#include "web/asker.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "address/network.h"
#include "base/error.h"
#include "base/process.h"
#include "http/exchange.h"
#include "login/logins.h"
#include "login/provisioners.h"
#include "login/tokens.h"
#include "model/name.h"
#include "store/client.h"
#include "store/store.h"
#include "web/problem.h"

/* Variables about the person who has started the server, and not the one who asks. */
static const char *const personal[] = {"COOPR_TENANT=", "COOPR_USER=", "COOPR_VOUCHED=", "COOPR_OUTPUT=", "SUDO_", "SSH_",
	"COOPR_MESSAGES=", CLIENT_ASKER, "COOPR_SENT=", "COOPR_SERVER=", "XDG_CONFIG_HOME="};

static bool
asker_is_personal(const char *variable)
{
	for (size_t i = 0; i < sizeof personal / sizeof *personal; i++)
		if (strncmp(variable, personal[i], strlen(personal[i])) == 0)
			return true;
	return false;
}

/* Returns the value of a cookie, in the exchange's arena; NULL where there is none. */
static const char *
asker_cookie(struct http_exchange *exchange, const char *name)
{
	const char *at = http_field_find(&exchange->headers, "Cookie");
	size_t length = strlen(name);

	while (at && *at) {
		at += strspn(at, " ;");
		if (strncmp(at, name, length) == 0 && at[length] == '=') {
			char *value = memory_substring(at + length + 1, strcspn(at + length + 1, "; "));
			const char *kept = arena_string(&exchange->arena, value);

			free(value);
			return kept;
		}
		at += strcspn(at, ";");
	}
	return NULL;
}

static bool
asker_changes(const struct http_exchange *exchange)
{
	return strcmp(exchange->method, "GET") != 0 && strcmp(exchange->method, "HEAD") != 0;
}

/* Refuses a change that a page of another site has made a browser ask for. */
static bool
asker_is_of_this_site(struct http_exchange *exchange)
{
	const char *origin = http_field_find(&exchange->headers, "Origin"), *host = http_field_find(&exchange->headers, "Host");
	const char *site = http_field_find(&exchange->headers, "Sec-Fetch-Site"), *behind = origin ? strstr(origin, "://") : NULL;

	if (!asker_changes(exchange) || ((!origin || (behind && host && strcasecmp(behind + 3, host) == 0)) &&
	    (!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0)))
		return true;
	problem_answer(exchange, 403, "the request comes from a page of another site");
	return false;
}

const char *
asker_csrf(const char *session, char csrf[static ASKER_CSRF_SIZE])
{
	static const char mark[] = "csrf of a session ";
	unsigned char sum[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;

	/* The session is random, and nobody else knows it: its hash with a mark before it tells nothing of it. */
	crypto_hash_sha256_init(&state);
	crypto_hash_sha256_update(&state, (const unsigned char *)mark, sizeof mark - 1);
	crypto_hash_sha256_update(&state, (const unsigned char *)session, strlen(session));
	crypto_hash_sha256_final(&state, sum);
	return sodium_bin2hex(csrf, ASKER_CSRF_SIZE, sum, sizeof sum);
}

/* Compares what a change has to show besides its session. */
static bool
asker_shows_csrf(struct http_exchange *exchange, const char *session)
{
	const char *shown = http_field_find(&exchange->headers, "X-CSRF-Token");
	char expected[ASKER_CSRF_SIZE];

	asker_csrf(session, expected);
	if (!asker_changes(exchange) || (shown && strlen(shown) == sizeof expected - 1 &&
	    sodium_memcmp(shown, expected, sizeof expected - 1) == 0))
		return true;
	problem_answer(exchange, 403, "the header X-CSRF-Token is missing or wrong; GET /v1/session tells it as csrf");
	return false;
}

static bool
asker_refuse(struct http_exchange *exchange, const char *reason)
{
	problem_answer(exchange, 401, reason);
	http_field_add(exchange, &exchange->answer.headers, "WWW-Authenticate", "Bearer realm=\"coopr\"");
	return false;
}

static bool
asker_refuse_reason(struct http_exchange *exchange, const char *what, const char *reason)
{
	char *text = memory_printf("%s: %s", what, reason);

	asker_refuse(exchange, text);
	free(text);
	return false;
}

/* Tells an installation that has not named its proxy. */
static bool
asker_refuse_stray(struct http_exchange *exchange)
{
	char *reason = memory_printf("it is believed of the proxies alone that --proxy names, and %s is none",
	    exchange->address ? exchange->address : "who asks");

	asker_refuse_reason(exchange, exchange->stray, reason);
	free(reason);
	return false;
}

static void
asker_set_from(struct asker *asker, const struct http_exchange *exchange)
{
	char *address = exchange->address ? memory_string(exchange->address)
	    : exchange->uid == (uid_t)-1 ? memory_string("-") : memory_printf("uid:%u", (unsigned)exchange->uid);

	asker->from = asker->limit.token ? memory_printf("%s %s %" PRId64, address, asker->limit.kind, asker->limit.token)
	    : asker->limit.is_set ? memory_printf("%s %s", address, asker->limit.kind)
	    : memory_printf("%s%s", address, exchange->user ? " proxy" : "");
	free(address);
}

/* Takes the asker for a user whom somebody else has let in. That is never who owns the store, of whatever name a user is elsewhere. */
static bool
asker_take_user(struct asker *asker, struct store *store, struct http_exchange *exchange, const char *user)
{
	struct error err;
	uid_t owner;

	if (store_owner(store, &owner, &err) < 0) {
		problem_answer(exchange, 503, err.text);
		return false;
	}
	if (!name_is_valid(user) || rights_is_owner(user, owner))
		return asker_refuse(exchange, "this user cannot log in elsewhere for coopr");
	asker->user = memory_string(user);
	return true;
}

/* Takes the asker for the user whom a certificate names, if it is one who logs in: what limits that limits this. */
static bool
asker_take_certificate(struct asker *asker, struct store *store, struct http_exchange *exchange)
{
	struct rights_limit limit = {.is_set = true, .role = ACCOUNT_SUPERADMIN, .kind = RIGHTS_CERTIFICATE};
	struct error err;
	int found = logins_find(store, exchange->certificate_name, limit.tenant, &err);

	if (found < 0)
		problem_answer(exchange, 503, err.text);
	if (found <= 0)
		return found == 0 && asker_refuse(exchange, "the certificate is that of no user who logs in here; \"coopr user add\" makes one");
	asker->limit = limit;
	return asker_take_user(asker, store, exchange, exchange->certificate_name);
}

/* Takes the asker for the user of a token; one of a provisioner is a token only where it is asked for. */
static bool
asker_take_token(struct asker *asker, struct store *store, struct http_exchange *exchange, const char *text, bool provisioner)
{
	struct token_list list = {0};
	struct error err;
	int found = tokens_find(store, text, &list, &err);

	if (found > 0 && (strcmp(list.list[0].kind, PROVISIONERS_TOKEN) == 0) != provisioner) {
		found = 0;
	} else if (found > 0) {
		const struct token *token = &list.list[0];

		asker->user = memory_string(token->user);
		asker->limit = (struct rights_limit){.is_set = true, .role = ACCOUNT_READER, .token = token->id};
		account_role_find(token->role, &asker->limit.role);
		snprintf(asker->limit.kind, sizeof asker->limit.kind, "%s", token->kind);
		snprintf(asker->limit.tenant, sizeof asker->limit.tenant, "%s", token->tenant ? token->tenant : "");
	}
	token_list_release(&list);
	if (found < 0)
		problem_answer(exchange, 503, err.text);
	return found < 0 ? false : found > 0 || asker_refuse(exchange, "the token or the session is not valid, or has ended");
}

/* Finds out who asks without a token: by the proxy, a session or the kernel. */
static bool
asker_find_person(struct asker *asker, struct store *store, struct http_exchange *exchange)
{
	const char *cookie = asker_cookie(exchange, exchange->is_encrypted ? ASKER_COOKIE_TLS : ASKER_COOKIE);

	if (!asker_is_of_this_site(exchange))
		return false;
	if (exchange->user)
		return asker_take_user(asker, store, exchange, exchange->user);
	if (cookie && *cookie) {
		asker->session = memory_string(cookie);
		return asker_shows_csrf(exchange, cookie) && asker_take_token(asker, store, exchange, cookie, false);
	}
	if (exchange->certificate_name)
		return asker_take_certificate(asker, store, exchange);
	if (exchange->certificate_reason)
		return asker_refuse_reason(exchange, "the certificate is not believed", exchange->certificate_reason);
	if (http_field_find(&exchange->headers, "Authorization"))
		return asker_refuse(exchange, "expected Authorization: Bearer TOKEN");
	if (exchange->uid == (uid_t)-1 && exchange->stray)
		return asker_refuse_stray(exchange);
	if (exchange->uid == (uid_t)-1)
		return asker_refuse(exchange, "who asks is not known: log in, or send Authorization: Bearer TOKEN");
	asker->user = process_user(exchange->uid);
	return true;
}

bool
asker_find(struct asker *asker, struct store *store, struct http_exchange *exchange)
{
	const char *authorization = http_field_find(&exchange->headers, "Authorization");
	bool is_known;

	*asker = (struct asker){0};
	if (authorization && strncasecmp(authorization, "Bearer ", 7) == 0) {
		is_known = asker_take_token(asker, store, exchange, authorization + 7, false);
		asker->bearer = memory_string(authorization + 7);
	} else {
		is_known = asker_find_person(asker, store, exchange);
	}
	asker_set_from(asker, exchange);
	return is_known;
}

/* Returns whether what comes by a Unix socket is from who may speak for others: root, or the user whom the server runs as. */
static bool
asker_speaks_for_others(const struct http_exchange *exchange)
{
	return exchange->uid == 0 || exchange->uid == geteuid();
}

/* Takes the asker for the user whom a header names, where the kernel says that this is true, or the proxy does. */
static bool
asker_take_named(struct asker *asker, struct store *store, struct http_exchange *exchange, const char *user)
{
	char *own = exchange->uid != (uid_t)-1 ? process_user(exchange->uid) : NULL;
	bool is_true = own && (asker_speaks_for_others(exchange) || strcmp(own, user) == 0);

	free(own);
	if (exchange->user && strcmp(exchange->user, user) == 0)
		return asker_take_user(asker, store, exchange, user);
	if (exchange->certificate_name && strcmp(exchange->certificate_name, user) == 0)
		return asker_take_certificate(asker, store, exchange);
	if (!is_true)
		return asker_refuse(exchange, "the header Coopr-UserID alone is not believed: send a token as Coopr-ApiKey");
	asker->user = memory_string(user);
	return true;
}

bool
asker_find_coopr(struct asker *asker, struct store *store, struct http_exchange *exchange)
{
	const char *user = http_field_find(&exchange->headers, "Coopr-UserID"), *tenant = http_field_find(&exchange->headers, "Coopr-TenantID");
	const char *token = http_field_find(&exchange->headers, "Coopr-ApiKey"), *bearer = http_field_find(&exchange->headers, "Authorization");
	bool is_known;

	*asker = (struct asker){0};
	/* Coopr's client has a colon there. */
	if (bearer && strncasecmp(bearer, "Bearer", 6) == 0)
		token = bearer + 6 + strspn(bearer + 6, ": ");
	if (!user || !name_is_valid(user))
		is_known = asker_refuse(exchange, "Coopr-UserID not found in request headers.");
	else if (!tenant || !name_is_valid(tenant))
		is_known = asker_refuse(exchange, "Coopr-TenantID not found in request headers.");
	else if (asker_speaks_for_others(exchange) || exchange->user || !token || !*token) /* Coopr's page always sends the same key */
		is_known = asker_take_named(asker, store, exchange, user);
	else
		is_known = asker_take_token(asker, store, exchange, token, false) && (strcmp(asker->user, user) == 0 ||
		    asker_refuse(exchange, "the token is not that of the user whom Coopr-UserID names"));
	if (is_known)
		asker->tenant = memory_string(tenant);
	asker_set_from(asker, exchange);
	return is_known;
}

/* Returns the password of an authorization as the RFC 7617 has it, in the exchange's arena; NULL where there is none. */
static const char *
asker_password(struct http_exchange *exchange, const char *authorization)
{
	const char *text = authorization + 6, *colon;
	size_t size = strlen(text) + 1, length = 0;
	char *decoded = arena_alloc(&exchange->arena, size, 1);

	if (sodium_base642bin((unsigned char *)decoded, size - 1, text, size - 1, " \r\n", &length, NULL,
	        sodium_base64_VARIANT_ORIGINAL) != 0)
		return NULL;
	decoded[length] = '\0';
	colon = strchr(decoded, ':');
	return colon ? colon + 1 : NULL;
}

bool
asker_find_provisioner(struct asker *asker, struct store *store, struct http_exchange *exchange)
{
	const char *authorization = http_field_find(&exchange->headers, "Authorization"), *token = NULL;
	bool is_known;

	*asker = (struct asker){0};
	if (authorization && strncasecmp(authorization, "Bearer ", 7) == 0)
		token = authorization + 7;
	else if (authorization && strncasecmp(authorization, "Basic ", 6) == 0)
		token = asker_password(exchange, authorization);
	if (token)
		is_known = asker_take_token(asker, store, exchange, token, true);
	else
		is_known = asker_refuse(exchange, "expected the token of a provisioner, as the password in the URL of the server");
	asker_set_from(asker, exchange);
	return is_known;
}

bool
asker_find_unknown(struct asker *asker, struct http_exchange *exchange)
{
	*asker = (struct asker){0};
	asker_set_from(asker, exchange);
	return asker_is_of_this_site(exchange);
}

void
asker_identify(const struct asker *asker, struct buffer *out)
{
	const struct rights_limit *limit = &asker->limit;

	buffer_netstring(out, asker->user);
	buffer_netstring(out, asker->tenant);
	buffer_printf(out, "%d", limit->is_set ? (int)limit->role : -1);
	buffer_netstring(out, limit->kind);
	buffer_netstring(out, limit->tenant);
}

char *
asker_place(const struct asker *asker)
{
	struct network network;

	return memory_string(asker->user ? "" : network_of(&network, asker->from));
}

void
asker_environment(const struct asker *asker, struct arguments *environment)
{
	const struct rights_limit *limit = &asker->limit;

	for (char **variable = environ; *variable; variable++)
		if (!asker_is_personal(*variable))
			arguments_push(environment, *variable);
	arguments_push(environment, "COOPR_SERVER="); /* whatever contexts there are */
	arguments_printf(environment, "%s=%s", CLIENT_ASKER_FROM, asker->from);
	if (asker->user)
		arguments_printf(environment, "%s=%s", CLIENT_ASKER, asker->user);
	if (asker->tenant)
		arguments_printf(environment, "COOPR_TENANT=%s", asker->tenant);
	if (limit->is_set)
		arguments_printf(environment, "%s=%s %" PRId64 " %s %s", RIGHTS_LIMIT, limit->kind, limit->token,
		    account_role_name(limit->role), limit->tenant);
}

void
asker_release(struct asker *asker)
{
	free(asker->user);
	free(asker->from);
	free(asker->tenant);
	free(asker->session);
	free(asker->bearer);
	*asker = (struct asker){0};
}
