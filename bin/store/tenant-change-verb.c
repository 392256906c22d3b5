/* SPDX-License-Identifier: Apache-2.0
 *
 * create, change and delete: tenants and their quotas. What options say is put into the document, which is checked as any
 * document is.
 */
#include "account-verb.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/tenants.h"
#include "base/error.h"
#include "base/message.h"
#include "base/plural.h"
#include "model/entity.h"
#include "model/name.h"
#include "model/show/list.h"
#include "tenant/erase.h"
#include "volume/upkeep.h"
#include "verb.h"

static const char *why, *description, *clusters, *nodes, *cost, *archives, *uploads, *volumes, *addresses, *hooks;
static struct option_list resources;
static struct option_change change;
static bool bootstrap, erase, discards_data;

#define COMMON_OPTIONS \
	OPTION_STRING('d', "description", &description, "TEXT", "a description"), \
	OPTION_STRING('c', "clusters", &clusters, "NUMBER", "at most N clusters; \"any\": no limit"), \
	OPTION_STRING(0, "nodes", &nodes, "NUMBER", "at most N nodes in all its clusters, or \"any\""), \
	OPTION_RETIRED('n', NULL, "--nodes"), \
	OPTION_STRING(0, "cost", &cost, "AMOUNT", "all its nodes and volumes cost at most this an hour, or \"any\""), \
	OPTION_STRING(0, "archives", &archives, "BYTES", "its archives take at most this many bytes, or \"any\""), \
	OPTION_STRING(0, "uploads", &uploads, "BYTES", "its scripts and files, coopr-resource(1), take at most this, or \"any\""), \
	OPTION_STRING(0, "volumes", &volumes, "GB", "its volumes and their snapshots have at most so many GiB, or \"any\""), \
	OPTION_LIST('r', "resource", &resources, "NAME=AMOUNT", "at most this amount in all its nodes, or \"any\"; may be repeated"), \
	OPTION_STRING(0, "addresses", &addresses, "RANGE,...", "machines of its own, coopr-static(7), have addresses of these ranges, or \"none\""), \
	OPTION_STRING(0, "hooks", &hooks, "FILE", "its hooks, instead of the present ones: a JSON list, see coopr-hooks(7)"), \
	OPTION_CHANGE(&change), \
	OPTION_STRING('m', "message", &why, "TEXT", "the reason, for the history"), \
	OPTION_FLAG('b', "bootstrap", &bootstrap, "copy the entities of the tenant superadmin to it"), \
	STORE_VERB_STORE, \
	STORE_VERB_BY

static const struct option_spec options[] = {
	COMMON_OPTIONS,
	OPTION_END
};

static const struct command create_command = {
	"coopr-tenant create", "[OPTION]... NAME", "Make a tenant.", options,
	"  coopr-tenant create -c 20 --nodes 100 -r cpu=400 -d 'Quality assurance' qa\n"
	"  coopr-tenant create --bootstrap staging\n"};

static const struct command change_command = {
	"coopr-tenant change", "[OPTION]... NAME", "Change a tenant: what is not said stays.", options,
	"  coopr-tenant change --nodes 200 -m 'more load tests' qa\n"
	"  coopr-tenant change --nodes any qa\n"
	"  coopr-tenant change --addresses 10.4.0.0/16,2001:db8:4::/64 qa\n"};

static const struct option_spec delete_options[] = {
	OPTION_FLAG(0, "discard-data", &discards_data, "delete the volumes that their services have left, too"),
	OPTION_FLAG(0, "erase", &erase, "erase all that there is of them but the audit log, and print the proof"),
	OPTION_CHANGE(&change),
	OPTION_STRING('m', "message", &why, "TEXT", "the reason, for the history"),
	OUTPUT_OPTIONS(&store_verb_given.format, &store_verb_given.colour, OUTPUT_LIST),
	STORE_VERB_STORE,
	STORE_VERB_BY,
	OPTION_END
};

static const struct command delete_command = {
	"coopr-tenant delete", "[OPTION]... NAME...", "Delete tenants that have no clusters.", delete_options,
	"  coopr-tenant delete -m 'the project has ended' qa\n"
	"  coopr-tenant delete --erase -o json qa >proof.json\n"};

/* A limit into the object: a number, or none where it says "any". */
static void
tenant_change_verb_set_limit(const struct command *command, jv *object, const char *name, const char *text)
{
	char *end;
	double number;

	if (!text)
		return;
	if (strcmp(text, "any") == 0) {
		*object = jv_object_delete(*object, jv_string(name));
		return;
	}
	number = strtod(text, &end);
	if (end == text || *end || !isfinite(number) || strpbrk(text, "xX"))
		exit(option_misuse(command, "invalid limit '%s' of %s: expected a number, or any", text, name));
	json_set_number(object, name, number);
}

static void
tenant_change_verb_set_resources(const struct command *command, jv *quota)
{
	jv object = json_get_object(*quota, "resources");

	for (size_t i = 0; i < resources.count; i++) {
		const char *equals = strchr(resources.list[i], '=');
		char *name;

		if (!equals || equals == resources.list[i])
			exit(option_misuse(command, "invalid limit '%s': expected NAME=AMOUNT", resources.list[i]));
		name = memory_substring(resources.list[i], (size_t)(equals - resources.list[i]));
		tenant_change_verb_set_limit(command, &object, name, equals + 1);
		free(name);
	}
	json_set(quota, "resources", object);
}

static void
tenant_change_verb_set_quota(const struct command *command, jv *document)
{
	jv quota = json_get_object(*document, "quota");

	tenant_change_verb_set_limit(command, &quota, "clusters", clusters);
	tenant_change_verb_set_limit(command, &quota, "nodes", nodes);
	tenant_change_verb_set_limit(command, &quota, "cost", cost);
	tenant_change_verb_set_limit(command, &quota, "archives", archives);
	tenant_change_verb_set_limit(command, &quota, "uploads", uploads);
	tenant_change_verb_set_limit(command, &quota, "volumes", volumes);
	if (resources.count)
		tenant_change_verb_set_resources(command, &quota);
	json_set(document, "quota", quota);
}

/* The ranges into the document, in place of those that it has. */
static void
tenant_change_verb_set_addresses(jv *document)
{
	char *copy = addresses ? memory_string(addresses) : NULL, *rest = copy, *range;
	jv list = jv_array();

	while ((range = strsep(&rest, ",")))
		list = jv_array_append(list, jv_string(range));
	if (copy && strcmp(addresses, "none") == 0)
		*document = jv_object_delete(*document, jv_string("addresses"));
	else if (copy)
		json_set(document, "addresses", jv_copy(list));
	jv_free(list);
	free(copy);
}

/* Exits where the file cannot be read. */
static void
tenant_change_verb_set_hooks(jv *document)
{
	struct error err;
	jv list;

	if (!hooks)
		return;
	if (json_read_document(hooks, &list, NULL, &err) < 0)
		exit(message_error(&err));
	json_set(document, "hooks", list);
}

/* Exits with all that is wrong with it. */
static void
tenant_change_verb_check(const char *name, jv document)
{
	struct problems problems = {0};
	struct place place = place_root(document, &problems);
	struct arena arena = {0};
	struct tenant tenant;
	int code;

	tenant_parse(&place, &arena, &tenant);
	code = problems_report(&problems, name);
	jv_free(tenant.source);
	arena_release(&arena);
	problems_release(&problems);
	if (code)
		exit(code);
}

/* Returns the document of the tenant, or a new one; exits if there is none. */
static jv
tenant_change_verb_document_to_change(struct account *account, enum tenants_put how, const char *name)
{
	struct tenant_list list = {0};
	struct error err;
	jv document = jv_object();

	if (how == TENANTS_CHANGE) {
		jv_free(document);
		if (tenants_list(account, name, &list, &err) < 0 ||
		    json_parse(name, list.list[0].document, strlen(list.list[0].document), &document, &err) < 0)
			exit(message_error(&err));
	}
	tenant_list_release(&list);
	json_set_string(&document, "name", name);
	if (description)
		json_set_string(&document, "description", description);
	return document;
}

static int
tenant_change_verb_put(const struct command *command, enum tenants_put how, int argc, char **argv)
{
	struct account account;
	struct error err;
	size_t copied;
	jv document;
	int code = 0;

	argv += option_parse(command, argc, argv);
	store_verb_operands(command, argv, 1, 1, "a tenant");
	if (!name_is_valid(argv[0]))
		return option_misuse(command, "invalid name '%s': expected 1 to 255 letters, digits, _ . -", argv[0]);
	store_verb_account(&account, STORE_CREATE, ACCOUNT_SUPERADMIN, "tenants and their quotas");
	store_set_why(account.store, why);
	document = tenant_change_verb_document_to_change(&account, how, argv[0]);
	tenant_change_verb_set_quota(command, &document);
	tenant_change_verb_set_addresses(&document);
	tenant_change_verb_set_hooks(&document);
	tenant_change_verb_check(argv[0], document);

	if (tenants_put(&account, how, document, bootstrap, &copied, &err) < 0)
		code = message_error(&err);
	else if (bootstrap && !change.quiet)
		message("%zu %s copied from the tenant superadmin%s", copied, plural(copied, "entity", "entities"),
		    copied ? "" : "; coopr-store import -T superadmin puts some there");

	jv_free(document);
	free(resources.list);
	account_release(&account);
	return message_end(code);
}

int
tenant_verb_create(int argc, char **argv)
{
	return tenant_change_verb_put(&create_command, TENANTS_CREATE, argc, argv);
}

int
tenant_verb_change(int argc, char **argv)
{
	return tenant_change_verb_put(&change_command, TENANTS_CHANGE, argc, argv);
}

#define AT(type, member) LIST_AT(type, struct erase_line, member)

static const struct list_column erase_columns[] = {
	{"TENANT", "tenant", AT(TEXT, tenant)},
	{"PLACE", "place", AT(TEXT, place)},
	{"REMOVED", "removed", AT(INTEGER, removed)},
	{"LEFT", "left", AT(INTEGER, left)},
	{0}};

static const struct list erase_list = {.kind = "erasure", .columns = erase_columns, .row_size = sizeof(struct erase_line)};

static int
tenant_change_verb_erase(struct account *account, char *const *names)
{
	struct output output = store_verb_output();
	struct erase_proof proof = {0};
	struct error err;
	int code = 0;

	if (erase_tenants(account, names, &proof, &err) < 0)
		code = message_error(&err);
	if (!change.quiet && proof.count)
		list_print(&erase_list, proof.list, proof.count, &output);
	if (code == 0 && erase_left(&proof)) {
		message("something is left, see the places where LEFT is not 0; run the command again");
		code = EX_NO;
	}
	erase_proof_release(&proof);
	return code;
}

int
tenant_verb_delete(int argc, char **argv)
{
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&delete_command, argc, argv);
	store_verb_operands(&delete_command, argv, 1, 1 << 20, "a tenant");
	store_verb_account(&account, STORE_WRITE, ACCOUNT_SUPERADMIN, "tenants and their quotas");
	store_set_why(account.store, why);

	for (char **name = argv; *name && code == 0; name++)
		if (volume_upkeep_delete_all(&account, *name, discards_data, &err) < 0)
			code = message_error(&err);
	/* Nothing is deleted as long as there is data. */
	if (code == 0 && erase)
		code = tenant_change_verb_erase(&account, argv);
	else if (code == 0 && tenants_delete(&account, argv, &err) < 0)
		code = message_error(&err);

	account_release(&account);
	return message_end(code);
}
