/* SPDX-License-Identifier: Apache-2.0
 *
 * session: logs a user in to the server, or out, apart from the program that asks for it: hashing a password takes time.
 *
 *	session begin      reads {"user", "password"} or {"code"}, where "new_password" may be beside, or what an OpenID provider has
 *	                   given, {"provider_code", "verifier", "nonce"} and perhaps "redirect"; and how the session is to be, "name", "role", "lifetime";
 *	                   prints {"session", "user", "expires"}
 *	session provider   reads {} or {"redirect"}, and prints {"address", "state", "nonce", "verifier"}: where one logs in there
 *	session end        reads {"session"}
 *
 * Exits with 65 for a wrong order or a new password that cannot be chosen, 75 where it was tried too often, with {"wait_s"}, 77 where what
 * was shown is not right.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/rights.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/home.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/subcommand.h"
#include "json/build.h"
#include "json/dump.h"
#include "json/json.h"
#include "json/place.h"
#include "login/attempts.h"
#include "login/entrance.h"
#include "login/password.h"
#include "login/provider.h"
#include "model/duration.h"
#include "store/client.h"
#include "store/store.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command begin_command = {
	"session begin", "", "Log in to the server.", options, "  session begin <order\n"};
static const struct command end_command = {
	"session end", "", "Log out of the server.", options, "  session end <order\n"};
static const struct command provider_command = {
	"session provider", "", "Begin to log in at the OpenID provider.", options, "  session provider <order\n"};
static const struct command command = {
	"session", "COMMAND", "Log in to the server, or out.", options, "  session begin <order\n"};

struct session_order { /* release its arena */
	struct arena arena;
	struct entrance entrance;
	struct provider_answer provider; /* its code is NULL where nobody has logged in there */
	const char *redirect; /* to which they came back; NULL: the page */
};

/* Prints the session with its user. */
static void
session_print(const char *text, const char *user, int64_t ends_ms)
{
	struct buffer line = {0};
	char until[CLOCK_RFC3339_SIZE];
	jv record = jv_object();

	json_set_string(&record, "session", text);
	json_set_string(&record, "user", user);
	json_set_string(&record, "expires", clock_seconds(ends_ms, until));
	json_dump(record, &line);
	puts(buffer_string(&line));
	buffer_release(&line);
	jv_free(record);
}

/* Returns from where the server was asked, an address or a user of this machine; "": it is not known. */
static const char *
session_from(struct arena *arena)
{
	const char *from = home_variable(CLIENT_ASKER_FROM);
	size_t length = from && *from != '-' ? strcspn(from, " ") : 0;

	return arena_printf(arena, "%.*s", (int)length, from ? from : "");
}

/* Reads how the session is to be. */
static void
session_read_wish(const struct place *root, struct arena *arena, struct entrance_session *session)
{
	const char *name = place_string(root, "name", NEED_OPTIONAL, arena), *role = place_string(root, "role", NEED_OPTIONAL, arena),
	           *lifetime = place_string(root, "lifetime", NEED_OPTIONAL, arena);
	int64_t lasts_ms = lifetime ? duration_parse(lifetime) : ENTRANCE_SESSION_MS;
	struct place of_role = place_member(root, "role"), of_lifetime = place_member(root, "lifetime");

	*session = (struct entrance_session){name ? name : "", ACCOUNT_SUPERADMIN, clock_wall_ms() + lasts_ms};
	if (role && !account_role_find(role, &session->role))
		place_problem(&of_role, "expected read-only, user, admin or superadmin");
	if (lasts_ms <= 0)
		place_problem(&of_lifetime, "expected a number with a unit, as 12h or 30d, and less than a thousand years");
}

static int
session_read(jv document, struct session_order *order, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	struct entrance *entrance = &order->entrance;
	struct arena *arena = &order->arena;
	int result;

	*order = (struct session_order){0};
	entrance->address = session_from(arena);
	if (place_object(&root, NEED_REQUIRED)) {
		entrance->user = place_string(&root, "user", NEED_OPTIONAL, arena);
		entrance->password = place_string(&root, "password", NEED_OPTIONAL, arena);
		entrance->code = place_string(&root, "code", NEED_OPTIONAL, arena);
		entrance->new_password = place_string(&root, "new_password", NEED_OPTIONAL, arena);
		order->provider.code = place_string(&root, "provider_code", NEED_OPTIONAL, arena);
		order->provider.verifier = place_string(&root, "verifier", NEED_OPTIONAL, arena);
		order->provider.nonce = place_string(&root, "nonce", NEED_OPTIONAL, arena);
		order->redirect = place_string(&root, "redirect", NEED_OPTIONAL, arena);
		session_read_wish(&root, arena, &entrance->session);
	}
	result = problems_error(&problems, "the order", EX_DATAERR, err);
	problems_release(&problems);
	return result;
}

/* Logs in with user and password, or with a code. */
static int
session_enter(struct store *store, const struct entrance *entrance, char text[static TOKEN_SIZE], char **who, int64_t *wait_s,
    struct error *err)
{
	if (entrance->code ? entrance->user || entrance->password
	                   : !entrance->user || !entrance->password || strlen(entrance->password) > PASSWORD_MAX)
		return error_set(err, EX_DATAERR, "expected user and password, or code");
	return entrance_begin(store, entrance, text, who, wait_s, err);
}

/* Reads the settings of the provider of the installation. */
static int
session_read_provider(struct provider *provider, struct error *err)
{
	const char *settings = home_variable(PROVIDER_SETTINGS);

	*provider = (struct provider){.users = jv_object(), .roles = jv_null()};
	return settings ? provider_read(provider, settings, err)
	                : error_set(err, EX_DATAERR, "this installation has no OpenID provider; log in with user and password");
}

/* Counts, besides, what was begun from there at the provider: that is forgotten once it has come to its end. */
static void
session_begun(struct attempt *attempt, const char *from)
{
	snprintf(attempt->of_user, sizeof attempt->of_user, "provider %s", from);
}

/* Logs in with the code of a provider. It counts as an attempt before the provider is asked. */
static int
session_vouch(struct store *store, struct session_order *order, char text[static TOKEN_SIZE], char **who, int64_t *wait_s,
    struct error *err)
{
	struct provider_person person = {.roles = jv_null()};
	struct provider provider;
	struct attempt attempt;
	int result = session_read_provider(&provider, err);

	if (result == 0)
		result = provider_set_redirect(&provider, order->redirect, err);
	if (result == 0 && (!order->provider.verifier || !order->provider.nonce))
		result = error_set(err, EX_DATAERR, "expected provider_code, verifier and nonce");
	if (result == 0) {
		attempt_of(&attempt, NULL, order->entrance.address);
		session_begun(&attempt, order->entrance.address);
		result = attempt_count(store, &attempt, wait_s, err);
	}
	if (result > 0)
		result = error_set(err, EX_TEMPFAIL, "too many attempts to log in have failed; try again in %" PRId64 " s", *wait_s);
	if (result == 0)
		result = provider_ask(&provider, &order->provider, &person, err);
	if (result == 0) {
		order->entrance.user = person.user;
		result = entrance_vouched(store, &order->entrance, person.roles, &attempt, text, err);
	}
	if (result == 0)
		*who = memory_string(person.user);
	provider_person_release(&person);
	provider_release(&provider);
	return result;
}

static int
session_begin(struct store *store, jv document, struct error *err)
{
	struct session_order order;
	char *who = NULL, text[TOKEN_SIZE];
	int64_t wait_s = 0;
	int result = session_read(document, &order, err);

	if (result == 0)
		result = order.provider.code ? session_vouch(store, &order, text, &who, &wait_s, err)
		                             : session_enter(store, &order.entrance, text, &who, &wait_s, err);
	if (result < 0 && wait_s > 0)
		printf("{\"wait_s\":%" PRId64 "}\n", wait_s);
	if (result == 0)
		session_print(text, who, order.entrance.session.ends_ms);
	free(who);
	arena_release(&order.arena);
	return result;
}

/* Prints where one logs in at the provider. Whoever asks for that all the time is slowed down, as who guesses is. */
static int
session_provider(struct store *store, jv order, struct error *err)
{
	struct arena arena = {0};
	const char *from = session_from(&arena), *redirect = json_arena_string(order, "redirect", &arena);
	struct provider provider;
	struct attempt attempt;
	struct buffer line = {0};
	jv record = jv_null();
	int64_t wait_s = 0;
	int result = session_read_provider(&provider, err);

	attempt = (struct attempt){0};
	session_begun(&attempt, from);
	if (result == 0)
		result = provider_set_redirect(&provider, redirect, err);
	if (result == 0)
		result = attempt_count(store, &attempt, &wait_s, err);
	if (result > 0) {
		printf("{\"wait_s\":%" PRId64 "}\n", wait_s);
		result = error_set(err, EX_TEMPFAIL, "too many logins at the provider were begun; try again in %" PRId64 " s", wait_s);
	}
	if (result == 0)
		result = provider_begin(&provider, &record, err);
	if (result == 0) {
		json_dump(record, &line);
		puts(buffer_string(&line));
	}
	buffer_release(&line);
	jv_free(record);
	provider_release(&provider);
	arena_release(&arena);
	return result;
}

static int
session_end(struct store *store, jv order, struct error *err)
{
	char *text = json_get_string(order, "session");
	int result = text ? entrance_end(store, text, err) : error_set(err, EX_DATAERR, "expected session");

	free(text);
	return result;
}

/* Reads the order of a command, and carries it out. */
static int
session_do(const struct command *its, int (*act)(struct store *store, jv order, struct error *err), int argc, char **argv)
{
	struct store *store = NULL;
	struct error err;
	jv order = jv_null();
	int result;

	argv += option_parse(its, argc, argv);
	if (*argv)
		return option_misuse(its, "unexpected argument '%s'", *argv);

	result = json_read_file("-", &order, &err);
	if (result == 0)
		result = store_open(&store, NULL, STORE_WRITE, NULL, &err);
	if (result == 0)
		result = act(store, order, &err);
	store_release(store);
	jv_free(order);
	return message_end(result < 0 ? message_error(&err) : 0);
}

static int
session_verb_begin(int argc, char **argv)
{
	return session_do(&begin_command, session_begin, argc, argv);
}

static int
session_verb_end(int argc, char **argv)
{
	return session_do(&end_command, session_end, argc, argv);
}

static int
session_verb_provider(int argc, char **argv)
{
	return session_do(&provider_command, session_provider, argc, argv);
}

static const struct subcommand subcommands[] = {
	{"begin", session_verb_begin, "log in"},
	{"provider", session_verb_provider, "begin to log in at the OpenID provider"},
	{"end", session_verb_end, "log out"},
	{0}};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
