/* SPDX-License-Identifier: Apache-2.0
 *
 * extends and includes. The parts of a template in their order: what its parent is made of, the partial
 * templates it includes, itself; a part met twice counts where it is met first. They are laid one over the other:
 * lists are united, single values and keys of the config replaced. Of partial templates only defaults and
 * compatibility count, and keys of the config that an immutable one sets are not set again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "catalogue/catalogue.h"
#include "model/document.h"

struct parts {
	const struct catalogue *catalogue;
	const struct entity **list;
	size_t count, capacity;
	struct names seen; /* files */
	struct names open; /* names of templates whose parents are being looked up */
};

static void
template_add_part(struct parts *parts, const struct entity *entity)
{
	size_t known = parts->seen.count;

	if ((size_t)names_intern(&parts->seen, entity->file) < known)
		return;
	ARRAY_ROOM(parts->list, parts->count, parts->capacity);
	parts->list[parts->count++] = entity;
}

/* Adds the parts of a template and of all above it, the topmost first. */
static int
template_collect(struct parts *parts, const struct entity *template, struct error *err)
{
	const struct entity *line[64], *part; /* from the template upwards */
	size_t length = 0, known;

	for (; template; template = part) {
		known = parts->open.count;
		if ((size_t)names_intern(&parts->open, template->name) < known)
			return error_set(err, EX_DATAERR, "%s: /extends: the template extends itself, through %s",
			    line[0]->file, line[length - 1]->name);
		if (length == sizeof line / sizeof *line)
			return error_set(err, EX_DATAERR, "%s: /extends: more than %zu templates stand above one another",
			    line[0]->file, length);
		line[length++] = template;
		part = NULL;
		if (template->template.extends &&
		    !(part = catalogue_need(parts->catalogue, ENTITY_CLUSTERTEMPLATE, template->template.extends, err)))
			return error_prefix(err, "%s: /extends", template->file);
	}
	while (length--) {
		const struct string_list *includes = &line[length]->template.includes;

		for (size_t i = 0; i < includes->count; i++) {
			part = catalogue_need(parts->catalogue, ENTITY_PARTIALTEMPLATE, includes->list[i], err);
			if (!part)
				return error_prefix(err, "%s: /includes/%zu", line[length]->file, i);
			template_add_part(parts, part);
		}
		template_add_part(parts, line[length]);
	}
	return 0;
}

/* Returns the key that tells two elements apart: the name of a service, which may stand alone or with its config; else
 * all of it. */
static const char *
template_identity(jv element, struct arena *arena)
{
	struct buffer text = {0};
	jv name = json_get(element, "name");
	const char *result;

	if (jv_get_kind(name) == JV_KIND_STRING)
		json_dump(name, &text);
	else
		json_dump(element, &text);
	result = arena_string(arena, text.data);
	buffer_release(&text);
	jv_free(name);
	return result;
}

/* The list in a member, owned; empty where there is none. */
static jv
template_list_of(jv object, const char *member)
{
	jv list = json_get(object, member);

	if (jv_get_kind(list) == JV_KIND_ARRAY)
		return list;
	jv_free(list);
	return jv_array();
}

/* Sets the list in a member of into to the union of it and from's. An element of from takes the place of an equal one. */
static void
template_unite(jv *into, jv from, const char *member)
{
	jv list = jv_array_concat(template_list_of(*into, member), template_list_of(from, member)), united = jv_array();
	struct arena arena = {0};
	struct names seen = {0};

	jv_array_foreach(list, i, element) {
		united = jv_array_set(united, names_intern(&seen, template_identity(element, &arena)), jv_copy(element));
		jv_free(element);
	}
	if (seen.count)
		json_set(into, member, united);
	else
		jv_free(united);
	jv_free(list);
	names_release(&seen);
	arena_release(&arena);
}

static bool
template_is_blank(jv value)
{
	const char *text = json_string(value);

	return !jv_is_valid(value) || jv_get_kind(value) == JV_KIND_NULL || (text && !text[strspn(text, " \t\r\n")]);
}

static void
template_replace(jv *into, jv from, const char *member)
{
	jv value = json_get(from, member);

	if (template_is_blank(value))
		jv_free(value);
	else
		json_set(into, member, value);
}

/* Replaces the members of the object in a member by those of from's. */
static void
template_overlay(jv *into, jv from, const char *member)
{
	jv below = json_get(*into, member), above = json_get(from, member);

	if (jv_get_kind(above) == JV_KIND_OBJECT && jv_get_kind(below) == JV_KIND_OBJECT)
		json_set(into, member, jv_object_merge(jv_copy(below), jv_copy(above)));
	else if (jv_get_kind(above) == JV_KIND_OBJECT)
		json_set(into, member, jv_copy(above));
	jv_free(below);
	jv_free(above);
}

/* The object in a member, taken out of into so that it can be changed without being copied. */
static jv
template_take_out(jv *into, const char *member)
{
	jv object = json_get(*into, member);

	*into = jv_object_delete(*into, jv_string(member));
	if (jv_get_kind(object) == JV_KIND_OBJECT)
		return object;
	jv_free(object);
	return jv_object();
}

static void
template_merge_defaults(jv *into, jv from)
{
	static const char *const single[] = {"provider", "hardwaretype", "imagetype", "dnsSuffix"};
	jv below = template_take_out(into, "defaults"), above = json_get(from, "defaults");

	for (size_t i = 0; i < sizeof single / sizeof *single; i++)
		template_replace(&below, above, single[i]);
	template_unite(&below, above, "services");
	template_overlay(&below, above, "config");
	json_set(into, "defaults", below);
	jv_free(above);
}

static void
template_merge_compatibility(jv *into, jv from)
{
	jv below = template_take_out(into, "compatibility"), above = json_get(from, "compatibility");

	template_unite(&below, above, "hardwaretypes");
	template_unite(&below, above, "imagetypes");
	template_unite(&below, above, "services");
	json_set(into, "compatibility", below);
	jv_free(above);
}

static void
template_merge_constraints(jv *into, jv from)
{
	jv below = template_take_out(into, "constraints"), above = json_get(from, "constraints");
	jv layout = template_take_out(&below, "layout"), more = json_get(above, "layout");

	template_unite(&layout, more, "mustcoexist");
	template_unite(&layout, more, "cantcoexist");
	template_unite(&layout, more, "mutuallyexclusive");
	json_set(&below, "layout", layout);
	template_overlay(&below, above, "services");
	template_unite(&below, above, "counts");
	template_unite(&below, above, "oneof");
	template_unite(&below, above, "spread");
	template_replace(&below, above, "size");
	template_replace(&below, above, "fallback");
	json_set(into, "constraints", below);
	jv_free(above);
	jv_free(more);
}

/* Refuses a part that sets a key of the config which an immutable one before it has set. */
static int
template_check_immutable(const struct parts *parts, struct error *err)
{
	for (size_t i = 0; i < parts->count; i++) {
		const struct cluster_template *locked = &parts->list[i]->template;
		struct place config = place_root(locked->default_config, NULL), key;
		struct members members = members_of(&config);
		int result = 0;

		while (members_next(&members, &key)) {
			for (size_t j = i + 1; locked->immutable && result == 0 && j < parts->count; j++) {
				jv again = json_get(parts->list[j]->template.default_config, key.name);

				if (jv_is_valid(again))
					result = error_set(err, EX_DATAERR,
					    "%s: /defaults/config/%s: the immutable partial template %s sets it",
					    parts->list[j]->file, key.name, locked->name);
				jv_free(again);
			}
		}
		if (result < 0)
			return -1;
	}
	return 0;
}

static jv
template_merge(const struct parts *parts)
{
	const struct entity *last = parts->list[parts->count - 1];
	jv merged = jv_object();

	for (size_t i = 0; i < parts->count; i++) {
		const struct entity *part = parts->list[i];

		/* The members that only the template itself has (its name, links, ...) come with its turn, the last. */
		if (part == last)
			merged = jv_object_merge(jv_copy(part->source), merged);
		template_merge_defaults(&merged, part->source);
		template_merge_compatibility(&merged, part->source);
		if (part->kind == ENTITY_PARTIALTEMPLATE)
			continue;
		template_merge_constraints(&merged, part->source);
		template_replace(&merged, part->source, "administration");
		template_replace(&merged, part->source, "objective");
	}
	merged = jv_object_delete(merged, jv_string("extends"));
	return jv_object_delete(merged, jv_string("includes"));
}

jv
catalogue_resolve(const struct catalogue *catalogue, const struct entity *template, struct error *err)
{
	struct parts parts = {.catalogue = catalogue};
	jv merged = {0};

	if (template_collect(&parts, template, err) == 0) {
		if (parts.count == 1)
			merged = jv_copy(template->source);
		else if (template_check_immutable(&parts, err) == 0)
			merged = template_merge(&parts);
	}
	free(parts.list);
	names_release(&parts.seen);
	names_release(&parts.open);
	return merged;
}

jv
catalogue_template(const struct catalogue *catalogue, const char *name, struct error *err)
{
	const struct entity *template = catalogue_need(catalogue, ENTITY_CLUSTERTEMPLATE, name, err);

	return template ? catalogue_resolve(catalogue, template, err) : (jv){0};
}
