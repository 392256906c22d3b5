/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/inquiry.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cloud/client.h"
#include "cloud/fields.h"
#include "json/record.h"

struct inquiry {
	struct cloud *cloud;
	const struct stop *stop;
	struct arena arena;
	struct error first; /* code 0: all is well */
};

/* Records of this kind are those of coopr-doctor(1), whose words these are. */
static void
inquiry_print(const char *name, const char *status, const char *text, const char *remedy)
{
	jv record = jv_object();

	json_set_string(&record, "kind", "check");
	json_set_string(&record, "name", name);
	json_set_string(&record, "status", status);
	json_set_string(&record, "text", text);
	json_set(&record, "remedy", remedy ? jv_string(remedy) : jv_null());
	record_write(record, stdout);
	jv_free(record);
}

/* Lists the machines of this installation, which proves the credentials of a provider that has nothing else to try. */
static int
inquiry_try_list(struct inquiry *inquiry, const char **said, struct error *err)
{
	struct cloud_machines found = {.list = NULL};
	int result = inquiry->cloud->api->list(inquiry->cloud, NULL, inquiry->stop, &found, err);

	if (result == 0)
		*said = arena_printf(&inquiry->arena, "machines of this installation: %zu", found.count);
	cloud_machines_release(&found);
	return result;
}

/* Returns whether the field says who we are: by its schema it is a secret, or else by its name. */
static bool
inquiry_is_credential(const char *name, jv property)
{
	static const char *const names[] = {"api_user", "application_credential_id", "client_certificate", "client_key", "credentials"};
	bool is_one = json_is(property, "writeOnly", JV_KIND_TRUE);

	for (size_t i = 0; i < sizeof names / sizeof *names && !is_one; i++)
		is_one = strcmp(name, names[i]) == 0;
	return is_one;
}

/* Returns what helps where the credentials are refused, with the fields that have them; NULL where no field has any. */
static const char *
inquiry_remedy(struct inquiry *inquiry)
{
	struct members members = members_of(&inquiry->cloud->fields);
	struct buffer text = {0};
	const char *remedy = NULL;
	struct place field;
	struct error ignored;
	jv schema = jv_invalid(), properties;

	json_parse("describe", inquiry->cloud->api->schema, strlen(inquiry->cloud->api->schema), &schema, &ignored);
	properties = json_get(schema, "properties");
	while (members_next(&members, &field)) {
		jv property = json_get(properties, field.name);

		if (fields_given(inquiry->cloud, field.name) && inquiry_is_credential(field.name, property))
			buffer_printf(&text, "%s%s", text.length ? " or " : "", field.name);
		jv_free(property);
	}
	if (text.length)
		remedy = arena_printf(&inquiry->arena, "change %s of the provider (coopr store put), or the secret that is named there (coopr secret set)",
		    text.data);
	buffer_release(&text);
	jv_free(properties);
	jv_free(schema);
	return remedy;
}

/* Returns whether the cloud has refused the credentials: it may not have been asked, or not have said whether it takes them. */
static bool
inquiry_is_refused(const struct inquiry *inquiry, const struct error *err)
{
	return err->code == EX_NOPERM && (!inquiry->cloud->client || client_has_answer(inquiry->cloud->client));
}

static void
inquiry_try(struct inquiry *inquiry, enum cloud_trial trial, const char *name)
{
	static const char *const names[CLOUD_TRIALS] = {"credentials", "quota", "zone", "flavor", "image", "network"};
	const struct cloud_api *api = inquiry->cloud->api;
	struct error err = {.code = 0};
	const char *said = NULL;
	bool refused, unreached;
	int result = 1;

	if (api->try)
		result = api->try(inquiry->cloud, trial, name, inquiry->stop, &inquiry->arena, &said, &err);
	if (result > 0 && trial == CLOUD_TRY_CREDENTIALS)
		result = inquiry_try_list(inquiry, &said, &err);
	if (result > 0)
		return;
	if (result < 0 && !inquiry->first.code)
		inquiry->first = err;
	refused = result < 0 && trial == CLOUD_TRY_CREDENTIALS && inquiry_is_refused(inquiry, &err);
	unreached = result < 0 && trial == CLOUD_TRY_CREDENTIALS && !refused;
	if (result < 0)
		said = err.text;
	else if (!said)
		said = "available";
	if (name)
		said = arena_printf(&inquiry->arena, "%s: %s", name, said);
	inquiry_print(unreached ? "connection" : names[trial], result < 0 ? "fault" : "ok", said, refused ? inquiry_remedy(inquiry) : NULL);
}

/* Tries each that the member of the entity names; where it names none, without a name where nameless. */
static void
inquiry_try_all(struct inquiry *inquiry, enum cloud_trial trial, jv entity, const char *member, bool nameless)
{
	jv names = json_get(entity, member);

	for (size_t i = 0; i < json_length(names); i++) {
		jv name = json_element(names, i);

		if (json_string(name)) {
			inquiry_try(inquiry, trial, json_string(name));
			nameless = false;
		}
		jv_free(name);
	}
	if (nameless)
		inquiry_try(inquiry, trial, NULL);
	jv_free(names);
}

int
inquiry_test(struct cloud *cloud, jv entity, const struct stop *stop, struct error *err)
{
	struct inquiry inquiry = {.cloud = cloud, .stop = stop};

	inquiry_try(&inquiry, CLOUD_TRY_CREDENTIALS, NULL);
	/* Who is not let in is told so once. */
	if (inquiry.first.code == 0) {
		inquiry_try(&inquiry, CLOUD_TRY_QUOTA, NULL);
		inquiry_try_all(&inquiry, CLOUD_TRY_ZONE, entity, "zones", true);
		inquiry_try_all(&inquiry, CLOUD_TRY_FLAVOR, entity, "flavors", false);
		inquiry_try_all(&inquiry, CLOUD_TRY_IMAGE, entity, "images", false);
		inquiry_try(&inquiry, CLOUD_TRY_NETWORK, NULL);
	}
	arena_release(&inquiry.arena);
	*err = inquiry.first;
	err->code = cloud_exit_code(err->code);
	return inquiry.first.code ? -1 : 0;
}

static void
inquiry_print_flavor(const struct cloud_flavor *flavor)
{
	const struct {
		const char *name;
		double amount;
	} amounts[] = {{"cpu", flavor->cpus}, {"memory", flavor->memory_mb}, {"disk", flavor->disk_gb}};
	jv record = jv_object(), capacity = jv_object();

	for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
		if (amounts[i].amount > 0)
			json_set_number(&capacity, amounts[i].name, amounts[i].amount);
	json_set_string(&record, "kind", "flavor");
	json_set_string(&record, "flavor", flavor->name);
	json_set(&record, "capacity", capacity);
	if (flavor->per_hour >= 0)
		json_set_number(&record, "cost", flavor->per_hour);
	record_write(record, stdout);
	jv_free(record);
}

int
inquiry_flavors(struct cloud *cloud, const struct stop *stop, struct error *err)
{
	struct cloud_flavors flavors = {.list = NULL};
	int result = -1;

	if (!cloud->api->flavors)
		error_set(err, EX_UNAVAILABLE, "providers of the type %s have no way to list flavors", cloud->api->name);
	else
		result = cloud->api->flavors(cloud, stop, &flavors, err);
	for (size_t i = 0; result == 0 && i < flavors.count; i++)
		inquiry_print_flavor(&flavors.list[i]);
	cloud_flavors_release(&flavors);
	return result;
}
