/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-list: lists the clusters that the user may see, each with the operation in progress on it. Exits with 0, even if there is
 * none; 1 if there is no such tenant, or no cluster that --after names; 64 on misuse; 66 if there is no store where --store says;
 * 77 if the user may not act as the one of --as.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/message.h"
#include "show/cluster-list.h"
#include "show/watch.h"
#include "status/state-line.h"

static struct status_options places;
static struct cluster_filter filter;
static bool all_tenants, watches;
static long limit;

static const struct option_spec options[] = {
	OPTION_STRING(0, "status", &filter.status, "STATUS", "only clusters with this status (or several, with commas), or all"),
	OPTION_RETIRED('s', NULL, "--status"),
	OPTION_FLAG(0, "unhealthy", &filter.unhealthy, "only clusters that are not active and healthy"),
	OPTION_STRING(0, "owner", &filter.owner, "USER", "only clusters of this owner"),
	OPTION_STRING('t', "template", &filter.template, "NAME", "only clusters of this template"),
	OPTION_STRING(0, "search", &filter.search, "TEXT", "only clusters whose name contains this text"),
	OPTION_FLAG('A', "all-tenants", &all_tenants, "include all tenants (for superadmins)"),
	OPTION_NUMBER('l', "limit", &limit, "N", "list at most N"),
	OPTION_STRING(0, "after", &filter.after, "CLUSTER", "only clusters that follow this name or id"),
	OPTION_FLAG('w', "watch", &watches, "list again whenever something changes"),
	STATUS_PLACES(&places),
	STATUS_FORMATS(&places, OUTPUT_NAMES),
	OPTION_END
};

static const struct command command = {
	"coopr-list", "[OPTION]...", "List clusters.", options,
	"  coopr-list\n"
	"  coopr-list --unhealthy\n"
	"  coopr-list -t web -o name\n"};

static int
list_once(void *context, struct output *output, struct error *err)
{
	char *last;
	int more = cluster_list_print(&places, &filter, output, &last, err);

	(void)context;
	if (more > 0 && !output_is_records(output) && output->format != OUTPUT_NAME)
		message("there are more: --after %s lists the next ones", last);
	free(last);
	return more < 0 ? -1 : 0;
}

int
main(int argc, char **argv)
{
	struct output output;
	const struct watch watch = {.options = &places, .output = &output, .print = list_once};
	struct error err;
	int result;

	argv += option_parse(&command, argc, argv);
	if (*argv)
		return option_misuse(&command, "unexpected argument '%s'; to find clusters, use --search", *argv);
	option_excludes(&command, "tenant", "all-tenants");
	output = output_open(places.format, places.colour);
	filter.everywhere = all_tenants;
	filter.limit = limit;
	if (all_tenants) {
		output.when = STATE_LINE_TENANT;
		output.context = &filter;
	}

	result = watches ? watch_print(&watch, &err) : list_once(NULL, &output, &err);
	return message_end(result < 0 ? message_error(&err) : 0);
}
