/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/admission.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "account/quota.h"
#include "account/secret-readers.h"
#include "base/error.h"
#include "base/memory.h"
#include "cluster/volumes.h"
#include "exec/plugin-find.h"
#include "inspect/host-fields.h"
#include "inspect/own-addresses.h"
#include "json/credential.h"
#include "json/record.h"
#include "login/provisioners.h"
#include "model/action.h"
#include "model/layout.h"
#include "model/take/config.h"
#include "operation/context.h"
#include "store/entities.h"
#include "store/secrets.h"
#include "store/tenant-document.h"

struct admission {
	jv request; /* of the operation, or else of the cluster; invalid where there is none */
	jv cluster; /* the plan's cluster record */
	jv present; /* the cluster record before; invalid where there is none */
};

/* Returns whether the action takes down what there is, and so is never refused. */
static bool
admission_takes_down(const char *action)
{
	return strcmp(action, "delete") == 0 || strcmp(action, "stop") == 0;
}

/* Reads the cluster record from the file of the plan, which begins with the job's. */
static int
admission_read_cluster(const struct operation_context *context, jv *cluster, struct error *err)
{
	char *path = workdir_path(&context->job_dir, "plan.ndjson");
	struct record_reader reader;
	int got = record_reader_open(&reader, path, err);
	bool found = false;

	while (got >= 0 && !found && (got = record_read(&reader, cluster, err)) > 0) {
		const char *kind = record_kind(*cluster);

		found = kind && strcmp(kind, "cluster") == 0;
		if (!found)
			jv_free(*cluster);
	}
	record_reader_release(&reader);
	if (got >= 0 && !found)
		*cluster = jv_invalid();
	free(path);
	return got < 0 ? -1 : 0;
}

static int
admission_read(const struct operation_context *context, struct admission *admission, struct error *err)
{
	const char *layout = context->documents.layout, *request = context->documents.request;
	char *path = workdir_path(&context->job_dir, "request.json");
	int result = 0;

	*admission = (struct admission){jv_invalid(), jv_invalid(), jv_invalid()};
	if (workdir_has(&context->job_dir, "request.json"))
		result = json_read_file(path, &admission->request, err);
	else if (request)
		result = json_parse("the request", request, strlen(request), &admission->request, err);
	if (result == 0 && layout && *layout)
		result = json_parse("the layout", layout, strcspn(layout, "\n"), &admission->present, err);
	if (result == 0)
		result = admission_read_cluster(context, &admission->cluster, err);
	free(path);
	return result;
}

static void
admission_release(struct admission *admission)
{
	jv_free(admission->request);
	jv_free(admission->cluster);
	jv_free(admission->present);
}

/* Adds a problem for each thing of the host in the documents of tenants that the plan is made of. */
static void
admission_check_host(const struct admission *admission, enum origin otherwise, struct problems *problems)
{
	struct place cluster = place_root(admission->cluster, problems), provider = place_member(&cluster, "provider");
	struct place services = place_member(&cluster, "definitions"), request = place_root(admission->request, problems);
	struct place imagetypes = place_member(&request, "imagetypes");
	struct fields_check check = {.catalogue = NULL};

	host_fields_check_marked(&check, ENTITY_PROVIDER, &provider, otherwise);
	for (size_t i = 0; i < json_length(services.value); i++) {
		struct place service = place_element(&services, i);

		host_fields_check_marked(&check, ENTITY_SERVICE, &service, otherwise);
	}
	for (size_t i = 0; i < json_length(imagetypes.value); i++) {
		struct place imagetype = place_element(&imagetypes, i);

		host_fields_check_marked(&check, ENTITY_IMAGETYPE, &imagetype, otherwise);
	}
	fields_check_release(&check);
}

/* Adds a problem for each address that the provider of a tenant lists and the installation has not given the tenant, or not any more. */
static int
admission_check_addresses(const struct operation_context *context, const struct admission *admission, enum origin otherwise,
    struct problems *problems, struct error *err)
{
	struct place cluster = place_root(admission->cluster, problems), provider = place_member(&cluster, "provider");
	struct fields_check check = {.catalogue = NULL};
	struct string_list ranges;
	struct arena arena = {0};
	int result = 0;

	if (origin_of(provider.value, otherwise) == ORIGIN_TENANT) {
		result = tenant_addresses(context->account.store, &arena, &ranges, err);
		if (result == 0)
			own_addresses_check(&check, &provider, &ranges);
	}
	fields_check_release(&check);
	arena_release(&arena);
	return result;
}

/* Returns the element, invalid where there is none. */
static jv
admission_element(jv list, size_t index)
{
	return jv_get_kind(list) == JV_KIND_ARRAY && index < json_length(list) ? json_element(list, index) : jv_invalid();
}

/* Adds a problem for each reference to a secret in the config that the account may not send there: it stands in neither of the other two at
 * the same place, in what an administrator has written or in what the cluster has already, and is neither the cluster's own, nor the
 * operation's, nor one that the account may refer to. Returns 0 or -1. */
static int
admission_check_secrets(struct account *account, const struct place *value, jv written, jv present, struct error *err)
{
	bool is_generated;
	char *name = credential_reference(value->value, &is_generated);
	struct members members;
	struct place member;
	int may = 1;

	if (name) {
		if (!secrets_is_own_reference(name) && !jv_equal(jv_copy(value->value), jv_copy(written)) &&
		    !jv_equal(jv_copy(value->value), jv_copy(present)))
			may = secret_readers_have(account, name, err);
		if (may == 0)
			place_problem(value, "the secret \"%.80s\" is not yours to send; an administrator of the tenant can, or can put it into "
			    "the template", name);
		free(name);
		return may < 0 ? -1 : 0;
	}
	for (size_t i = 0; jv_get_kind(value->value) == JV_KIND_ARRAY && i < json_length(value->value) && may >= 0; i++) {
		jv a = admission_element(written, i), b = admission_element(present, i);

		member = place_element(value, i);
		may = admission_check_secrets(account, &member, a, b, err);
		jv_free(a);
		jv_free(b);
	}
	if (jv_get_kind(value->value) != JV_KIND_OBJECT)
		return may < 0 ? -1 : 0;
	members = members_of(value);
	while (members_next(&members, &member)) {
		jv a = json_get(written, member.name), b = json_get(present, member.name);

		if (may >= 0)
			may = admission_check_secrets(account, &member, a, b, err);
		jv_free(a);
		jv_free(b);
	}
	return may < 0 ? -1 : 0;
}

/* Does that for the config of the plan's cluster. */
static int
admission_check_config(struct account *account, const struct admission *admission, struct problems *problems, struct error *err)
{
	struct place cluster = place_root(admission->cluster, problems), config = place_member(&cluster, "config");
	jv template = json_get(admission->request, "template"), written = config_of_template(template);
	jv present = json_get(admission->present, "config");
	int result = admission_check_secrets(account, &config, written, present, err);

	jv_free(template);
	jv_free(written);
	jv_free(present);
	return result;
}

/* Returns whether a plugin is installed here. */
static bool
admission_has_plugin(const char *kind, const char *name)
{
	struct error ignored; /* then it is not */
	char *path = plugin_find(kind, name, &ignored);
	bool has = path;

	free(path);
	return has;
}

/* Adds a problem for each action of a service that nobody would do: workers of provisioners of Coopr know no such action, and the automator is
 * not here. */
static void
admission_check_actions(const struct place *service)
{
	struct place provisioner = place_member(service, "provisioner"), actions = place_member(&provisioner, "actions"), action;
	struct members members = members_of(&actions);

	while (members_next(&members, &action)) {
		enum action its = action_of_name(action.name);
		char *type = json_get_string(action.value, "type");

		if (its != ACTION_NONE && !(ACTIONS_OF_PROVISIONERS & ACTION_BIT(its)) && type && !admission_has_plugin("automator", type))
			place_problem(&action, "no provisioner of Coopr does this action, and the automator %.80s is not installed here; remove "
			    "the action from the service, or install the automator", type);
		free(type);
	}
}

/* Does that for all services of a cluster whose provider only provisioners of Coopr have. */
static int
admission_check_provisioned(const struct operation_context *context, const struct admission *admission, struct problems *problems,
    struct error *err)
{
	struct place cluster = place_root(admission->cluster, problems), provider = place_member(&cluster, "provider"),
	             services = place_member(&cluster, "definitions");
	char *type = json_get_string(provider.value, "providertype"), *description = NULL;
	int found = type ? provisioners_description(context->account.store, "providertypes", type, &description, err) : 0;

	if (found > 0 && !admission_has_plugin("provider", type))
		for (size_t i = 0; i < json_length(services.value); i++) {
			struct place service = place_element(&services, i);

			admission_check_actions(&service);
		}
	free(description);
	free(type);
	return found < 0 ? -1 : 0;
}

/* Returns the GiB of the volumes that the services of a node ask for. */
static int64_t
admission_volumes_of(const struct cluster *cluster, const struct string_list *services)
{
	int64_t sum = 0;

	for (size_t i = 0; i < services->count; i++) {
		const struct service *service = cluster_definition(cluster, services->list[i]);

		for (size_t j = 0; service && j < service->volume_count; j++)
			sum += service->volumes[j].size_gb;
	}
	return sum;
}

/* Takes off the GiB of the volumes that the cluster has: they are counted already, and go to its nodes before others are made. */
static int
admission_take_off_volumes(struct operation_context *context, int64_t *sum, struct error *err)
{
	struct volume_list list = {0};
	char id[CLUSTER_ID_SIZE];
	int result = context->cluster ? volumes_list(&context->account, cluster_id_text(context->cluster->id, id), false, &list, err) : 0;

	for (size_t i = 0; i < list.count; i++)
		*sum -= list.list[i].is_snapshot ? 0 : list.list[i].size_gb;
	volume_list_release(&list);
	return result;
}

/* Fails where the tenant's quota forbids the volumes that the plan makes. */
static int
admission_check_volumes(struct operation_context *context, const struct admission *admission, struct error *err)
{
	jv services = json_get(admission->cluster, "definitions"), provider;
	bool any = services_ask_for_volumes(services);
	struct problems ignored = {0};
	struct record_reader reader;
	struct layout layout;
	int64_t more = 0;
	char *path;
	int result;

	jv_free(services);
	if (!any)
		return 0;
	path = workdir_path(&context->job_dir, "plan.ndjson");
	result = record_reader_open(&reader, path, err);
	if (result == 0) {
		result = layout_read(&reader, &layout, &ignored, err);
		for (size_t i = 0; i < layout.node_count && result == 0; i++)
			more += admission_volumes_of(&layout.cluster, &layout.nodes[i].services);
		layout_release(&layout);
	}
	record_reader_release(&reader);
	problems_release(&ignored);
	free(path);
	if (result == 0)
		result = admission_take_off_volumes(context, &more, err);
	if (result < 0 || more <= 0)
		return result;
	if (quota_check_volumes(context->account.store, store_tenant(context->account.store), more, 0, err) < 0)
		return error_prefix(err, "%s", context->workdir.name);
	/* What it costs is checked together with the machines, as the operation begins. */
	provider = json_get(admission->cluster, "provider");
	context->volume_cost = json_get_number(provider, "volume_cost", 0) * (double)more;
	jv_free(provider);
	return 0;
}

/* Reports the first of the problems. */
static int
admission_refuse(const struct operation_context *context, const struct problems *problems, const char *remedy, struct error *err)
{
	if (problems->total == 0)
		return 0;
	return error_set(err, EX_NOPERM, "%s: %s: %s%s", context->workdir.name, problems->list[0].pointer, problems->list[0].text, remedy);
}

int
admission_check(struct operation_context *context, const char *action, struct error *err)
{
	struct problems host = {0}, addresses = {0}, secrets = {0}, actions = {0};
	struct admission admission;
	int result = 0, tenants;
	enum origin otherwise;

	if (admission_takes_down(action))
		return 0;
	tenants = entities_are_tenants(context->account.store, err);
	if (tenants < 0)
		return -1;
	otherwise = tenants ? ORIGIN_TENANT : ORIGIN_INSTALLATION;
	result = admission_read(context, &admission, err);
	if (result == 0) {
		admission_check_host(&admission, otherwise, &host);
		result = admission_check_addresses(context, &admission, otherwise, &addresses, err);
		if (result == 0 && context->account.role < ACCOUNT_ADMIN)
			result = admission_check_config(&context->account, &admission, &secrets, err);
	}
	if (result == 0) {
		result = admission_refuse(context, &host, context->cluster ? "; then take over the definitions with coopr upgrade" : "", err);
	}
	if (result == 0)
		result = admission_refuse(context, &addresses, "", err);
	if (result == 0)
		result = admission_refuse(context, &secrets, "", err);
	if (result == 0)
		result = admission_check_provisioned(context, &admission, &actions, err);
	if (result == 0)
		result = problems_error(&actions, context->workdir.name, EX_UNAVAILABLE, err);
	if (result == 0)
		result = admission_check_volumes(context, &admission, err);
	admission_release(&admission);
	problems_release(&host);
	problems_release(&addresses);
	problems_release(&secrets);
	problems_release(&actions);
	return result;
}
