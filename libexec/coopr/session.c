/* SPDX-License-Identifier: Apache-2.0
 *
 * session: logs a user in to the server, or out, apart from the program that asks for it: hashing a password takes time. "session begin"
 * reads {"user", "password"} or {"code"}, where "new_password" may be beside, or what an OpenID provider has given, {"provider_code",
 * "verifier", "nonce"}, and prints {"session", "user"}. "session provider" prints {"address", "state", "nonce", "verifier"}: where one
 * logs in there. "session end" reads {"session"}. Exits with 65 for a wrong order or a new password that cannot be chosen, 75 where it was tried too often, with {"wait_s"}, 77 where what
 * was shown is not right.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/home.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/subcommand.h"
#include "json/build.h"
#include "json/dump.h"
#include "json/json.h"
#include "login/attempts.h"
#include "login/entrance.h"
#include "login/password.h"
#include "login/provider.h"
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

/* Prints the session with its user. */
static void
session_print(const char *text, const char *user)
{
	struct buffer line = {0};
	jv record = jv_object();

	json_set_string(&record, "session", text);
	json_set_string(&record, "user", user);
	json_dump(record, &line);
	puts(buffer_string(&line));
	buffer_release(&line);
	jv_free(record);
}

/* Returns from where the server was asked, an address or a user of this machine; "": it is not known. The caller frees it. */
static char *
session_from(void)
{
	const char *from = home_variable(CLIENT_ASKER_FROM);

	return memory_substring(from ? from : "", from && *from != '-' ? strcspn(from, " ") : 0);
}

/* Logs in with user and password, or with a code. */
static int
session_enter(struct store *store, jv order, const char *from, char text[static TOKEN_SIZE], char **who, int64_t *wait_s, struct error *err)
{
	char *user = json_get_string(order, "user"), *password = json_get_string(order, "password"), *code = json_get_string(order, "code"),
	     *chosen = json_get_string(order, "new_password");
	int result;

	if (code ? user || password : !user || !password || strlen(password) > PASSWORD_MAX)
		result = error_set(err, EX_DATAERR, "expected user and password, or code");
	else
		result = entrance_begin(store, &(struct entrance){.user = user, .password = password, .code = code, .new_password = chosen,
		    .address = from}, text, who, wait_s, err);
	free(chosen);
	free(code);
	free(password);
	free(user);
	return result;
}

/* Reads the settings of the provider of the installation. */
static int
session_read_provider(struct provider *provider, struct error *err)
{
	const char *settings = home_variable(PROVIDER_SETTINGS);

	*provider = (struct provider){.users = jv_object()};
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
session_vouch(struct store *store, jv order, const char *from, char text[static TOKEN_SIZE], char **who, int64_t *wait_s,
    struct error *err)
{
	char *code = json_get_string(order, "provider_code"), *verifier = json_get_string(order, "verifier"),
	     *nonce = json_get_string(order, "nonce");
	struct provider provider;
	struct attempt attempt;
	int result = session_read_provider(&provider, err);

	if (result == 0 && (!code || !verifier || !nonce))
		result = error_set(err, EX_DATAERR, "expected provider_code, verifier and nonce");
	if (result == 0) {
		attempt_of(&attempt, NULL, from);
		session_begun(&attempt, from);
		result = attempt_count(store, &attempt, wait_s, err);
	}
	if (result > 0)
		result = error_set(err, EX_TEMPFAIL, "too many attempts to log in have failed; try again in %" PRId64 " s", *wait_s);
	if (result == 0)
		result = provider_ask(&provider, &(struct provider_answer){code, verifier, nonce}, who, err);
	if (result == 0)
		result = entrance_vouched(store, *who, from, &attempt, text, err);
	provider_release(&provider);
	free(nonce);
	free(verifier);
	free(code);
	return result;
}

static int
session_begin(struct store *store, jv order, struct error *err)
{
	char *from = session_from(), *who = NULL, text[TOKEN_SIZE];
	jv code = json_get(order, "provider_code");
	int64_t wait_s = 0;
	int result = jv_is_valid(code) ? session_vouch(store, order, from, text, &who, &wait_s, err)
	                               : session_enter(store, order, from, text, &who, &wait_s, err);

	jv_free(code);
	if (result < 0 && wait_s > 0)
		printf("{\"wait_s\":%" PRId64 "}\n", wait_s);
	if (result == 0)
		session_print(text, who);
	free(who);
	free(from);
	return result;
}

/* Prints where one logs in at the provider. Whoever asks for that all the time is slowed down, as who guesses is. */
static int
session_provider(struct store *store, jv order, struct error *err)
{
	char *from = session_from();
	struct provider provider;
	struct attempt attempt;
	struct buffer line = {0};
	jv record = jv_null();
	int64_t wait_s = 0;
	int result = session_read_provider(&provider, err);

	(void)order;
	attempt = (struct attempt){0};
	session_begun(&attempt, from);
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
	free(from);
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
