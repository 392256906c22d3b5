/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-create: makes a cluster and prints what was made. It is the chain coopr-request | coopr-solve | coopr-plan | coopr-queue
 * put, then coopr-work and coopr-queue wait, each a process of its own with its file in the cluster's folder. Interrupted in
 * any way, the same command goes on. Exits with 0 once all is made; 1 where the cluster exists already, cannot be, or a task
 * failed; 64 on misuse; 75 while another coopr works on it; 128 + signal when interrupted; else as the stage that failed.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/preference.h"
#include "base/process.h"
#include "base/terminal.h"
#include "cluster/create.h"
#include "cluster/preview.h"
#include "cluster/summary.h"

static const char *template, *machines, *catalogue, *tenant, *owner, *provider, *hardwaretype, *imagetype, *dns_suffix,
    *config, *spool, *format, *colour;
static struct option_list services, changes;
static long jobs = -1; /* not given */
static bool dry_run;

static const struct option_spec options[] = {
	OPTION_STRING('t', "template", &template, "TEMPLATE", "make the cluster of this cluster template"),
	OPTION_STRING('n', "machines", &machines, "N|MIN:MAX", "with so many machines (default: as the template finds best)"),
	OPTION_STRING('C', "catalogue", &catalogue, "DIR", "take entities from here (default: $COOPR_CATALOGUE)"),
	OPTION_STRING(0, "tenant", &tenant, "TENANT", "whose it is (default: $COOPR_TENANT, or default)"),
	OPTION_STRING(0, "owner", &owner, "USER", "who it belongs to (default: you)"),
	OPTION_STRING('P', "provider", &provider, "PROVIDER", "where its machines come from"),
	OPTION_LIST('s', "services", &services, "SERVICE,...", "these services in place of the template's; may be repeated"),
	OPTION_STRING('H', "hardwaretype", &hardwaretype, "TYPE", "only machines of this hardware type"),
	OPTION_STRING('I', "imagetype", &imagetype, "TYPE", "only machines with this image type"),
	OPTION_STRING(0, "dns-suffix", &dns_suffix, "SUFFIX", "what host names end with"),
	OPTION_STRING(0, "config", &config, "FILE", "this config in place of the template's"),
	OPTION_LIST(0, "set", &changes, "PATH=VALUE", "change one value of the config; may be repeated"),
	OPTION_NUMBER('j', "jobs", &jobs, "N", "do so many tasks at one time (default: 20)"),
	OPTION_STRING(0, "spool", &spool, "DIR", "the spool (default: $COOPR_SPOOL)"),
	OPTION_FLAG(0, "dry-run", &dry_run, "show what would be made, and make nothing"),
	OPTION_STRING('o', "output", &format, "table|json", "output format (default: table on a terminal)"),
	OPTION_STRING(0, "color", &colour, "auto|always|never", "when to colour (default: auto, on a terminal)"),
	OPTION_END
};

static const struct command command = {
	"coopr-create", "[OPTION]... -t TEMPLATE NAME", "Make a cluster, and wait until it is there.", options,
	"  coopr-create shop -t web -n 4\n"
	"  coopr-create shop -t web -n 4 --dry-run\n"
	"  coopr-create crowd -t hadoop-distributed -n 12 -o json\n"};

static void
check_options(char **operands)
{
	if (!operands[0] || operands[1])
		exit(option_misuse(&command, "exactly one name is wanted"));
	if (!template)
		exit(option_misuse(&command, "-t TEMPLATE is wanted"));
	if (jobs < 0)
		jobs = preference_jobs(20);
	if (jobs < 1)
		exit(option_misuse(&command, "--jobs: expected a number from 1 on"));
	if (format && strcmp(format, "json") != 0 && strcmp(format, "table") != 0)
		exit(option_misuse(&command, "--output: expected table or json, found '%s'", format));
}

/* Who asks: the user, also behind sudo(8); NULL where that has no name. */
static const char *
user_name(void)
{
	const char *behind_sudo = geteuid() == 0 ? getenv("SUDO_USER") : NULL;
	const struct passwd *user = getpwuid(getuid());

	return behind_sudo && *behind_sudo ? behind_sudo : user ? user->pw_name : NULL;
}

/* What is coopr-request's to understand. */
static void
fill_request(struct arguments *request)
{
	const struct {
		const char *option, *value;
	} given[] = {{"template", template}, {"machines", machines}, {"catalogue", catalogue}, {"tenant", tenant},
	    {"owner", owner ? owner : user_name()}, {"provider", provider}, {"hardwaretype", hardwaretype},
	    {"imagetype", imagetype}, {"dns-suffix", dns_suffix}, {"config", config}};

	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i].value)
			arguments_printf(request, "--%s=%s", given[i].option, given[i].value);
	for (size_t i = 0; i < services.count; i++)
		arguments_printf(request, "--services=%s", services.list[i]);
	for (size_t i = 0; i < changes.count; i++)
		arguments_printf(request, "--set=%s", changes.list[i]);
}

static int
preview(const struct create *create, bool as_table)
{
	struct error err;
	int plan = create_preview(create, &err);

	if (plan < 0 || (as_table ? preview_print(plan, stdout, terminal_colour(colour, stdout), &err)
	                          : summary_copy(plan, stdout, &err)) < 0)
		return message_error(&err);
	return 0;
}

static int
make(const struct create *create, bool as_table)
{
	struct made made;
	struct error err;

	if (create_cluster(create, &made, &err) < 0 ||
	    (as_table ? summary_print(made.layout, &made.pace, stdout, terminal_colour(colour, stdout), &err)
	              : summary_copy_file(made.layout, stdout, &err)) < 0)
		return message_error(&err);
	free(made.layout);
	return 0;
}

int
main(int argc, char **argv)
{
	struct arguments request = {0};
	struct create create;
	bool as_table;
	int code;

	argv += option_parse(&command, argc, argv);
	check_options(argv);
	fill_request(&request);
	create = (struct create){argv[0], &request, {spool, jobs, message_notice}};
	as_table = format ? strcmp(format, "table") == 0 : isatty(STDOUT_FILENO);

	code = dry_run ? preview(&create, as_table) : make(&create, as_table);

	arguments_release(&request);
	return message_end(code);
}
