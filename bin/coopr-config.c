/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-config: changes the configuration of a cluster, and configures what it is about. Without a change it prints the
 * configuration, also as the services of each node get it. Exits with 0 once all is done; 1 where it cannot be, or a task failed;
 * 64 on misuse; 75 while something else is done to it; 128 + signal when interrupted.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/message.h"
#include "operation/find-cluster.h"
#include "operation/front.h"
#include "operation/target.h"
#include "prepare/prepare.h"
#include "show/expanded.h"
#include "status/status.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *file, *max_unavailable;
static struct option_list settings;
static struct target_options chosen;
static bool no_restart, expanded;

static const struct option_spec options[] = {
	OPTION_LIST(0, "set", &settings, "PATH=VALUE", "change one value; may be repeated"),
	OPTION_STRING(0, "config", &file, "FILE", "replace the configuration with this one (-: standard input)"),
	OPTION_FLAG(0, "expanded", &expanded, "print it as services get it: for each node, its macros expanded"),
	TARGET_NODES(&chosen),
	OPTION_FLAG(0, "no-restart", &no_restart, "configure services while they run"),
	OPTION_STRING(0, "max-unavailable", &max_unavailable, "N|N%", "how many nodes of a service may be down at a time"),
	FRONT_SECRETS(&front),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-config", "[OPTION]... CLUSTER[/NODE]", "Print or change the configuration of a cluster.", options,
	"  coopr-config blog\n"
	"  coopr-config --expanded blog/1000\n"
	"  coopr-config --set php.memory_limit=64M blog\n"};

static int
config_print(const struct account_ask *ask, const char *cluster)
{
	const struct status_options places = {.store = ask->store, .tenant = ask->tenant, .user = ask->user, .spool = front.spool};
	struct output output = output_open(front.format, front.colour);
	struct cluster_status status;
	struct error err;
	jv config;
	int result = status_open(&status, &places, cluster, &err); /* an operation that has ended may have changed it */

	if (result == 0)
		result = find_cluster_config(ask, cluster, &config, &output.hides, &err);
	status_release(&status);
	if (result < 0)
		return message_error(&err);
	output_document(&output, config);
	jv_free(config);
	return 0;
}

/* Prints the configuration of nodes as their services get it. */
static int
config_print_expanded(const struct account_ask *ask, const char *operand)
{
	const struct status_options places = {.store = ask->store, .tenant = ask->tenant, .user = ask->user, .spool = front.spool,
	    .format = front.format, .colour = front.colour};
	struct output output = output_open(front.format, front.colour);
	struct cluster_status status;
	struct target target;
	struct error err;
	int result;

	target_operand_nodes(&command, operand, &chosen, &target);
	result = status_open(&status, &places, target.cluster, &err);
	if (result == 0) {
		output.hides = find_cluster_hides(&status.account, status.cluster);
		result = expanded_print(&status, &target, &output, &err);
	}
	status_release(&status);
	target_release(&target);
	return result < 0 ? message_error(&err) : 0;
}

int
main(int argc, char **argv)
{
	struct amend_parameters parameters = {.amendment.config = jv_invalid()};
	struct operation_request request = {.action = "config", .prepare = prepare_amend, .describe = prepare_describe_amend,
	     .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);
	struct operation_options how = front_options(&command, &front);
	struct error err;
	int code;

	request.cluster = front_cluster(&command, operands);
	if (!file && settings.count == 0)
		option_only_with(&command, "without a change", (const char *const[]){"expanded", "node", "tenant", "as", "spool", "store",
		    "output", "color", NULL});
	else if (expanded)
		return option_misuse(&command, "--expanded prints the configuration; it goes without --set and --config");
	if (chosen.nodes.count && !expanded)
		return option_misuse(&command, "-N chooses nodes for --expanded");
	if (expanded)
		return message_end(config_print_expanded(&how.ask, request.cluster));
	if (!file && settings.count == 0)
		return message_end(config_print(&how.ask, request.cluster));
	if (file && json_read_document(file, &parameters.amendment.config, NULL, &err) < 0)
		return message_error(&err);
	parameters.amendment.settings = (struct string_list){settings.list, settings.count};
	parameters.action = no_restart ? "configure" : NULL;
	parameters.max_unavailable = max_unavailable;
	code = front_operate(&command, &front, &request, operands);
	jv_free(parameters.amendment.config);
	return code;
}
