/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include "base/message.h"

static struct option_change change;

static const struct option_spec options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command command = {
	"coopr-store init", "[OPTION]...", "Make the store where there is none, and bring an older one up to date.", options,
	"  coopr-store init && coopr-store import share/coopr/catalogue\n"};

int
store_verb_init(int argc, char **argv)
{
	struct store *store;

	argv += option_parse(&command, argc, argv);
	store_verb_operands(&command, argv, 0, 0, "no operand");
	store_verb_open(&store, STORE_CREATE, ACCOUNT_USER);
	store_release(store);
	return message_end(0);
}
