/* SPDX-License-Identifier: Apache-2.0 */
#include "account-verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/account-history.h"
#include "account/members.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "json/record.h"
#include "model/name.h"
#include "verb.h"

static struct option_list groups;
static const char *why, *role = "user";
static struct option_change change;

static const struct command list_command = {
	"coopr-member list", "[OPTION]...", "List the members of a tenant, their roles and groups.", store_verb_list_options,
	"  coopr-member list -T qa\n"};

static const struct option_spec set_options[] = {
	OPTION_STRING('r', "role", &role, "ROLE", "read-only, user (the default) or admin"),
	OPTION_LIST('g', "group", &groups, "GROUP", "a group of the member; may be repeated"),
	OPTION_CHANGE(&change),
	OPTION_STRING('m', "message", &why, "TEXT", "the reason, for the history"),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command set_command = {
	"coopr-member set", "[OPTION]... USER", "Make a user a member of a tenant, with that role and these groups.", set_options,
	"  coopr-member set -T qa -r admin ann\n"
	"  coopr-member set -T qa -g dev -g ops bob\n"};

static const struct option_spec delete_options[] = {
	OPTION_CHANGE(&change),
	OPTION_STRING('m', "message", &why, "TEXT", "the reason, for the history"),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command delete_command = {
	"coopr-member delete", "[OPTION]... USER...", "Remove users from the members of a tenant.", delete_options,
	"  coopr-member delete -T qa bob\n"};

static const struct option_spec history_options[] = {
	OUTPUT_OPTIONS(&store_verb_given.format, &store_verb_given.colour, OUTPUT_LIST), /* changes have no names */
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command history_command = {
	"coopr-member history", "[OPTION]...", "List the changes of a tenant and its members: when, who, why.", history_options,
	"  coopr-member history -T qa\n"};

static void
member_verb_fill_role(const void *row, struct list_cell *cell)
{
	const struct member *member = row;

	list_cell_text(cell, account_role_name(member->role));
}

/* Shows "dev, ops"; exits where the store is damaged. */
static void
member_verb_fill_groups(const void *row, struct list_cell *cell)
{
	const struct member *member = row;
	struct buffer words = {0};
	struct error err;
	jv list;

	if (json_parse("the store", member->groups, strlen(member->groups), &list, &err) < 0)
		exit(message_error(&err));
	jv_array_foreach(list, i, group) {
		buffer_printf(&words, "%s%s", i ? ", " : "", json_string(group));
		jv_free(group);
	}
	list_cell_show(cell, STYLE_PLAIN, "%s", words.length ? words.data : "-");
	list_cell_json(cell, member->groups);
	jv_free(list);
	buffer_release(&words);
}

/* The context is the account that asked. */
static void
member_verb_fill_tenant(const void *row, struct list_cell *cell)
{
	const struct account *account = cell->context;

	(void)row;
	list_cell_text(cell, account->tenant);
}

static const struct list_column member_columns[] = {
	{"USER", "user", LIST_AT(TEXT, struct member, user)},
	{"ROLE", "role", .fill = member_verb_fill_role},
	{"GROUPS", "groups", .fill = member_verb_fill_groups},
	{NULL, "tenant", .fill = member_verb_fill_tenant},
	{0}};

static const struct list members = {.kind = "member", .rows = "members", .columns = member_columns, .row_size = sizeof(struct member)};

int
member_verb_list(int argc, char **argv)
{
	struct member_list list = {0};
	struct account account;
	struct error err;
	struct output chosen;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 0, "no operand");
	chosen = store_verb_output();
	chosen.context = &account;
	store_verb_account(&account, STORE_READ, ACCOUNT_READER, "");

	if (members_list(&account, &list, &err) < 0)
		code = message_error(&err);
	else
		list_print(&members, list.list, list.count, &chosen);

	member_list_release(&list);
	account_release(&account);
	return message_end(code);
}

int
member_verb_set(int argc, char **argv)
{
	struct string_list names = {0};
	struct account account;
	struct error err;
	enum account_role its;
	int code = 0;

	argv += option_parse(&set_command, argc, argv);
	store_verb_operands(&set_command, argv, 1, 1, "a user");
	if (!account_role_find(role, &its) || its > ACCOUNT_ADMIN)
		return option_misuse(&set_command, "invalid role '%s': expected read-only, user or admin", role);
	names = (struct string_list){groups.list, groups.count};
	for (size_t i = 0; i < names.count; i++)
		if (!name_is_valid(names.list[i]))
			return option_misuse(&set_command, "invalid name of a group '%s': expected 1 to 255 letters, digits, _ . -",
			    names.list[i]);
	if (!name_is_valid(argv[0]))
		return option_misuse(&set_command, "invalid name of a user '%s': expected 1 to 255 letters, digits, _ . -", argv[0]);
	store_verb_account(&account, STORE_CREATE, ACCOUNT_ADMIN, "changing members");
	store_set_why(account.store, why);

	name_set_make(&names);
	if (members_set(&account, argv[0], its, &names, &err) < 0)
		code = message_error(&err);

	free(groups.list);
	account_release(&account);
	return message_end(code);
}

int
member_verb_delete(int argc, char **argv)
{
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&delete_command, argc, argv);
	store_verb_operands(&delete_command, argv, 1, 1 << 20, "a user");
	store_verb_account(&account, STORE_WRITE, ACCOUNT_ADMIN, "changing members");
	store_set_why(account.store, why);

	if (members_delete(&account, argv, &err) < 0)
		code = message_error(&err);

	account_release(&account);
	return message_end(code);
}

static void
member_verb_fill_document(const void *row, struct list_cell *cell)
{
	const struct account_event *event = row;

	list_cell_show(cell, STYLE_PLAIN, "%s", event->document ? event->document : "deleted");
	list_cell_json(cell, event->document ? event->document : "null");
}

#define AT(type, member) LIST_AT(type, struct account_event, member)

static const struct list_column change_columns[] = {
	{"TIME", "at", AT(TIME, at_ms)},
	{"USER", "by", AT(TEXT, by)},
	{"KIND", "of", AT(TEXT, kind)},
	{"NAME", "name", AT(TEXT, name)},
	{"VALUE", "document", .fill = member_verb_fill_document},
	{"MESSAGE", "why", AT(TEXT, why)},
	{0}};

static const struct list changes = {.kind = "change", .rows = "changes", .columns = change_columns, .row_size = sizeof(struct account_event)};

int
member_verb_history(int argc, char **argv)
{
	struct account_event_list list = {0};
	struct account account;
	struct error err;
	struct output chosen;
	int code = 0;

	argv += option_parse(&history_command, argc, argv);
	store_verb_operands(&history_command, argv, 0, 0, "no operand");
	chosen = store_verb_output();
	store_verb_account(&account, STORE_READ, ACCOUNT_ADMIN, "the history of members");

	if (account_history_list(&account, &list, &err) < 0)
		code = message_error(&err);
	else
		list_print(&changes, list.list, list.count, &chosen);

	account_event_list_release(&list);
	account_release(&account);
	return message_end(code);
}
