/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include "base/error.h"
#include "base/message.h"
#include "verb-change.h"

static struct store_verb_change_options changing;
static long expected = VERSION_ANY;

static const struct option_spec options[] = {
	OPTION_NUMBER('e', "expect", &expected, "VERSION", "refuse if this is not the newest version"),
	STORE_VERB_CHANGE_OPTIONS(&changing),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command command = {
	"coopr-store delete", "[OPTION]... KIND NAME...", "Delete entities; their history stays.", options,
	"  coopr-store delete -m 'nobody uses it' service memcached\n"};

int
store_verb_delete(int argc, char **argv)
{
	struct change change;
	enum entity_kind kind;
	struct store *store;
	struct error err;
	int result = 0, code;

	argv += option_parse(&command, argc, argv);
	store_verb_operands(&command, argv, 2, 1 << 20, "a kind and a name");
	kind = store_verb_kind(&command, argv[0]);
	store_verb_open(&store, STORE_WRITE, ACCOUNT_ADMIN);

	store_verb_begin(&change, store, &changing);
	for (size_t i = 1; argv[i] && result == 0; i++)
		result = change_delete(&change, kind, argv[i], expected, &err);
	code = result < 0 ? message_error(&err) : store_verb_end(&change, &changing);

	change_release(&change);
	store_release(store);
	return message_end(code);
}
