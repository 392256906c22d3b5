/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-create: makes a cluster and prints what was made. It is the chain coopr-request | coopr-solve | coopr-plan | coopr-queue
 * put, then coopr-work and coopr-queue wait, each a process of its own with its file in the cluster's folder. Interrupted in
 * any way, the same command resumes it. Exits with 0 once all is made; 1 where the cluster exists already, cannot be, or a task
 * failed; 64 on misuse; 75 while another coopr works on it; 128 + signal when interrupted; else as the stage that failed.
 */
#include "account/guest.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/process.h"
#include "json/dump.h"
#include "json/json.h"
#include "operation/front.h"
#include "prepare/prepare.h"

static struct front front = {.jobs = FRONT_JOBS};
static const char *template, *machines, *catalogue, *owner, *group, *provider, *hardwaretype, *imagetype, *dns_suffix,
    *config, *lease;
static bool force;
static struct option_list services, instances, changes;

static const struct option_spec options[] = {
	OPTION_STRING('t', "template", &template, "TEMPLATE", "the cluster template"),
	OPTION_STRING('n', "machines", &machines, "N|MIN:MAX", "the number of machines (default: the template's best)"),
	OPTION_FLAG(0, "force", &force, "also with fewer machines than the template needs"),
	OPTION_STRING('C', "catalogue", &catalogue, "DIR", "take entities from here (default: $COOPR_CATALOGUE)"),
	OPTION_STRING(0, "owner", &owner, "USER", "the owner (default: you)"),
	OPTION_STRING(0, "group", &group, "GROUP", "a group whose members may act on it, too"),
	OPTION_STRING(0, "lease", &lease, "TIME", "delete it after that time, as 12h or 2d (default: the template's)"),
	OPTION_STRING('P', "provider", &provider, "PROVIDER", "the provider of its machines"),
	OPTION_LIST('s', "services", &services, "SERVICE,...", "these services instead of the template's; may be repeated"),
	OPTION_LIST(0, "instances", &instances, "SERVICE=N|MIN:MAX", "the number of instances of a service; may be repeated"),
	OPTION_STRING('H', "hardwaretype", &hardwaretype, "TYPE", "only machines of this hardware type"),
	OPTION_STRING('I', "imagetype", &imagetype, "TYPE", "only machines with this image type"),
	OPTION_STRING(0, "dns-suffix", &dns_suffix, "SUFFIX", "the domain of host names"),
	OPTION_STRING(0, "config", &config, "FILE", "this config instead of the template's"),
	OPTION_LIST(0, "set", &changes, "PATH=VALUE", "change one value of the config; may be repeated"),
	FRONT_SECRETS(&front),
	FRONT_OPTIONS(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-create", "[OPTION]... -t TEMPLATE NAME", "Create a cluster, and wait until it is up.", options,
	"  coopr-create shop -t web -n 4\n"
	"  coopr-create shop -t web -n 4 --dry-run\n"
	"  coopr-create crowd -t hadoop-distributed -n 12 -o json\n"};

/* The options that are passed on to coopr-request. */
static void
create_fill_request(struct arguments *arguments)
{
	const struct {
		const char *option, *value;
	} given[] = {{"template", template}, {"machines", machines}, {"catalogue", catalogue}, {"owner", owner},
	    {"provider", provider}, {"hardwaretype", hardwaretype}, {"imagetype", imagetype}, {"dns-suffix", dns_suffix},
	    {"config", config ? "-" : NULL}};

	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i].value)
			arguments_printf(arguments, "--%s=%s", given[i].option, given[i].value);
	if (force)
		arguments_push(arguments, "--force");
	for (size_t i = 0; i < services.count; i++)
		arguments_printf(arguments, "--services=%s", services.list[i]);
	for (size_t i = 0; i < instances.count; i++)
		arguments_printf(arguments, "--instances=%s", instances.list[i]);
	for (size_t i = 0; i < changes.count; i++)
		arguments_printf(arguments, "--set=%s", changes.list[i]);
}

/* Reads the configuration once, as coopr-request, which is run more than once, could not from a pipe. */
static int
create_read_config(struct buffer *input)
{
	struct error err;
	jv document;

	if (guest_refuse_options(&err) < 0 || json_read_document(config, &document, NULL, &err) < 0)
		return message_error(&err);
	json_dump(document, input);
	jv_free(document);
	return 0;
}

int
main(int argc, char **argv)
{
	struct arguments arguments = {0};
	struct buffer input = {0};
	struct make_parameters parameters = {.request = &arguments};
	struct operation_request request = {.action = "create", .prepare = prepare_make, .describe = prepare_describe_make,
	     .parameters = &parameters};
	char **operands = argv + option_parse(&command, argc, argv);
	int code = 0;

	request.cluster = front_cluster(&command, operands);
	if (!template)
		return option_misuse(&command, "option -t TEMPLATE is required");
	request.owner = owner;
	request.group = group;
	request.lease_ms = lease ? front_duration(&command, "--lease", lease) : -1;
	create_fill_request(&arguments);
	if (config) {
		front_read_secrets(&command, &front);
		code = create_read_config(&input);
		parameters.input = &input;
	}
	if (code == 0)
		code = front_operate(&command, &front, &request, operands);
	buffer_release(&input);
	arguments_release(&arguments);
	return code;
}
