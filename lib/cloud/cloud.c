/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/cloud.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"

enum { LIST_TRIES = 4 };

int
cloud_exit_code(int code)
{
	return code == CLOUD_NO_CAPACITY ? EX_TEMPFAIL : code == CLOUD_NO_QUOTA ? EX_CONFIG : code;
}

const char *
cloud_error_class(int code)
{
	return code == CLOUD_NO_CAPACITY ? "capacity" : code == CLOUD_NO_QUOTA ? "quota"
	    : code == EX_DATAERR || code == EX_NOPERM || code == EX_CONFIG ? "permanent" : "temporary";
}

struct cloud_machine *
cloud_machines_add(struct cloud_machines *machines)
{
	ARRAY_ROOM(machines->list, machines->count, machines->capacity);
	machines->list[machines->count] = (struct cloud_machine){.state = CLOUD_PENDING};
	return &machines->list[machines->count++];
}

void
cloud_machines_release(struct cloud_machines *machines)
{
	arena_release(&machines->arena);
	free(machines->list);
	*machines = (struct cloud_machines){.list = NULL};
}

int
cloud_list_whole(struct cloud *cloud, int (*read)(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err),
    const char *what, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	for (unsigned number = 0; number < LIST_TRIES; number++) {
		int result;

		cloud_machines_release(found);
		result = read(cloud, stop, found, err);
		if (result <= 0)
			return result;
	}
	return error_set(err, EX_TEMPFAIL, "%s changes faster than its pages can be read", what);
}

struct cloud_flavor *
cloud_flavors_add(struct cloud_flavors *flavors)
{
	ARRAY_ROOM(flavors->list, flavors->count, flavors->capacity);
	flavors->list[flavors->count] = (struct cloud_flavor){.per_hour = -1};
	return &flavors->list[flavors->count++];
}

void
cloud_flavors_release(struct cloud_flavors *flavors)
{
	arena_release(&flavors->arena);
	free(flavors->list);
	*flavors = (struct cloud_flavors){.list = NULL};
}

void
cloud_machine_tag(struct cloud_machines *machines, struct cloud_machine *machine, const char *name, const char *value)
{
	const struct {
		const char *name, **member;
	} tags[] = {{CLOUD_TAG_NODE, &machine->node}, {CLOUD_TAG_TOKEN, &machine->token}, {CLOUD_TAG_CLUSTER, &machine->cluster},
	    {CLOUD_TAG_PROVIDER, &machine->provider}};

	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
		if (strcmp(name, tags[i].name) == 0)
			*tags[i].member = arena_string(&machines->arena, value);
}

void
cloud_machine_tags(struct cloud_machines *machines, struct cloud_machine *machine, jv tags)
{
	if (jv_get_kind(tags) != JV_KIND_OBJECT)
		return;
	jv_object_foreach(tags, name, value) {
		if (json_string(value))
			cloud_machine_tag(machines, machine, json_string(name), json_string(value));
		jv_free(value);
		jv_free(name);
	}
}

const char *
cloud_text(jv object, const char *name, struct arena *arena)
{
	const char *text = json_arena_string(object, name, arena);

	return text && *text ? text : NULL;
}

int64_t
cloud_time(const char *text)
{
	int64_t ms = text ? clock_parse_rfc3339(text) : 0;

	return ms > 0 ? ms : 0;
}

static const char header[] = "#cloud-config\n";

/* Two ways to merge a document with those before it: its values replace theirs, or its lists are added to theirs. */
static const char holds[] = "merge_how: [{name: list, settings: []}, {name: dict, settings: [replace]}, {name: str, settings: []}]\n"
    "ssh: {emit_keys_to_console: true}\n";
static const char adds[] = "merge_how: [{name: list, settings: [append]}, {name: dict, settings: [no_replace, recurse_array]}, {name: str, settings: []}]\n";

enum { DOCUMENTS = 3, DOCUMENT_BYTES = 512, QUOTED = 6 }; /* of a byte in JSON, at most */

/* Appends documents as an archive: that is YAML, of which JSON is a part. */
static void
cloud_add_archive(const char *const documents[static DOCUMENTS], struct buffer *out)
{
	size_t length = 0;

	for (size_t i = 0; i < DOCUMENTS; i++)
		length += QUOTED * strlen(documents[i]) + DOCUMENT_BYTES;
	buffer_room(out, length);
	buffer_text(out, "#cloud-config-archive\n[");
	for (size_t i = 0; i < DOCUMENTS; i++) {
		buffer_printf(out, "%s{\"type\":\"text/cloud-config\",\"content\":", i ? ",\n" : "");
		json_quote(documents[i], out);
		buffer_byte(out, '}');
	}
	buffer_text(out, "]\n");
}

void
cloud_user_data(const struct cloud *cloud, const char *key, const char *more, struct buffer *out)
{
	bool is_merged = cloud->cloud_config != NULL;
	struct buffer fixed = {0}, keys = {0};

	if (!key && !*more && !is_merged)
		return;
	/* Room for all of it at once: no copy of a secret is left behind where it grows. */
	buffer_room(&fixed, DOCUMENT_BYTES + strlen(more));
	buffer_printf(&fixed, "%s%sdisable_root: false\n%s", header, is_merged ? holds : "", more);
	if (is_merged)
		buffer_printf(&keys, "%s%s", header, adds);
	if (key)
		buffer_printf(&keys, "ssh_authorized_keys:\n  - %s\n", key);
	if (is_merged)
		cloud_add_archive((const char *const[]){cloud->cloud_config, buffer_string(&fixed), buffer_string(&keys)}, out);
	else
		buffer_printf(out, "%s%s", buffer_string(&fixed), buffer_string(&keys));
	sodium_memzero(fixed.data, fixed.length);
	buffer_release(&keys);
	buffer_release(&fixed);
}

const char *
cloud_key(const struct cloud_order *order, const char *own, const char *field, struct error *err)
{
	if (!order->key && !own)
		error_set(err, EX_CONFIG, "the cluster has no key of its own, so that the provider needs %s", field);
	return order->key ? order->key : own;
}

const char *
cloud_field(struct cloud *cloud, const char *name)
{
	const char *text = place_string(&cloud->fields, name, NEED_OPTIONAL, &cloud->arena);

	return text && *text ? text : NULL;
}
