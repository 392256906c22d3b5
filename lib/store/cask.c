/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cask.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/place.h"
#include "store/cask-cluster.h"

enum cask_document {
	CASK_NONE,
	CASK_EXPORT,  /* an object with lists of entities */
	CASK_CLUSTER, /* a request, or a cluster */
	CASK_TENANT,
	CASK_LIST, /* of any of these */
};

/* Other lists that people put beside those of an export, and why they have no place here. */
static const struct {
	const char *member, *kind, *why;
} others[] = {
	{"automatortypes", "automatortype", "an automator is a program here, libexec/coopr/automator/NAME; see coopr-plugins(7)"},
	{"providertypes", "providertype", "a provider type is a program here, libexec/coopr/provider/NAME; see coopr-plugins(7)"},
	{"provisioners", "provisioner", "coopr work does the tasks here; see coopr-work(1)"},
};

static bool
cask_has(jv object, const char *member)
{
	return !json_is(object, member, JV_KIND_INVALID);
}

static bool
cask_is_export(jv object)
{
	for (enum entity_kind kind = 0; kind < ENTITY_KIND_COUNT; kind++)
		if (json_is(object, entity_kind_folder(kind), JV_KIND_ARRAY))
			return true;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (json_is(object, others[i].member, JV_KIND_ARRAY))
			return true;
	return json_is(object, "clusters", JV_KIND_ARRAY) || json_is(object, "tenants", JV_KIND_ARRAY);
}

static enum cask_document
cask_recognise(jv document)
{
	enum cask_document first = CASK_NONE;
	jv element;

	if (jv_get_kind(document) == JV_KIND_ARRAY && json_length(document)) {
		element = json_element(document, 0);
		first = jv_get_kind(element) == JV_KIND_OBJECT ? cask_recognise(element) : CASK_NONE;
		jv_free(element);
		return first == CASK_NONE ? CASK_NONE : CASK_LIST;
	}
	if (jv_get_kind(document) != JV_KIND_OBJECT || cask_has(document, "kind"))
		return CASK_NONE;
	if (cask_has(document, "clusterTemplate"))
		return CASK_CLUSTER;
	if (cask_has(document, "tenant") || cask_has(document, "workers") || cask_has(document, "maxClusters"))
		return CASK_TENANT;
	return !cask_has(document, "name") && cask_is_export(document) ? CASK_EXPORT : CASK_NONE;
}

bool
cask_is_document(jv document)
{
	return cask_recognise(document) != CASK_NONE;
}

static struct cask_item *
cask_add_item(struct cask *cask, const char *kind, const char *name, const char *note)
{
	struct cask_item *item;

	ARRAY_ROOM(cask->list, cask->count, cask->capacity);
	item = &cask->list[cask->count++];
	*item = (struct cask_item){.kind = arena_string(&cask->arena, kind), .name = name ? arena_string(&cask->arena, name) : NULL,
		.note = note ? arena_string(&cask->arena, note) : NULL};
	return item;
}

static void
cask_take_cluster(struct cask *cask, jv document)
{
	char *name = json_get_string(document, "name"), *status = json_get_string(document, "status"), *text;
	struct buffer note = {0};

	if (status && strcmp(status, "terminated") == 0) {
		cask_add_item(cask, "cluster", name, "it is terminated");
	} else {
		text = cask_cluster_specification(document, &note);
		cask_add_item(cask, "clusterspec", name, note.length ? note.data : NULL)->text = text;
	}
	buffer_release(&note);
	free(status);
	free(name);
}

/* A limit that is a whole number becomes an option of coopr tenant create. */
static void
cask_append_limit(jv tenant, const char *member, const char *option, struct buffer *options)
{
	double limit = json_get_number(tenant, member, -1);

	if (limit >= 0 && limit < INT32_MAX)
		buffer_printf(options, " %s %" PRId32, option, (int32_t)limit);
}

/* Tenants are made by a superadmin, and entities imported into each of them. */
static void
cask_take_tenant(struct cask *cask, jv document)
{
	jv inner = json_get(document, "tenant"), tenant = jv_get_kind(inner) == JV_KIND_OBJECT ? inner : document;
	char *name = json_get_string(tenant, "name"), *note;
	struct buffer options = {0};

	cask_append_limit(tenant, "maxClusters", "--clusters", &options);
	cask_append_limit(tenant, "maxNodes", "--nodes", &options);
	note = memory_printf("use coopr tenant create%s %s, and import what this tenant exports with -T", buffer_string(&options),
	    name ? name : "NAME");
	cask_add_item(cask, "tenant", name, note);
	buffer_release(&options);
	free(note);
	free(name);
	jv_free(inner);
}

static int
cask_take_entities(struct cask *cask, enum entity_kind kind, jv list, const char *source, struct error *err)
{
	if (jv_get_kind(list) != JV_KIND_ARRAY)
		return error_set(err, EX_DATAERR, "%s: /%s: expected array, found %s", source, entity_kind_folder(kind),
		    json_kind_name(list));
	for (size_t i = 0; i < json_length(list); i++) {
		jv document = json_element(list, i);
		char *name = json_get_string(document, "name");
		const char *where = name ? arena_printf(&cask->arena, "%s: %s \"%s\"", source, entity_kind_words(kind), name)
		                         : arena_printf(&cask->arena, "%s: /%s/%zu", source, entity_kind_folder(kind), i);

		ARRAY_ROOM(cask->entities, cask->entity_count, cask->entity_capacity);
		cask->entities[cask->entity_count++] = (struct cask_entity){kind, where, document};
		free(name);
	}
	return 0;
}

/* The list is a document, or that member of one. */
static int
cask_take_list(struct cask *cask, jv list, const char *member, const char *source, struct error *err)
{
	int result = 0;

	if (jv_get_kind(list) != JV_KIND_ARRAY)
		return error_set(err, EX_DATAERR, "%s: /%s: expected array, found %s", source, member, json_kind_name(list));
	for (size_t i = 0; i < json_length(list) && result == 0; i++) {
		jv document = json_element(list, i);
		char *where = memory_printf("%s: %s%s/%zu", source, *member ? "/" : "", member, i);

		result = cask_take(cask, document, where, err);
		free(where);
		jv_free(document);
	}
	return result;
}

/* Lists what stands in another member than those that an export has. */
static void
cask_take_other(struct cask *cask, const char *member, jv value)
{
	size_t other = 0, count = jv_get_kind(value) == JV_KIND_ARRAY ? json_length(value) : 0;

	while (other < sizeof others / sizeof *others && strcmp(others[other].member, member) != 0)
		other++;
	if (other == sizeof others / sizeof *others) {
		cask_add_item(cask, member, NULL, strstr(member, "resource") || strcmp(member, "plugins") == 0 ?
		    "the files of plugin resources are not in it; see coopr-migrate(7)" : "it is not a member of an export");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		jv element = json_element(value, i);
		char *name = json_get_string(element, "name");

		cask_add_item(cask, others[other].kind, name, others[other].why);
		free(name);
		jv_free(element);
	}
}

static int
cask_take_export(struct cask *cask, jv document, const char *source, struct error *err)
{
	struct place root = place_root(document, NULL), member;
	struct members members;
	int result = 0;

	for (enum entity_kind kind = 0; kind < ENTITY_KIND_COUNT && result == 0; kind++) {
		member = place_member(&root, entity_kind_folder(kind));
		if (place_present(&member))
			result = cask_take_entities(cask, kind, member.value, source, err);
	}
	members = members_of(&root);
	while (members_next(&members, &member)) {
		enum entity_kind kind = entity_kind_of(member.name);

		if (result < 0 || (kind != ENTITY_NONE && strcmp(member.name, entity_kind_folder(kind)) == 0))
			continue;
		if (strcmp(member.name, "clusters") == 0 || strcmp(member.name, "tenants") == 0)
			result = cask_take_list(cask, member.value, member.name, source, err);
		else
			cask_take_other(cask, member.name, member.value);
	}
	return result;
}

int
cask_take(struct cask *cask, jv document, const char *source, struct error *err)
{
	switch (cask_recognise(document)) {
	case CASK_EXPORT:
		return cask_take_export(cask, document, source, err);
	case CASK_LIST:
		return cask_take_list(cask, document, "", source, err);
	case CASK_CLUSTER:
		cask_take_cluster(cask, document);
		return 0;
	case CASK_TENANT:
		cask_take_tenant(cask, document);
		return 0;
	case CASK_NONE:
		break;
	}
	return error_set(err, EX_DATAERR, "%s: this is not an export, request or cluster of Coopr", source);
}

void
cask_release(struct cask *cask)
{
	for (size_t i = 0; i < cask->entity_count; i++)
		jv_free(cask->entities[i].document);
	for (size_t i = 0; i < cask->count; i++)
		free(cask->list[i].text);
	free(cask->entities);
	free(cask->list);
	arena_release(&cask->arena);
	*cask = (struct cask){0};
}
