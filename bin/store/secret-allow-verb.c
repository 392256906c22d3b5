/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "account/secret-readers.h"
#include "base/error.h"
#include "base/message.h"
#include "model/name.h"
#include "secret-verb.h"
#include "verb.h"

static struct option_list users, groups;
static struct option_change change;

static const struct option_spec allow_options[] = {
	OPTION_LIST('u', "user", &users, "USER", "who may refer to it; may be repeated"),
	OPTION_LIST('g', "group", &groups, "GROUP", "whose members may refer to it; may be repeated"),
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command allow_command = {
	"coopr-secret allow", "[OPTION]... NAME...",
	"Let users and groups, and nobody else but administrators, refer to secrets.", allow_options,
	"  coopr-secret allow -u bob -g dev shop-database\n"
	"  coopr-secret allow shop-database                 nobody else\n"};

/* Returns NULL if all are names of that sort, else the first that is none. */
static const char *
secret_allow_wrong(const struct option_list *names, bool (*is_valid)(const char *text))
{
	for (size_t i = 0; i < names->count; i++)
		if (!is_valid(names->list[i]))
			return names->list[i];
	return NULL;
}

static int
secret_allow_all(struct account *account, char *const *names, struct error *err)
{
	const struct string_list of_users = {users.list, users.count}, of_groups = {groups.list, groups.count};
	int result = store_begin(account->store, err);

	if (result < 0)
		return -1;
	for (; *names && result == 0; names++)
		result = secret_readers_set(account, *names, &of_users, &of_groups, err);
	return store_finish(account->store, result, err);
}

int
secret_verb_allow(int argc, char **argv)
{
	struct account account;
	struct error err;
	const char *wrong;
	int code = 0;

	argv += option_parse(&allow_command, argc, argv);
	store_verb_operands(&allow_command, argv, 1, 1 << 20, "a name");
	if ((wrong = secret_allow_wrong(&users, name_is_user)))
		return option_misuse(&allow_command, "invalid name of a user '%s'", wrong);
	if ((wrong = secret_allow_wrong(&groups, name_is_valid)))
		return option_misuse(&allow_command, "invalid name of a group '%s': expected 1 to 255 letters, digits, _ . -", wrong);
	store_verb_account(&account, STORE_WRITE, ACCOUNT_ADMIN, "the readers of secrets");

	if (secret_allow_all(&account, argv, &err) < 0)
		code = message_error(&err);

	free(users.list);
	free(groups.list);
	account_release(&account);
	return message_end(code);
}
