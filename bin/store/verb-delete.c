/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include "base/error.h"
#include "base/message.h"
#include "verb-change.h"

static struct store_verb_where where;
static struct store_verb_manner manner;
static long expected = VERSION_ANY;

static const struct option_spec options[] = {
	OPTION_NUMBER('e', "expect", &expected, "VERSION", "only if this is its newest version"),
	STORE_VERB_MANNER(&manner),
	STORE_VERB_WHERE(&where),
	OPTION_END
};

static const struct command command = {
	"coopr-store delete", "[OPTION]... KIND NAME...", "Delete entities; their history stays.", options,
	"  coopr-store delete -m 'nobody uses it' service memcached\n"};

static int
delete_verb_delete_all(struct change *change, enum entity_kind kind, char *const *names, struct error *err)
{
	for (; *names; names++)
		if (change_delete(change, kind, *names, expected, err) < 0)
			return -1;
	return 0;
}

int
store_verb_delete(int argc, char **argv)
{
	struct change change;
	enum entity_kind kind;
	struct store *store;
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	store_verb_operands(&command, argv, 2, 1 << 20, "a kind and a name");
	kind = store_verb_kind(&command, argv[0]);
	store_verb_open(&store, &where, STORE_WRITE, ACCOUNT_ADMIN);

	store_verb_begin(&change, store, &manner);
	if (delete_verb_delete_all(&change, kind, argv + 1, &err) < 0)
		code = message_error(&err);
	else
		code = store_verb_end(&change, &manner);

	change_release(&change);
	store_release(store);
	return message_end(code);
}
