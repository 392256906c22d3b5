/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-login, coopr-logout: log in to a server, and out; the name that the program is called by says which. The token that the server
 * gives is kept in the context, coopr-context(1), which is in use from then on. Exits with 0; 1 where nobody is logged in; 64 on misuse;
 * 65 where the new password cannot be chosen; 69 where the server is not reached; 73 where the user's file cannot be written; 75 where it
 * was tried too often; 77 where what was shown is wrong; 78 where the user's file is malformed, or others could read it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "model/name.h"
#include "operation/secret-input.h"
#include "remote/access.h"
#include "remote/contexts.h"
#include "remote/destination.h"
#include "remote/loopback.h"
#include "store/secrets.h"

#define LOGIN_LIFETIME "30d"

static const char *user, *password, *code, *new_password, *token, *role, *lifetime = LOGIN_LIFETIME, *name, *ca;
static bool oidc;
static struct option_change change;
static struct contexts contexts; /* until the end, as what is given out of it */

static const struct option_spec login_options[] = {
	OPTION_STRING(0, "user", &user, "USER", "as this user (default: ask)"),
	OPTION_STRING(0, "password", &password, "FILE", "the password (default: -, the terminal or standard input)"),
	OPTION_STRING(0, "code", &code, "FILE", "with a code that logs in once, in place of user and password; - as above"),
	OPTION_STRING(0, "new-password", &new_password, "FILE", "choose this password for the next time; - as above"),
	OPTION_FLAG(0, "oidc", &oidc, "at the OpenID provider of the installation, with a browser"),
	OPTION_STRING(0, "token", &token, "FILE", "keep this token, and do not log in; - as above"),
	OPTION_STRING('r', "role", &role, "ROLE", "at most this role: read-only, user, admin, superadmin"),
	OPTION_STRING(0, "lifetime", &lifetime, "DURATION", "for how long (default: " LOGIN_LIFETIME ")"),
	OPTION_STRING(0, "ca", &ca, "FILE", "who may have signed the server's certificate (PEM); kept, too"),
	OPTION_STRING(0, "name", &name, "NAME", "the name of the context (default: the host's)"),
	OPTION_CHANGE(&change),
	OPTION_END
};

static const struct option_spec logout_options[] = {
	OPTION_CHANGE(&change),
	OPTION_END
};

static const struct command commands[] = {
	{"coopr-login", "[OPTION]... [CONTEXT|ADDRESS]", "Log in to a server, which does the commands from then on.", login_options,
		"  coopr-login https://coopr.example.net:8443\n"
		"  coopr-login work --user ann\n"
		"  coopr-login work --oidc\n"
		"  coopr-login work --token - <token\n"},
	{"coopr-logout", "[OPTION]... [CONTEXT]", "Log out of a server, where what was kept is not valid any more.", logout_options,
		"  coopr-logout work\n"},
	{0}};

/* Returns the name of the host of an address, as far as it is one for a context. */
static const char *
login_host(const char *address)
{
	const char *start = strstr(address, "://"), *host;
	char *copy;

	if (!start)
		return "local"; /* a Unix socket */
	start += 3 + (start[3] == '[');
	copy = memory_substring(start, strcspn(start, ":/]"));
	host = arena_string(&contexts.arena, copy);
	free(copy);
	return name_is_valid(host) ? host : "server";
}

/* Finds the context of the operand, or the one in use; one of an address that has none is new. */
static int
login_find(const char *operand, struct context *context, struct error *err)
{
	const struct context *found = operand ? contexts_find(&contexts, operand) : contexts_current(&contexts), *other;

	*context = found ? *found : (struct context){.server = operand};
	if (!found && !operand)
		return error_set(err, EX_USAGE, "which server? Give its address, as https://HOST:8443, or a context (coopr context list)");
	if (!found && destination_check(operand, err) < 0)
		return -1;
	if (name || !found)
		context->name = name ? name : login_host(operand);
	other = contexts_find(&contexts, context->name);
	if (other && strcmp(other->server, context->server) != 0)
		return error_set(err, EX_USAGE, "the context \"%s\" is of another server, %s; give --name", context->name, other->server);
	if (ca)
		context->ca = contexts_absolute(&contexts, ca);
	return 0;
}

/* Asks for the user, where somebody can be asked. */
static int
login_ask_user(struct error *err)
{
	static char line[256];

	if (user)
		return 0;
	if (!isatty(STDIN_FILENO))
		return error_set(err, EX_USAGE, "option --user is required, or --code or --token: nobody is there to be asked");
	fputs("user: ", stderr);
	if (!fgets(line, sizeof line, stdin))
		return error_set(err, EX_USAGE, "no user was given");
	line[strcspn(line, "\n")] = '\0';
	user = line;
	return 0;
}

/* Returns what the session is called. */
static const char *
login_title(void)
{
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	return arena_printf(&contexts.arena, "coopr login on %s", host);
}

/* Logs in with a browser, at the OpenID provider. */
static int
login_get_by_provider(const struct destination *to, struct access *access, struct error *err)
{
	struct access_ask ask = {.role = role, .lifetime = lifetime, .name = login_title()};
	struct access_begun begun = {0};
	struct loopback *loopback;
	char *given = NULL;
	int result = loopback_open(&loopback, err);

	if (result == 0)
		result = access_begin(to, loopback_address(loopback), &begun, err);
	if (result == 0) {
		message("log in with a browser at %s", begun.address);
		message("if the browser is on another machine, paste here the address that it then cannot open");
		loopback_show(begun.address);
		result = loopback_wait(loopback, begun.state, &given, err);
	}
	if (result == 0) {
		ask.provider_code = given;
		ask.verifier = begun.verifier;
		ask.nonce = begun.nonce;
		ask.redirect = loopback_address(loopback);
		result = access_get(to, &ask, access, err);
	}
	access_begun_release(&begun);
	loopback_release(loopback);
	free(given);
	return result;
}

/* Reads what is to be shown, and gets a token for it. */
static int
login_get(const struct destination *to, struct access *access, struct error *err)
{
	struct secret_value shown = {0}, chosen = {0};
	struct access_ask ask = {.role = role, .lifetime = lifetime, .name = login_title()};
	int result = code ? 0 : login_ask_user(err);

	if (result == 0)
		result = secret_input(code ? code : password ? password : "-", false, code ? "code" : "password", &shown, err);
	if (result == 0 && new_password)
		result = secret_input(new_password, false, "new password", &chosen, err);
	if (result == 0) {
		ask.user = code ? NULL : user;
		ask.password = code ? NULL : shown.text;
		ask.code = code ? shown.text : NULL;
		ask.new_password = chosen.text;
		result = access_get(to, &ask, access, err);
	}
	secret_value_release(&shown);
	secret_value_release(&chosen);
	return result;
}

/* Reads a token that was made elsewhere, and asks the server whose it is. */
static int
login_take(struct destination *to, struct access *access, struct error *err)
{
	struct secret_value shown = {0};
	int result = secret_input(token, false, "token", &shown, err);

	if (result == 0) {
		to->token = memory_string(shown.text);
		result = access_check(to, access, err);
	}
	secret_value_release(&shown);
	return result;
}

/* Keeps the token, whose context is in use from now on. What was kept before is ended; where nothing can be kept, the new one is. */
static int
login_keep(struct context *context, struct destination *to, const struct access *access, struct error *err)
{
	const char *before = context->token;
	struct error ignored; /* it ends by itself */
	int result;

	context->token = access->token;
	context->user = access->user;
	context->expires = access->expires;
	context->token_file = NULL;
	contexts_set(&contexts, context);
	contexts.current = context->name;
	result = contexts_write(&contexts, err);
	free(to->token);
	to->token = NULL;
	if (result < 0 && !token)
		to->token = memory_string(access->token);
	else if (result == 0 && before && strcmp(before, access->token) != 0)
		to->token = memory_string(before);
	if (to->token)
		access_end(to, &ignored);
	return result;
}

static int
login_begin(const char *operand)
{
	struct destination to = {0};
	struct access access = {0};
	struct context context;
	struct error err;
	int result = contexts_read(&contexts, &err);

	if (result == 0)
		result = login_find(operand, &context, &err);
	if (result == 0)
		result = destination_of(&to, &context, &err);
	if (result == 0)
		result = token ? login_take(&to, &access, &err) : oidc ? login_get_by_provider(&to, &access, &err) : login_get(&to, &access, &err);
	if (result == 0)
		result = login_keep(&context, &to, &access, &err);
	if (result < 0)
		message_error(&err);
	else if (!change.quiet)
		message("logged in to %s (%s) as %s%s%s", context.name, context.server, access.user, access.expires ? ", until " : "",
		    access.expires ? access.expires : "");
	access_release(&access);
	destination_release(&to);
	return message_end(result < 0 ? err.code : 0);
}

/* Ends what is kept in the context, here also where the server cannot be told. */
static int
login_end(const char *operand)
{
	const struct context *found;
	struct destination to = {0};
	struct context context;
	struct error err;
	int told;

	if (contexts_read(&contexts, &err) < 0)
		return message_error(&err);
	found = operand ? contexts_find(&contexts, operand) : contexts_current(&contexts);
	if (!found || !found->token) {
		message("%s: nobody is logged in there", operand ? operand : "no context is in use");
		return EX_NO;
	}
	context = *found;
	told = destination_of(&to, &context, &err);
	if (told == 0) {
		to.token = memory_string(context.token);
		told = access_end(&to, &err);
	}
	if (told < 0)
		message("%s; the token is forgotten here, and is valid there%s%s", err.text, context.expires ? " until " : "",
		    context.expires ? context.expires : "");
	context.token = context.user = context.expires = NULL;
	contexts_set(&contexts, &context);
	destination_release(&to);
	if (contexts_write(&contexts, &err) < 0)
		return message_error(&err);
	return message_end(told < 0 ? EX_UNAVAILABLE : 0);
}

/* Exits with 64 where options have no effect together. */
static void
login_check_options(void)
{
	static const char *const beside_token[] = {"code", "user", "password", "new-password", "role", "lifetime", "oidc"};
	static const char *const beside_oidc[] = {"code", "user", "password", "new-password"};

	for (size_t i = 0; i < sizeof beside_token / sizeof *beside_token; i++)
		option_excludes(&commands[0], beside_token[i], "token");
	for (size_t i = 0; i < sizeof beside_oidc / sizeof *beside_oidc; i++)
		option_excludes(&commands[0], beside_oidc[i], "oidc");
	option_excludes(&commands[0], "user", "code");
	option_excludes(&commands[0], "password", "code");
	if (name && !name_is_valid(name))
		exit(option_misuse(&commands[0], "invalid name '%s': expected 1 to 255 letters, digits, _ . -", name));
}

int
main(int argc, char **argv)
{
	const struct command *command = option_command(commands, argv[0]);

	argv += option_parse(command, argc, argv);
	if (argv[0] && argv[1])
		return option_misuse(command, "unexpected argument '%s'", argv[1]);
	if (command != &commands[0])
		return login_end(argv[0]);
	login_check_options();
	return login_begin(argv[0]);
}
