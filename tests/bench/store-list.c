/* SPDX-License-Identifier: Apache-2.0
 *
 * store-list [-l LIMIT] [-a AFTER] [-u USER]: what a list of clusters costs below any command: opens the store that
 * $COOPR_STORE says, lists, and prints how many there were and the last name.
 */
#include <stdio.h>

#include "account/accounts.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "cluster/clusters.h"

static long limit;
static const char *after, *user;
static const struct option_spec options[] = {
	OPTION_NUMBER('l', "limit", &limit, "NUMBER", "at most so many"),
	OPTION_STRING('a', "after", &after, "NAME", "those behind this name or id"),
	OPTION_STRING('u', "user", &user, "USER", "as that user sees them"),
	OPTION_END
};
static const struct command command = {"store-list", "[OPTION]...", "List clusters, and say how many.", options, "  store-list\n"};

int
main(int argc, char **argv)
{
	struct cluster_filter filter = {0};
	struct cluster_list list = {0};
	struct account account;
	struct error err;

	message_program("store-list");
	option_parse(&command, argc, argv);
	filter.limit = limit;
	filter.after = after;
	if (account_open(&account, &(struct account_ask){.user = user}, STORE_CREATE, &err) < 0 ||
	    clusters_list(&account, &filter, &list, &err) < 0)
		return message_error(&err);
	printf("%zu %s\n", list.count, list.count ? list.list[list.count - 1].name : "");
	cluster_list_release(&list);
	account_release(&account);
	return message_end(0);
}
