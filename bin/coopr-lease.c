/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-lease: sets for how long a cluster is to be there, counted from now; when that time is over, coopr reconcile
 * deletes it. The template says how long a cluster may be there at all, and by how much more at a time. Exits with 0; 1
 * where there is no such cluster, or that is too long; 64 on misuse.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "operation/find-cluster.h"
#include "operation/front.h"

static struct front front = {.jobs = FRONT_JOBS};
static bool beyond;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "force", &beyond, "also beyond the template's limit (for administrators)"),
	OPTION_RETIRED('f', NULL, "--force"),
	FRONT_PLACES(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-lease", "[OPTION]... CLUSTER [TIME]", "Show when a cluster expires, or change that.", options,
	"  coopr-lease shop\n"
	"  coopr-lease shop 12h\n"
	"  coopr-lease --force shop 0          for ever\n"};

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct operation_options how = front_options(&command, &front);
	struct cluster_list list = {0};
	struct account account;
	char time[CLOCK_RFC3339_SIZE];
	struct error err;
	int64_t lease_ms;
	int result;

	if (!operands[0] || (operands[1] && operands[2]))
		return option_misuse(&command, operands[0] ? "one cluster and one time at most" : "missing argument CLUSTER");
	lease_ms = operands[1] ? front_duration(&command, "TIME", operands[1]) : 0;
	result = find_cluster(&account, &list, &how.ask, operands[1] ? STORE_WRITE : STORE_READ, operands[0], &err);
	if (result == 0 && operands[1])
		result = clusters_set_lease(&account, list.list[0].id, lease_ms ? clock_wall_ms() + lease_ms : 0, beyond, &err);
	else if (result == 0)
		puts(list.list[0].expires_ms ? clock_rfc3339(list.list[0].expires_ms, time) : "never");
	cluster_list_release(&list);
	account_release(&account);
	return message_end(result < 0 ? message_error(&err) : 0);
}
