/* SPDX-License-Identifier: Apache-2.0 */
#include "login-verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "json/json.h"
#include "login/provisioners.h"
#include "login/tokens.h"
#include "model/duration.h"
#include "model/name.h"
#include "verb.h"

#define TOKEN_LIFETIME "90d"

static const char *role, *lifetime = TOKEN_LIFETIME;
static bool everybody, everywhere;
static struct option_list tenants;
static struct option_change change;

static const struct option_spec create_options[] = {
	OPTION_STRING('r', "role", &role, "ROLE", "at most that role: read-only, user, admin, superadmin (default: your own)"),
	OPTION_FLAG(0, "all-tenants", &everywhere, "for all of your tenants, in each with your role there"),
	OPTION_STRING(0, "lifetime", &lifetime, "DURATION", "how long it is valid (default: " TOKEN_LIFETIME ")"),
	OPTION_LIST(0, "provisioner", &tenants, "TENANT", "of a provisioner of Coopr, which gets its tasks; may be repeated"),
	OPTION_CHANGE(&change),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command create_command = {
	"coopr-token create", "[OPTION]... NAME", "Make a token with which programs ask the server as you, and print it: once.",
	create_options,
	"  coopr-token create -r read-only --lifetime 30d prometheus\n"
	"  coopr-token create --provisioner default rack-3\n"};

static const struct option_spec list_options[] = {
	OPTION_FLAG(0, "all", &everybody, "also those of other users, whom you look after"),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command list_command = {
	"coopr-token list", "[OPTION]...", "List tokens and sessions.", list_options,
	"  coopr-token list\n"};

static const struct option_spec delete_options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command delete_command = {
	"coopr-token delete", "[OPTION]... TOKEN...", "Revoke tokens, and end sessions, by their numbers.", delete_options,
	"  coopr-token delete 3\n"};

/* Reads the options; exits with 64 where they are malformed. Returns when the token ends. */
static int64_t
token_verb_end(void)
{
	int64_t ms = duration_parse(lifetime);

	if (ms == DURATION_NONE || ms == 0)
		exit(option_misuse(&create_command, "invalid lifetime '%s': expected a number with a unit, as 12h or 30d", lifetime));
	if (ms == DURATION_TOO_LONG)
		exit(option_misuse(&create_command, "invalid lifetime '%s': expected less than a thousand years", lifetime));
	return clock_wall_ms() + ms;
}

/* Returns the role of a token of which none was asked for: one's own, which in another tenant may be the admin's. */
static enum account_role
token_verb_role(const struct account *account)
{
	return everywhere && *account_member(account) && account->role < ACCOUNT_ADMIN ? ACCOUNT_ADMIN : account->role;
}

static void
token_verb_print(const char *name, const char *text, int64_t ends_ms)
{
	struct output chosen = store_verb_output();
	char until[CLOCK_RFC3339_SIZE];
	jv record;

	if (!output_is_records(&chosen)) {
		puts(text);
		return;
	}
	chosen.hides = false; /* it is their own */
	record = jv_object();
	json_set_string(&record, "kind", "token");
	json_set_string(&record, "name", name);
	json_set_string(&record, "token", text);
	json_set_string(&record, "expires", clock_seconds(ends_ms, until));
	output_value(&chosen, record);
	jv_free(record);
}

int
token_verb_create(int argc, char **argv)
{
	struct account account;
	struct error err;
	char text[TOKEN_SIZE];
	enum account_role its = ACCOUNT_READER;
	struct token_ask ask = {0};
	int result, code = 0;

	argv += option_parse(&create_command, argc, argv);
	store_verb_operands(&create_command, argv, 1, 1, "a name");
	if (!name_is_label(argv[0]))
		return option_misuse(&create_command, "invalid name '%s': expected 1 to 255 bytes, without control characters", argv[0]);
	if (role && !account_role_find(role, &its))
		return option_misuse(&create_command, "invalid role '%s': expected read-only, user, admin or superadmin", role);
	if (role && tenants.count)
		return option_misuse(&create_command, "--role and --provisioner: the token of a provisioner has no role");
	option_excludes(&create_command, "all-tenants", "tenant");
	option_excludes(&create_command, "all-tenants", "provisioner");
	ask.ends_ms = token_verb_end();
	store_verb_account(&account, STORE_CREATE, ACCOUNT_USER, "making tokens");

	ask.name = argv[0];
	ask.everywhere = everywhere;
	ask.role = role ? its : token_verb_role(&account);
	result = tenants.count ? provisioners_make_token(&account, argv[0], tenants.list, tenants.count, ask.ends_ms, text, &err)
	                       : tokens_create(&account, &ask, text, &err);
	if (result < 0)
		code = message_error(&err);
	else
		token_verb_print(argv[0], text, ask.ends_ms);

	account_release(&account);
	return message_end(code);
}

#define AT(type, member) LIST_AT(type, struct token, member)

static const struct list_column columns[] = {
	{"TOKEN", "id", AT(INTEGER, id)},
	{"KIND", "of", AT(TEXT, kind)},
	{"USER", "user", AT(TEXT, user)},
	{"TENANT", "tenant", AT(TEXT, tenant)},
	{"ROLE", "role", AT(TEXT, now)},
	{"AT MOST", "limit", AT(TEXT, role), .when = LIST_WIDE},
	{"NAME", "name", AT(WORD, name)},
	{"CREATED", "created", AT(AGE, made_ms)},
	{"EXPIRES", "expires", AT(TIME, ends_ms)},
	{"ADDRESS", "address", AT(TEXT, address), .when = LIST_FILLED},
	{0}};

static const struct list tokens = {.kind = "token", .rows = "tokens", .columns = columns, .row_size = sizeof(struct token)};

int
token_verb_list(int argc, char **argv)
{
	struct token_list list = {0};
	struct account account;
	struct error err;
	struct output chosen;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 0, "no operand");
	chosen = store_verb_output();
	store_verb_account(&account, STORE_READ, ACCOUNT_READER, "");

	if (tokens_list(&account, everybody, &list, &err) < 0)
		code = message_error(&err);
	else
		list_print(&tokens, list.list, list.count, &chosen);

	token_list_release(&list);
	account_release(&account);
	return message_end(code);
}

int
token_verb_delete(int argc, char **argv)
{
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&delete_command, argc, argv);
	store_verb_operands(&delete_command, argv, 1, 1 << 20, "the number of a token");
	for (char **number = argv; *number; number++)
		if (strspn(*number, "0123456789") != strlen(*number) || strlen(*number) > 18 || !**number)
			return option_misuse(&delete_command, "invalid token '%s': expected its number", *number);
	store_verb_account(&account, STORE_WRITE, ACCOUNT_USER, "revoking tokens");

	for (; *argv; argv++)
		if (tokens_delete(&account, strtoll(*argv, NULL, 10), &err) < 0)
			code = message_error(&err);

	account_release(&account);
	return message_end(code);
}
