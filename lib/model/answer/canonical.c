/* SPDX-License-Identifier: Apache-2.0 */
#include "model/answer/canonical.h"

#include <string.h>

/* The paths of the sets: names of members, "*" for each member, "[]" for each element. */
static const char *const template_sets[] = {
	"compatibility/hardwaretypes", "compatibility/imagetypes", "compatibility/services", "defaults/services",
	"constraints/services/*/hardwaretypes", "constraints/services/*/imagetypes",
	"constraints/layout/mustcoexist/[]", "constraints/layout/mustcoexist",
	"constraints/layout/cantcoexist/[]", "constraints/layout/cantcoexist",
	"constraints/layout/mutuallyexclusive/[]", "constraints/layout/mutuallyexclusive",
	"constraints/oneof/[]", "constraints/oneof", "constraints/counts", "constraints/spread/[]/services", "constraints/spread",
};

static const char *const service_sets[] = {
	"dependencies/provides", "dependencies/conflicts", "dependencies/install/requires", "dependencies/install/uses",
	"dependencies/runtime/requires", "dependencies/runtime/uses",
};

static jv canonical_sort_at(jv value, const char *path);

static jv
canonical_sort_elements(jv array, const char *path)
{
	for (int i = 0; i < jv_array_length(jv_copy(array)); i++)
		array = jv_array_set(array, i, canonical_sort_at(jv_array_get(jv_copy(array), i), path));
	return array;
}

static jv
canonical_sort_members(jv object, const char *path)
{
	jv keys = jv_keys(jv_copy(object));

	for (int i = 0; i < jv_array_length(jv_copy(keys)); i++) {
		jv key = jv_array_get(jv_copy(keys), i);
		jv member = canonical_sort_at(jv_object_get(jv_copy(object), jv_copy(key)), path);

		object = jv_object_set(object, key, member);
	}
	jv_free(keys);
	return object;
}

static jv
canonical_sort_member(jv object, const char *name, size_t length, const char *path)
{
	jv key = jv_string_sized(name, (int)length), member;

	if (!jv_object_has(jv_copy(object), jv_copy(key))) {
		jv_free(key);
		return object;
	}
	member = canonical_sort_at(jv_object_get(jv_copy(object), jv_copy(key)), path);
	return jv_object_set(object, key, member);
}

/* Sorts the list at the end of a path below value, where there is one. Consumes value. */
static jv
canonical_sort_at(jv value, const char *path)
{
	size_t length = strcspn(path, "/");
	const char *rest = path + length + (path[length] == '/');

	if (!*path)
		return jv_get_kind(value) == JV_KIND_ARRAY ? jv_sort(jv_copy(value), value) : value;
	if (strncmp(path, "[]", length) == 0)
		return jv_get_kind(value) == JV_KIND_ARRAY ? canonical_sort_elements(value, rest) : value;
	if (jv_get_kind(value) != JV_KIND_OBJECT)
		return value;
	return strncmp(path, "*", length) == 0 ? canonical_sort_members(value, rest) : canonical_sort_member(value, path,
	    length, rest);
}

jv
canonical_template(jv template)
{
	jv value = jv_copy(template);

	for (size_t i = 0; i < sizeof template_sets / sizeof *template_sets; i++)
		value = canonical_sort_at(value, template_sets[i]);
	return value;
}

jv
canonical_service(jv service)
{
	jv value = jv_copy(service);

	for (size_t i = 0; i < sizeof service_sets / sizeof *service_sets; i++)
		value = canonical_sort_at(value, service_sets[i]);
	return value;
}
