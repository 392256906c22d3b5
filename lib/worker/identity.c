/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/identity.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "exec/plugin-schema.h"
#include "json/members.h"
#include "model/take/task.h"
#include "store/store.h"

enum {
	READ_MS = 1000, /* a worker reads it again then. Before, all it can be wrong in is to leave the question to coopr-exec */
	MEMBERS = 64,
};

static const char member[] = "installation";

/* Returns 1, 0 where there is no store, or -1. */
static int
identity_find(struct installation *installation, struct error *err)
{
	struct store *store;
	int result;

	*installation = (struct installation){0};
	if (store_open(&store, NULL, STORE_WRITE, NULL, err) < 0)
		return err->code == EX_NOINPUT ? 0 : -1;
	result = installation_need(store, installation, err);
	store_release(store);
	return result < 0 ? -1 : 1;
}

/* Returns whether machines of such providers carry the id. */
static bool
identity_is_used(const char *type)
{
	jv schema = plugin_schema("provider", type);
	bool is_used = json_is(schema, member, JV_KIND_TRUE);

	jv_free(schema);
	return is_used;
}

/* Puts the id into the object, for a provider of that type; the failure has that code. */
static int
identity_put(const char *type, jv *object, int code, struct error *err)
{
	struct installation installation;
	int got = identity_find(&installation, err);

	if ((got < 0 || *installation.former) && identity_is_used(type)) {
		if (got > 0)
			error_set(err, code, "installation %s: it came from a backup of installation %s, whose machines of provider type %s must not be "
			    "touched before a person has said whether that is gone; coopr-store installation --confirm says that it is gone, "
			    "--separate that it lives on", installation.id, installation.former, type);
		return -1;
	}
	if (*installation.id)
		json_set_string(object, member, installation.id);
	return 0;
}

int
identity_tell(const struct task *task, jv *record, struct error *err)
{
	jv cluster;
	int result;

	if (!action_is_providers(task->action))
		return 0;
	cluster = json_get(*record, "cluster");
	if (jv_get_kind(cluster) != JV_KIND_OBJECT) {
		jv_free(cluster);
		return 0;
	}
	/* EX_CONFIG of a creation would say that no machine was made, which an attempt before the backup may have done. */
	result = identity_put(task->type, &cluster, task->action == ACTION_CREATE ? EX_TEMPFAIL : EX_CONFIG, err);
	json_set(record, "cluster", cluster);
	return result;
}

int
identity_tell_entity(jv *entity, struct error *err)
{
	char *type = json_get_string(*entity, "providertype");
	int result = identity_put(type ? type : "", entity, EX_CONFIG, err);

	free(type);
	return result;
}

int
identity_check(const char *entity, struct error *err)
{
	int result;
	jv parsed;

	if (json_parse("the provider", entity, strlen(entity), &parsed, err) < 0)
		return -1;
	result = identity_tell_entity(&parsed, err);
	jv_free(parsed);
	return result;
}

static void
identity_read(struct identity *identity)
{
	struct installation installation;
	struct error ignored; /* coopr-exec says it */

	if (identity->read_at && clock_monotonic_ms() < identity->read_at + READ_MS)
		return;
	identity->is_plain = identity_find(&installation, &ignored) >= 0 && !*installation.former;
	memcpy(identity->id, installation.id, sizeof identity->id);
	identity->read_at = clock_monotonic_ms();
}

/* Compares the name of a member with ours, as strcmp does. */
static int
identity_compare(const struct json_range *name)
{
	const size_t own = sizeof member - 1;
	int order = memcmp(name->text, member, name->length < own ? name->length : own);

	return order ? order : (name->length > own) - (name->length < own);
}

/* Returns where the member belongs in the cluster of the record; NULL where it is not printed as ours are, or has one. */
static const char *
identity_place(const struct buffer *record)
{
	const struct json_range whole = {record->data, record->length};
	struct json_member list[MEMBERS];
	struct json_range cluster;
	int count, at = 0;

	if (!json_range_find(&whole, "cluster", &cluster))
		return NULL;
	count = json_members(cluster.text, cluster.length, list, MEMBERS);
	for (; at < count && identity_compare(&list[at].name) < 0; at++)
		;
	return at < count && identity_compare(&list[at].name) > 0 ? list[at].name.text - 1 : NULL;
}

bool
identity_tell_text(struct identity *identity, struct buffer *record)
{
	struct buffer told = {0};
	const char *place;
	size_t before;

	identity_read(identity);
	if (!identity->is_plain || !*identity->id)
		return identity->is_plain;
	place = identity_place(record);
	if (!place)
		return false;
	before = (size_t)(place - record->data);
	buffer_append(&told, record->data, before);
	buffer_printf(&told, "\"%s\":\"%s\",", member, identity->id);
	buffer_append(&told, place, record->length - before);
	buffer_release(record);
	*record = told;
	return true;
}
