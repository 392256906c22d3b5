/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/secrets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "cluster/clusters.h"
#include "exec/redaction.h"
#include "json/credential.h"
#include "json/place.h"
#include "model/action.h"
#include "store/key.h"
#include "store/secrets.h"
#include "store/store.h"

struct filling {
	jv record; /* borrowed */
	bool open; /* store and key are */
	struct store *store;
	char *tenant, *id;
	int64_t cluster; /* whose secrets come first; 0: none */
	int64_t operation; /* its number, from the job's id; 0: none */
	struct store_key key;
	bool withholds; /* what is looked at is not for this task: a secret has to be there, and stays a name */
	struct redaction *values;
	struct buffer pointer; /* to the value that is looked at */
	jv places;             /* owned: pointers to those that were filled in */
	struct error *err;
};

static void
secrets_close(struct filling *filling)
{
	store_key_release(&filling->key);
	store_release(filling->store);
	free(filling->tenant);
	free(filling->id);
}

/* Returns the number of the operation whose job the record names: 7 of "00000042-007". */
static int64_t
secrets_operation_of(const struct filling *filling)
{
	char *job = json_get_string(filling->record, "job");
	size_t length = filling->id ? strlen(filling->id) : 0;
	int64_t number = 0;

	if (job && length && strncmp(job, filling->id, length) == 0 && job[length] == '-' && strspn(job + length + 1, "0123456789") < 18)
		number = strtoll(job + length + 1, NULL, 10);
	free(job);
	return number;
}

/* Opens the store of the tenant, at the first secret. For one that is generated, store and key are made if there are none. */
static int
secrets_open_store(struct filling *filling, bool makes)
{
	jv cluster = json_get(filling->record, "cluster");
	struct error ignored; /* then it is made */
	int result;

	filling->tenant = json_get_string(cluster, "tenant");
	filling->id = json_get_string(cluster, "id");
	if (!filling->tenant)
		filling->tenant = memory_string("default");
	filling->cluster = filling->id ? cluster_id_of(filling->id) : 0;
	filling->operation = secrets_operation_of(filling);
	result = store_open(&filling->store, NULL, STORE_READ, filling->tenant, makes ? &ignored : filling->err);
	if (result < 0 && makes)
		result = store_open(&filling->store, NULL, STORE_CREATE, filling->tenant, filling->err);
	if (result == 0)
		result = makes ? secrets_key(filling->store, &filling->key, filling->err)
		               : store_key_read(filling->store, &filling->key, filling->err);
	filling->open = result == 0;
	if (result < 0)
		secrets_close(filling);
	jv_free(cluster);
	return result;
}

void
secrets_dump_no_core(void)
{
	setrlimit(RLIMIT_CORE, &(const struct rlimit){0, 0});
}

static int
secrets_value_of(struct filling *filling, const char *name, bool is_generated, jv *value)
{
	struct secret_value secret;
	int result;

	if (!filling->open && secrets_open_store(filling, is_generated) < 0)
		return -1;
	secrets_dump_no_core();
	result = secrets_open_reference(filling->store, &filling->key, filling->cluster, filling->operation, name, &secret, filling->err);
	if (result < 0 && is_generated && filling->err->code == EX_NO) {
		secrets_generate(&filling->key, filling->tenant, filling->id ? filling->id : "", name, &secret);
		result = secret.text ? 0 : error_errno(filling->err, EX_OSERR, "a secret: no locked memory for it (see ulimit -l)");
	}
	if (result < 0)
		return -1;
	if (filling->withholds) {
		secret_value_release(&secret);
		return 0;
	}
	jv_free(*value);
	*value = secret.text ? jv_string(secret.text) : jv_null();
	if (secret.text) {
		redaction_add(filling->values, name, secret.text);
		filling->places = jv_array_append(filling->places, jv_string(filling->pointer.data));
	}
	secret_value_release(&secret);
	return 0;
}

static int secrets_fill_value(struct filling *filling, jv *value);

/* Does that for a member or an element; name is one part of the pointer to it. */
static int
secrets_fill_part(struct filling *filling, const char *name, jv *value)
{
	size_t length = filling->pointer.length;
	int result;

	place_pointer_part(name, &filling->pointer);
	result = secrets_fill_value(filling, value);
	filling->pointer.length = length;
	filling->pointer.data[length] = '\0';
	return result;
}

/* Puts values in the places of names, in the value and all that is in it; but for how machines are logged in to, which
 * login-files.h takes care of. */
static int
secrets_fill_value(struct filling *filling, jv *value)
{
	bool is_object = jv_get_kind(*value) == JV_KIND_OBJECT;
	bool is_generated;
	char *name = credential_reference(*value, &is_generated);
	int result = 0;

	if (name) {
		result = secrets_value_of(filling, name, is_generated, value);
	} else if (is_object) {
		jv keys = jv_keys(jv_copy(*value));

		for (size_t i = 0; i < json_length(keys) && result == 0; i++) {
			jv key = json_element(keys, i), member = json_get(*value, json_string(key));

			if (strcmp(json_string(key), "ssh-auth") != 0)
				result = secrets_fill_part(filling, json_string(key), &member);
			json_set(value, json_string(key), member);
			jv_free(key);
		}
		jv_free(keys);
	} else if (jv_get_kind(*value) == JV_KIND_ARRAY) {
		for (size_t i = 0; i < json_length(*value) && result == 0; i++) {
			jv element = json_element(*value, i);
			char index[24];

			snprintf(index, sizeof index, "%zu", i);
			result = secrets_fill_part(filling, index, &element);
			*value = jv_array_set(*value, (int)i, element);
		}
	}
	free(name);
	return result;
}

/* Returns whether the task may read that member of the configuration: it does an action of a service, which reads all where it does
 * not say what it reads. */
static bool
secrets_is_read(jv record, const char *member)
{
	jv service = json_get(record, "service"), fields = json_get(record, "fields"), config = json_get(fields, "config");
	bool is_read = json_string(service) && (jv_get_kind(config) != JV_KIND_ARRAY || json_array_has(config, NULL, member));

	jv_free(service);
	jv_free(fields);
	jv_free(config);
	return is_read;
}

/* Fills the members of the configuration. */
static int
secrets_fill_config(struct filling *filling, jv *config)
{
	struct members members;
	struct place root = place_root(*config, NULL), member;
	jv filled = jv_copy(*config);
	int result = 0;

	buffer_clear(&filling->pointer);
	buffer_text(&filling->pointer, "/cluster/config");
	members = members_of(&root);
	while (members_next(&members, &member)) {
		jv value = jv_copy(member.value);

		filling->withholds = !secrets_is_read(filling->record, member.name);
		if (result == 0)
			result = secrets_fill_part(filling, member.name, &value);
		json_set(&filled, member.name, value);
	}
	filling->withholds = false;
	jv_free(*config);
	*config = filled;
	return result;
}

static int
secrets_fill_member(struct filling *filling, jv *object, const char *up, const char *name)
{
	jv member = json_get(*object, name);
	int result;

	if (!jv_is_valid(member)) {
		jv_free(member);
		return 0;
	}
	buffer_clear(&filling->pointer);
	buffer_text(&filling->pointer, up);
	result = secrets_fill_part(filling, name, &member);
	json_set(object, name, member);
	return result;
}

/* Returns whether a machine is deleted, which needs nothing of the configuration: a cluster is deleted also where a secret of it is gone. */
static bool
secrets_is_deletion(jv record)
{
	jv action = json_get(record, "action");
	bool is_deletion = json_string(action) && strcmp(json_string(action), action_name(ACTION_DELETE)) == 0;

	jv_free(action);
	return is_deletion;
}

int
secrets_fill(jv *record, struct redaction *values, struct error *err)
{
	jv source = jv_copy(*record), cluster = json_get(*record, "cluster"), config;
	struct filling filling = {.record = source, .values = values, .places = jv_array(), .err = err};
	int result = secrets_fill_member(&filling, record, "", "fields");

	if (result == 0 && jv_get_kind(cluster) == JV_KIND_OBJECT) {
		result = secrets_fill_member(&filling, &cluster, "/cluster", "provider");
		config = json_get(cluster, "config");
		if (result == 0 && jv_get_kind(config) == JV_KIND_OBJECT && !secrets_is_deletion(source)) {
			result = secrets_fill_config(&filling, &config);
			json_set(&cluster, "config", jv_copy(config));
		}
		jv_free(config);
		json_set(record, "cluster", cluster);
	} else {
		jv_free(cluster);
	}
	if (json_length(filling.places) > 0)
		json_set(record, "secrets", jv_copy(filling.places));
	if (filling.open)
		secrets_close(&filling);
	buffer_release(&filling.pointer);
	jv_free(filling.places);
	jv_free(source);
	if (result < 0 && (err->code == EX_NO || err->code == EX_NOINPUT))
		err->code = EX_CONFIG;
	return result;
}

bool
secrets_mentioned(const char *record, size_t length)
{
	static const char reference[] = "{\"secret\":\"", generated[] = "{\"" CREDENTIAL_GENERATED "\":\"";

	return memmem(record, length, reference, sizeof reference - 1) || memmem(record, length, generated, sizeof generated - 1);
}
