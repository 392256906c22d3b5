/* SPDX-License-Identifier: Apache-2.0 */
#include "login-verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/members.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "json/json.h"
#include "login/logins.h"
#include "model/name.h"
#include "operation/secret-input.h"
#include "store/secrets.h"
#include "verb.h"

static const char *role;
static bool oidc;
static struct option_change change;

static const struct command list_command = {
	"coopr-user list", "[OPTION]...", "List the users who log in to the server by a password.", store_verb_list_options,
	"  coopr-user list\n"};

static const struct option_spec add_options[] = {
	OPTION_STRING('r', "role", &role, "ROLE", "read-only, user (the default), admin; or superadmin"),
	OPTION_FLAG(0, "oidc", &oidc, "make no code: the user logs in at the OpenID provider"),
	OPTION_CHANGE(&change),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command add_command = {
	"coopr-user add", "[OPTION]... USER", "Add a user, who logs in for the first time with the code that is printed.", add_options,
	"  coopr-user add -T qa -r admin ann\n"
	"  coopr-user add -T qa --oidc bob\n"
	"  coopr-user add -r superadmin zoe\n"};

static const struct option_spec code_options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command code_command = {
	"coopr-user code", "[OPTION]... USER", "Print a code with which a user logs in once, and may choose a password.", code_options,
	"  coopr-user code ann\n"};

static const struct option_spec password_options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command password_command = {
	"coopr-user password", "[OPTION]... [USER]", "Set a password, which is read from the terminal or from standard input.",
	password_options,
	"  coopr-user password\n"
	"  coopr-user password ann <password\n"};

static const struct option_spec delete_options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command delete_command = {
	"coopr-user delete", "[OPTION]... USER...", "Remove users, and end their sessions.", delete_options,
	"  coopr-user delete ann\n"};

#define AT(type, member) LIST_AT(type, struct login, member)

static const struct list_column columns[] = {
	{"USER", "user", AT(TEXT, user)},
	{"TENANT", "tenant", AT(TEXT, tenant)},
	{"PASSWORD", "has_password", AT(FLAG, has_password)},
	{"LAST LOGIN", "seen", AT(AGE, seen_ms)},
	{"CREATED", "created", AT(AGE, made_ms)},
	{"BY", "by", AT(TEXT, by)},
	{0}};

static const struct list users = {.kind = "user", .rows = "users", .columns = columns, .row_size = sizeof(struct login)};

int
user_verb_list(int argc, char **argv)
{
	struct login_list list = {0};
	struct account account;
	struct error err;
	struct output chosen;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 0, "no operand");
	chosen = store_verb_output();
	store_verb_account(&account, STORE_READ, ACCOUNT_ADMIN, "the users who log in");

	if (logins_list(&account, &list, &err) < 0)
		code = message_error(&err);
	else
		list_print(&users, list.list, list.count, &chosen);

	login_list_release(&list);
	account_release(&account);
	return message_end(code);
}

/* Prints how a user without a code logs in. */
static void
user_verb_print_added(const char *user)
{
	struct output chosen = store_verb_output();
	jv record = jv_object();

	json_set_string(&record, "kind", "user");
	json_set_string(&record, "user", user);
	if (output_is_records(&chosen))
		output_value(&chosen, record);
	else
		printf("%s logs in at the OpenID provider\n", user);
	jv_free(record);
}

/* Prints the code, which nobody can look up afterwards. */
static void
user_verb_print_code(const char *user, const char *code)
{
	struct output chosen = store_verb_output();
	char until[CLOCK_RFC3339_SIZE];
	jv record = jv_object();

	clock_seconds(clock_wall_ms() + LOGIN_CODE_MS, until);
	if (output_is_records(&chosen)) {
		json_set_string(&record, "kind", "code");
		json_set_string(&record, "user", user);
		json_set_string(&record, "code", code);
		json_set_string(&record, "expires", until);
		output_value(&chosen, record);
	} else {
		printf("%s logs in once, until %s, with the code\n%s\nor at the page of the server, with /#login=%s\n", user, until, code, code);
	}
	jv_free(record);
}

/* Makes the user a member of the account's tenant, in that role; of one who is a member the groups stay, and so does the role unless
 * another is given. */
static int
user_verb_join(struct account *account, const char *user, enum account_role its, struct error *err)
{
	struct arena arena = {0};
	struct string_list groups = {0};
	enum account_role before = its;
	char *text = NULL;
	jv list = jv_array();
	int got = rights_in_tenant(account->store, account->tenant, user, &before, &text, err);

	if (got > 0 && json_parse("the groups", text, strlen(text), &list, err) < 0)
		got = -1;
	if (got >= 0 && (got == 0 || (role && before != its))) {
		struct place place = place_root(list, NULL);

		groups = place_read_strings(&place, &arena);
		got = members_set(account, user, its, &groups, err);
	}
	arena_release(&arena);
	jv_free(list);
	free(text);
	return got < 0 ? -1 : 0;
}

static void
user_verb_check_name(const struct command *command, const char *user)
{
	if (!name_is_valid(user))
		exit(option_misuse(command, "invalid name of a user '%s': expected 1 to 255 letters, digits, _ . -", user));
}

int
user_verb_add(int argc, char **argv)
{
	enum account_role its = ACCOUNT_USER;
	struct account account;
	struct error err;
	char text[TOKEN_SIZE];
	bool in_tenant;
	int code = 0;

	argv += option_parse(&add_command, argc, argv);
	store_verb_operands(&add_command, argv, 1, 1, "a user");
	user_verb_check_name(&add_command, argv[0]);
	if (role && !account_role_find(role, &its))
		return option_misuse(&add_command, "invalid role '%s': expected read-only, user, admin or superadmin", role);
	if (its == ACCOUNT_SUPERADMIN) {
		if (store_verb_given.tenant)
			return option_misuse(&add_command, "a superadmin is of no tenant: -T is not given with -r superadmin");
		store_verb_given.tenant = RIGHTS_SUPERADMIN;
	}
	store_verb_account(&account, STORE_CREATE, its == ACCOUNT_SUPERADMIN ? ACCOUNT_SUPERADMIN : ACCOUNT_ADMIN, "making users");
	in_tenant = its != ACCOUNT_SUPERADMIN && (account.role < ACCOUNT_SUPERADMIN || store_verb_given.tenant);

	if (logins_add(&account, argv[0], in_tenant, &err) < 0 ||
	    ((in_tenant || role) && user_verb_join(&account, argv[0], its < ACCOUNT_ADMIN ? its : ACCOUNT_ADMIN, &err) < 0) ||
	    (!oidc && logins_make_code(&account, argv[0], text, &err) < 0))
		code = message_error(&err);
	else if (oidc)
		user_verb_print_added(argv[0]);
	else
		user_verb_print_code(argv[0], text);

	account_release(&account);
	return message_end(code);
}

int
user_verb_code(int argc, char **argv)
{
	struct account account;
	struct error err;
	char text[TOKEN_SIZE];
	int code = 0;

	argv += option_parse(&code_command, argc, argv);
	store_verb_operands(&code_command, argv, 1, 1, "a user");
	store_verb_account(&account, STORE_WRITE, ACCOUNT_ADMIN, "making codes to log in");

	if (logins_make_code(&account, argv[0], text, &err) < 0)
		code = message_error(&err);
	else
		user_verb_print_code(argv[0], text);

	account_release(&account);
	return message_end(code);
}

int
user_verb_password(int argc, char **argv)
{
	struct secret_value value = {0};
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&password_command, argc, argv);
	store_verb_operands(&password_command, argv, 0, 1, "a user");
	store_verb_account(&account, STORE_WRITE, ACCOUNT_USER, "setting a password");

	if (secret_input("-", false, "password", &value, &err) < 0 ||
	    logins_set_password(&account, argv[0] ? argv[0] : account.user, value.text, &err) < 0)
		code = message_error(&err);

	secret_value_release(&value);
	account_release(&account);
	return message_end(code);
}

int
user_verb_delete(int argc, char **argv)
{
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&delete_command, argc, argv);
	store_verb_operands(&delete_command, argv, 1, 1 << 20, "a user");
	store_verb_account(&account, STORE_WRITE, ACCOUNT_ADMIN, "removing users");

	if (logins_delete(&account, argv, &err) < 0)
		code = message_error(&err);

	account_release(&account);
	return message_end(code);
}
