/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/suggest.h"
#include "preview/consent.h"

struct store_verb_given store_verb_given;

const struct option_spec store_verb_options[] = {
	STORE_VERB_WHERE,
	OPTION_END
};

const struct option_spec store_verb_list_options[] = {
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

void
store_verb_account(struct account *account, enum store_mode mode, enum account_role role, const char *what)
{
	const struct account_ask ask = {.store = store_verb_given.store, .tenant = store_verb_given.tenant,
		.user = store_verb_given.by};
	struct error err;
	int result = account_open(account, &ask, mode, &err);

	if (result == 0)
		result = account_need(account, role, what, &err);
	store_verb_given.hides = account->role < ACCOUNT_ADMIN;
	if (result == 0)
		return;
	account_release(account);
	exit(message_error(&err));
}

void
store_verb_open(struct store **store, enum store_mode mode, enum account_role role)
{
	struct account account;

	store_verb_account(&account, mode, role, role == ACCOUNT_SUPERADMIN ? "the store as a whole" :
	    "changing entities and secrets");
	*store = account.store;
	account.store = NULL;
	account_release(&account);
}

enum entity_kind
store_verb_kind(const struct command *command, const char *operand)
{
	const char *names[ENTITY_KIND_COUNT + 1] = {NULL}, *near;
	enum entity_kind kind = entity_kind_of(operand);

	if (kind != ENTITY_NONE)
		return kind;
	for (int i = 0; i < ENTITY_KIND_COUNT; i++)
		names[i] = entity_kind_name((enum entity_kind)i);
	near = suggest_word(operand, names);
	exit(near ? option_misuse(command, "unknown kind '%s'; did you mean '%s'?", operand, near)
	          : option_misuse(command, "unknown kind '%s': expected provider, hardwaretype, imagetype, service, clustertemplate or "
	            "partialtemplate", operand));
}

size_t
store_verb_operands(const struct command *command, char *const *operands, size_t min, size_t max, const char *wanted)
{
	size_t count = 0;

	while (operands[count])
		count++;
	if (count < min)
		exit(option_misuse(command, "expected %s", wanted));
	if (count > max)
		exit(option_misuse(command, "expected %s, found also '%s'", wanted, operands[max]));
	return count;
}

static void
verb_fill_kind(const void *row, struct list_cell *cell)
{
	const struct revision *revision = row;

	list_cell_text(cell, entity_kind_name(revision->kind));
}

static void
verb_fill_version(const void *row, struct list_cell *cell)
{
	const struct revision *revision = row;

	if (!revision->text)
		list_cell_show(cell, STYLE_PLAIN, "%lld (deleted)", (long long)revision->version);
}

static void
verb_fill_deleted(const void *row, struct list_cell *cell)
{
	const struct revision *revision = row;

	list_cell_json(cell, revision->text ? "false" : "true");
}

static void
verb_append_name(const void *row, const void *context, struct buffer *out)
{
	const struct revision *revision = row;

	(void)context;
	buffer_printf(out, "%s/%s", entity_kind_folder(revision->kind), revision->name);
}

static enum terminal_style
verb_style(const void *row)
{
	const struct revision *revision = row;

	return revision->text ? STYLE_PLAIN : STYLE_DIM;
}

#define AT(type, member) LIST_AT(type, struct revision, member)

static const struct list_column columns[] = {
	{"KIND", "entity", .fill = verb_fill_kind},
	{"NAME", "name", AT(TEXT, name)},
	{"VERSION", "version", AT(INTEGER, version), .fill = verb_fill_version},
	{"TIME", "at", AT(TEXT, at)},
	{"USER", "by", AT(TEXT, by)},
	{"MESSAGE", "why", AT(TEXT, why)},
	{NULL, "deleted", .fill = verb_fill_deleted},
	{NULL, "note", AT(TEXT, note), .when = LIST_FILLED},
	{0}};

static const struct list revisions = {.kind = "revision", .rows = "entities", .columns = columns, .row_size = sizeof(struct revision),
    .name = verb_append_name, .style = verb_style};

struct output
store_verb_output(void)
{
	struct output output = output_open(store_verb_given.format, store_verb_given.colour);

	output.hides = store_verb_given.hides;
	return output;
}

void
store_verb_print(const struct revisions *list)
{
	struct output chosen = store_verb_output();

	list_print(&revisions, list->list, list->count, &chosen);
}

int
store_verb_consent(char *const *names, bool yes, struct error *err)
{
	struct consent consent = {.name = names[0], .refused = "not deleted"};
	char *question;
	int result;

	if (yes)
		return 0;
	question = memory_printf("Delete %s%s for good?", names[0], names[1] ? " and the others" : "");
	consent.question = question;
	result = consent_ask(&consent, err);
	free(question);
	return result;
}
