/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-usage: how many hours nodes have lived and what that has cost, by tenant, user, cluster, template, hardware type and
 * time; or how full the queue is. It reads the store, or the spool, and changes nothing. Exits with 0; 1 where there is no
 * such tenant; 64 on misuse; 66 where there is no store or spool.
 */
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "admin/usage-print.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "cluster/clusters.h"

static const char *start, *end, *format, *colour, *spool;
static struct account_ask asked;
static struct usage_question question;
static struct option_list by;
static bool queue;
static struct output output;

#define BY "hour|day|week|month|year|tenant|user|cluster|template|hardwaretype"

static const struct option_spec options[] = {
	OPTION_LIST('b', "by", &by, BY, "group by these (several: separated by commas, or repeated)"),
	OPTION_STRING(0, "start", &start, "TIME", "start of the time range: 2026-11-01, now-7d (default: first node)"),
	OPTION_RETIRED('s', NULL, "--start"),
	OPTION_STRING('e', "end", &end, "TIME", "end of the time range (default: now)"),
	OPTION_STRING('u', "user", &question.user, "USER", "only clusters of this owner"),
	OPTION_STRING('c', "cluster", &question.cluster, "CLUSTER", "only this cluster, by name or id"),
	OPTION_STRING('t', "template", &question.template, "TEMPLATE", "only clusters of this template"),
	OPTION_FLAG(0, "queue", &queue, "show the load of the queue instead"),
	OPTION_RETIRED('q', NULL, "--queue"),
	OPTION_FLAG('A', "all-tenants", &question.everywhere, "include all tenants (for superadmins)"),
	OPTION_STRING('T', "tenant", &asked.tenant, "TENANT", "the tenant (default: $COOPR_TENANT)"),
	OPTION_STRING(0, "as", &asked.user, "USER", "show what this user may see (for administrators)"),
	OPTION_STRING(0, "store", &asked.store, "FILE", "the store (default: $COOPR_STORE)"),
	OPTION_STRING(0, "spool", &spool, "DIR", "the spool (default: $COOPR_SPOOL)"),
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_LIST "|prometheus"),
	OPTION_END
};

static const struct command command = {
	"coopr-usage", "[OPTION]...", "Show node-hours and cost.", options,
	"  coopr-usage --by user --start now-7d\n"
	"  coopr-usage --by month,cluster --start 2026-01 -o json\n"
	"  coopr-usage --all-tenants --by tenant,template -o prometheus\n"
	"  coopr-usage --queue\n"};

static int64_t
usage_read_time(const char *option, const char *text)
{
	int64_t ms = text ? period_time(text, question.now_ms) : 0;

	if (ms < 0)
		exit(option_misuse(&command, "--%s: expected now-7d, 2026-11-21, RFC 3339 or seconds since 1970, found '%s'",
		    option, text));
	return ms;
}

static void
usage_read_group(const char *name)
{
	enum period period = period_of(name);
	enum usage_by what = usage_by_of(name);

	if (period == PERIOD_COUNT && what == USAGE_BY_COUNT)
		exit(option_misuse(&command, "--by: expected " BY ", found '%s'", name));
	if (what != USAGE_BY_COUNT)
		question.by[what] = true;
	else if (question.period != PERIOD_WHOLE && question.period != period)
		exit(option_misuse(&command, "--by: one period of time only"));
	else
		question.period = period;
}

static void
usage_read_options(char **operands)
{
	if (*operands)
		exit(option_misuse(&command, "unexpected argument '%s'", *operands));
	option_excludes(&command, "tenant", "all-tenants");
	if (queue)
		option_only_with(&command, "with --queue", (const char *const[]){"queue", "all-tenants", "tenant", "as", "store", "spool",
		    "output", "color", NULL});
	for (size_t i = 0; i < by.count; i++) {
		char *list = memory_string(by.list[i]), *rest = list, *name;

		while ((name = strsep(&rest, ",")))
			usage_read_group(name);
		free(list);
	}
	question.now_ms = clock_wall_ms();
	question.start_ms = usage_read_time("start", start);
	question.end_ms = usage_read_time("end", end);
	if (start && end && question.start_ms >= question.end_ms)
		exit(option_misuse(&command, "--start: the time is not before --end"));
	output = output_open(format, colour);
	if (output.format == OUTPUT_OTHER && (start || end || question.period != PERIOD_WHOLE))
		exit(option_misuse(&command, "-o prometheus: counters cover all time; leave out --start, --end and periods"));
}

/* Shows the queue; if is_extra, a missing spool counts as an empty one. */
static int
usage_show_queue(const struct account *account, bool is_extra)
{
	struct queue_figures figures = {0};
	struct error err;
	int code = 0;

	if (queue_figures_read(&figures, spool, question.everywhere ? NULL : account->tenant, &err) == 0)
		queue_figures_print(&figures, &output);
	else if (!is_extra || err.code != EX_NOINPUT)
		code = message_error(&err);
	queue_figures_release(&figures);
	return code;
}

/* Shows how the clusters are, for Prometheus. */
static int
usage_show_conditions(struct account *account)
{
	const struct cluster_filter filter = {.everywhere = question.everywhere};
	struct cluster_list clusters = {0};
	struct error err;
	int code = 0;

	if (clusters_list(account, &filter, &clusters, &err) < 0)
		code = message_error(&err);
	else
		usage_print_conditions(&clusters);
	cluster_list_release(&clusters);
	return code;
}

static int
usage_show_usage(struct account *account)
{
	struct usage usage = {0};
	struct error err;
	int code = 0;

	if (usage_ask(account, &question, &usage, &err) < 0)
		code = message_error(&err);
	else
		usage_print(&usage, &question, &output);
	usage_release(&usage);
	if (code == 0 && output.format == OUTPUT_OTHER)
		code = usage_show_conditions(account);
	if (code == 0 && output.format == OUTPUT_OTHER)
		code = usage_show_queue(account, true);
	return code;
}

int
main(int argc, char **argv)
{
	struct account account;
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	usage_read_options(argv);

	if (account_open(&account, &asked, STORE_READ, &err) < 0 ||
	    (question.everywhere && account_need(&account, ACCOUNT_SUPERADMIN, "usage of all tenants", &err) < 0))
		code = message_error(&err);
	else
		code = queue ? usage_show_queue(&account, false) : usage_show_usage(&account);

	account_release(&account);
	return message_end(code);
}
