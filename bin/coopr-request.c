/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-request: prints the request for a cluster, made of a template of a catalogue and options; the input of
 * coopr-solve. The same arguments and catalogue give the same bytes. Exits with 0, 1 where the catalogue has no
 * template, provider, service or type of a name, 64 on misuse, 65 where a document is malformed or contradicts itself, 66 where
 * one cannot be read.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/accounts.h"
#include "account/guest.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/preference.h"
#include "base/process.h"
#include "catalogue/catalogue.h"
#include "catalogue/compose.h"
#include "catalogue/current-cluster.h"
#include "catalogue/instances.h"
#include "confine/confine.h"
#include "json/credential.h"
#include "model/name.h"
#include "model/request.h"
#include "store/entities.h"

static struct order order;
static const char *catalogue_path, *machines, *config_path, *nodes_path;
static struct option_list services, instances, changes, replaced;
static bool pretty, default_services, hides;
static struct catalogue catalogue;
static struct findings findings;
static char *path; /* of the catalogue, or of the store */

#define NAME "1 to 255 of the characters A-Z a-z 0-9 _ . -"

static const struct option_spec options[] = {
	OPTION_STRING('C', "catalogue", &catalogue_path, "DIR",
	    "take entities from here (default: $COOPR_CATALOGUE, the store)"),
	OPTION_STRING('t', "template", &order.template, "TEMPLATE", "the cluster template"),
	OPTION_STRING('n', "machines", &machines, "N|MIN:MAX",
	    "the number of machines (default: the template's best)"),
	OPTION_FLAG(0, "force", &order.insists, "also fewer machines than the template needs"),
	OPTION_STRING(0, "name", &order.name, "NAME", "name of the cluster"),
	OPTION_STRING(0, "id", &order.id, "ID", "its id (default: eight digits derived from tenant and name)"),
	OPTION_STRING(0, "tenant", &order.tenant, "TENANT", "its tenant (default: $COOPR_TENANT, or default)"),
	OPTION_STRING(0, "owner", &order.owner, "USER", "the owner (default: you)"),
	OPTION_STRING('P', "provider", &order.provider, "PROVIDER", "the provider of its machines"),
	OPTION_LIST('s', "services", &services, "SERVICE,...", "these services instead of the template's; may be repeated"),
	OPTION_LIST(0, "instances", &instances, "SERVICE=N|MIN:MAX", "the number of instances of a service; may be repeated"),
	OPTION_STRING('H', "hardwaretype", &order.hardwaretype, "TYPE", "only machines of this hardware type"),
	OPTION_STRING('I', "imagetype", &order.imagetype, "TYPE", "only machines with this image type"),
	OPTION_STRING(0, "dns-suffix", &order.dns_suffix, "SUFFIX", "the domain of host names"),
	OPTION_STRING(0, "config", &config_path, "FILE", "this config instead of the template's"),
	OPTION_LIST(0, "set", &changes, "PATH=VALUE", "change one value of the config; may be repeated"),
	OPTION_STRING(0, "nodes", &nodes_path, "FILE", "change the cluster with these nodes (a layout or plan)"),
	OPTION_FLAG(0, "default-services", &default_services, "with --nodes: the template's services, not those of the cluster"),
	OPTION_LIST(0, "replace", &replaced, "NODE", "replace this node with a new one; may be repeated"),
	OPTION_FLAG('p', "pretty", &pretty, "print the request on several lines"),
	OPTION_END
};

static const struct command command = {
	"coopr-request", "[OPTION]... -t TEMPLATE --name NAME",
	"Make the request for a cluster from a catalogue and options.", options,
	"  coopr-request -C share/coopr/catalogue -t web -n 4 --name shop | coopr-solve\n"
	"  coopr-request -t lamp -n 2:8 --name blog -s haproxy,apache,mod-php --set php.memory=64M\n"
	"  coopr-queue show 00000042-001 --layout | coopr-request -t web -n 6 --name shop --nodes -\n"};

/* Exits with EX_USAGE if a name is not valid. */
static void
request_check_name(const char *option, const char *name, bool (*is_fine)(const char *), const char *rule)
{
	if (name && !is_fine(name))
		exit(option_misuse(&command, "--%s: expected %s, found '%s'", option, rule, name));
}

/* Reads "4", "2:8", "2:" or ":8". */
static void
request_read_machines(const char *text)
{
	size_t first = strspn(text, "0123456789"), colon = text[first] == ':';
	size_t second = colon ? strspn(text + first + 1, "0123456789") : 0;
	bool is_range = first + colon + second == strlen(text) && first + second > 0 && first < 16 && second < 16;

	order.machines_min = first ? strtoll(text, NULL, 10) : 0;
	order.machines_max = colon ? strtoll(text + first + 1, NULL, 10) : order.machines_min;
	if (!is_range || (first && !order.machines_min) || (second && !order.machines_max) ||
	    (second && order.machines_min > order.machines_max))
		exit(option_misuse(&command, "--machines: expected a number from 1 on, or MIN:MAX, found '%s'", text));
}

static void
request_read_services(void)
{
	size_t capacity = 0;

	for (size_t i = 0; i < services.count; i++) {
		char *text = memory_string(services.list[i]), *name;

		while ((name = strsep(&text, ","))) {
			request_check_name("services", name, name_is_valid, NAME);
			ARRAY_ROOM(order.services.list, order.services.count, capacity);
			order.services.list[order.services.count++] = name;
		}
	}
}

static void
request_read_instances(void)
{
	struct instance_bounds *list = memory_zeroed(instances.count, sizeof *list);

	for (size_t i = 0; i < instances.count; i++) {
		char *text = memory_string(instances.list[i]), *range = strchr(text, '=');

		if (!range || !instances_read_range(range + 1, &list[i].min, &list[i].max))
			exit(option_misuse(&command, "--instances: expected SERVICE=N or SERVICE=MIN:MAX, found '%s'", text));
		*range = '\0';
		list[i].service = text;
		request_check_name("instances", text, name_is_valid, NAME);
	}
	order.instances = (struct instances){list, instances.count};
}

static void
request_read_options(char **operands)
{
	if (*operands)
		exit(option_misuse(&command, "unexpected argument '%s'", *operands));
	if (!order.template || !order.name)
		exit(option_misuse(&command, "option %s is required", order.template ? "--name NAME" : "-t TEMPLATE"));
	if (!order.owner)
		order.owner = process_user(geteuid());
	if (machines)
		request_read_machines(machines);
	request_check_name("name", order.name, name_is_valid, NAME);
	request_check_name("tenant", order.tenant, name_is_valid, NAME);
	request_check_name("id", order.id, cluster_id_is_valid, "1 to 32 of the characters A-Z a-z 0-9 _ . -");
	request_check_name("dns-suffix", order.dns_suffix, name_is_dns_suffix,
	    "names of letters, digits and -, with dots between");
	request_read_services();
	request_read_instances();
	order.changes = (struct string_list){changes.list, changes.count};
	order.replace = (struct string_list){replaced.list, replaced.count};
	if (replaced.count && !nodes_path)
		exit(option_misuse(&command, "--replace needs --nodes FILE, which the node is in"));
	if (default_services && !nodes_path)
		exit(option_misuse(&command, "--default-services: has no effect without --nodes"));
	if (config_path && nodes_path && strcmp(config_path, "-") == 0 && strcmp(nodes_path, "-") == 0)
		exit(option_misuse(&command, "only one of --config and --nodes can be standard input"));
}

/* Reports what is wrong with the catalogue's files. Returns 0, or EX_DATAERR if some are malformed and left out. */
static int
request_report_findings(void)
{
	for (size_t i = 0; i < findings.count; i++) {
		const struct finding *finding = &findings.list[i];

		message("%s/%s: %s: %s", path, finding->file, *finding->pointer ? finding->pointer : "the whole document",
		    finding->text);
	}
	return findings.count ? EX_DATAERR : 0;
}

/* Takes the entities of the tenant from the store. Returns 1, 0 if there are none, or -1. */
static int
request_load_from_store(struct error *err)
{
	const struct account_ask ask = {.tenant = order.tenant};
	struct account account;
	int result;

	path = location_store(NULL);
	if (file_is_absent(AT_FDCWD, path))
		return 0;
	result = account_open(&account, &ask, STORE_READ, err);
	if (result == 0)
		result = entities_catalogue(account.store, &catalogue, &findings, err);
	if (result == 0 && !order.tenant)
		order.tenant = memory_string(account.tenant);
	hides = result == 0 && account.role < ACCOUNT_ADMIN && guest_refuse("passwords in clear", err) < 0;
	account_release(&account);
	return result < 0 ? -1 : catalogue.count + findings.count > 0;
}

/* Returns whether nobody but root and us writes to the folder. */
static bool
request_is_ours(const char *folder)
{
	struct stat st;

	return stat(folder, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Marks what comes from a folder, the one that was installed or another, where the store has a tenant whose administrators write entities of their own. Without such a
 * store all documents are the installation's. */
static void
request_mark_folder(bool is_installed)
{
	enum origin origin = is_installed || request_is_ours(path) ? ORIGIN_INSTALLATION : ORIGIN_TENANT;
	const struct account_ask ask = {.tenant = order.tenant};
	char *store = location_store(NULL);
	struct account account = {0};
	struct error ignored; /* then nothing is marked */

	if (!file_is_absent(AT_FDCWD, store)) {
		if (account_open(&account, &ask, STORE_READ, &ignored) == 0 && entities_are_tenants(account.store, &ignored) > 0)
			entities_mark(&catalogue, origin);
		account_release(&account);
	}
	free(store);
}

/* Loads the catalogue from the folder that is named; else from the store; else from what was installed. */
static int
request_load_catalogue(struct error *err)
{
	const char *named = preference_value(PREFERENCE_CATALOGUE, catalogue_path);
	int stored = named ? 0 : request_load_from_store(err);

	if (!order.tenant)
		order.tenant = "default";
	if (stored)
		return stored < 0 ? -1 : 0;
	catalogue_release(&catalogue);
	free(path);
	path = location_catalogue(named);
	order.catalogue = realpath(path, NULL);
	if (catalogue_load(path, &catalogue, &findings, err) < 0)
		return -1;
	request_mark_folder(!named);
	return 0;
}

static int
request_read_config(struct error *err)
{
	if (json_read_document(config_path, &order.config, NULL, err) < 0)
		return -1;
	if (jv_get_kind(order.config) == JV_KIND_OBJECT)
		return 0;
	return error_set(err, EX_DATAERR, "%s: expected object, found %s", config_path, json_kind_name(order.config));
}

/* Reports what is wrong with the other files: a catalogue is checked as it is read. */
static int
request_check_request(jv request)
{
	struct problems problems = {0};
	struct request parsed;
	int code;

	request_parse(request, &parsed, &problems);
	code = problems_report(&problems, nodes_path ? nodes_path : "the request");
	request_release(&parsed);
	problems_release(&problems);
	return code;
}

static void
request_print_request(jv request)
{
	struct buffer text = {0};

	if (pretty)
		json_dump_pretty(request, &text);
	else
		json_dump(request, &text);
	if (!pretty)
		buffer_byte(&text, '\n');
	buffer_print(&text);
}

int
main(int argc, char **argv)
{
	struct error err;
	jv request;
	int code;

	argv += option_parse(&command, argc, argv);
	request_read_options(argv);

	if (guest_refuse_options(&err) < 0 || request_load_catalogue(&err) < 0 ||
	    (config_path && request_read_config(&err) < 0) ||
	    (nodes_path && current_cluster_read(nodes_path, !default_services, &order, &err) < 0))
		return message_error(&err);
	confine_filter(NULL, 0);
	code = request_report_findings();
	request = compose_request(&catalogue, &order, &err);
	if (!jv_is_valid(request)) {
		message_error(&err);
		return code ? code : err.code; /* what is missing may be in a malformed file */
	}
	code = request_check_request(request);
	if (hides)
		credential_hide(&request);
	if (code == 0)
		request_print_request(request);

	jv_free(request);
	jv_free(order.config);
	jv_free(order.nodes);
	catalogue_release(&catalogue);
	return message_end(code);
}
