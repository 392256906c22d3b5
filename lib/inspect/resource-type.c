/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/resource-type.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "inspect/fields.h"
#include "json/json.h"
#include "login/provisioners.h"
#include "store/resources.h"

enum { MODE_OF_FILES = 0644 };

int64_t
resource_type_mode(const char *text)
{
	size_t length = strspn(text, "01234567");

	return (length == 3 || (length == 4 && *text == '0')) && !text[length] ? strtol(text, NULL, 8) : -1;
}

/* Returns whether the type may have that format; one that says nothing may have each. */
static bool
resource_type_may_be(jv described, const char *format)
{
	jv formats = json_get(described, "formats");
	bool may = !jv_is_valid(formats);

	for (size_t i = 0; i < json_length(formats) && !may; i++) {
		jv one = json_element(formats, i);

		may = json_string(one) && strcmp(json_string(one), format) == 0;
		jv_free(one);
	}
	jv_free(formats);
	return may;
}

static void
resource_type_read(jv described, struct resource_type *type)
{
	char *permissions = json_get_string(described, "permissions");

	type->may_be_file = resource_type_may_be(described, "file");
	type->may_be_archive = resource_type_may_be(described, "archive");
	type->mode = permissions ? resource_type_mode(permissions) : -1;
	if (type->mode < 0)
		type->mode = MODE_OF_FILES;
	free(permissions);
}

static int
resource_type_not_found(const char *plugin, const char *name, jv types, struct error *err)
{
	jv names = jv_get_kind(types) == JV_KIND_OBJECT ? jv_keys(jv_copy(types)) : jv_array();
	struct buffer words = {0};

	for (size_t i = 0; i < json_length(names); i++) {
		jv one = json_element(names, i);

		buffer_printf(&words, "%s%s", i ? ", " : "", json_string(one));
		jv_free(one);
	}
	if (words.length)
		error_set(err, EX_NO, "%s has no resources of type \"%s\", but %s", plugin, name, words.data);
	else
		error_set(err, EX_NO, "%s has no resources, or is not installed here", plugin);
	buffer_release(&words);
	jv_free(names);
	return -1;
}

/* Reads what a provisioner of Coopr has told of the type: its one format. */
static void
resource_type_read_told(jv told, struct resource_type *type)
{
	char *format = json_get_string(told, "format");

	resource_type_read(told, type);
	type->may_be_archive = format && strcmp(format, "archive") == 0;
	type->may_be_file = !type->may_be_archive;
	free(format);
}

/* Returns what a provisioner has told of the types of a plugin, owned; invalid where it has not. */
static jv
resource_type_told(struct store *store, const char *kind, const char *name)
{
	char *kinds = memory_printf("%stypes", kind), *document = NULL;
	jv types = jv_invalid(), whole;
	struct error ignored;

	if (provisioners_description(store, kinds, name, &document, &ignored) > 0 &&
	    json_parse("the plugin", document, strlen(document), &whole, &ignored) == 0) {
		types = json_get(whole, "resourceTypes");
		jv_free(whole);
	}
	free(document);
	free(kinds);
	return types;
}

int
resource_type_find(struct store *store, const char *plugin, const char *name, struct resource_type *type, struct error *err)
{
	struct fields_check check = {0};
	const char *slash = strchr(plugin, '/');
	char *kind = memory_substring(plugin, (size_t)(slash - plugin));
	jv types = json_get(fields_schema(&check, kind, slash + 1), "resources"), described;
	bool is_told = jv_get_kind(types) != JV_KIND_OBJECT;
	int result = 0;

	if (is_told) {
		jv_free(types);
		types = resource_type_told(store, kind, slash + 1);
	}
	described = json_get(types, name);
	if (is_told && jv_get_kind(described) == JV_KIND_OBJECT)
		resource_type_read_told(described, type);
	else if (jv_get_kind(described) == JV_KIND_OBJECT)
		resource_type_read(described, type);
	else
		result = resource_type_not_found(plugin, name, types, err);
	jv_free(described);
	jv_free(types);
	fields_check_release(&check);
	free(kind);
	return result;
}

int
resource_type_allow(const struct resource_type *type, const struct resource *resource, struct error *err)
{
	if (resource->is_archive ? type->may_be_archive : type->may_be_file)
		return 0;
	return error_set(err, EX_USAGE, "%s/%s: a resource of this type cannot be %s", resource->name.plugin, resource->name.type,
	    resource->is_archive ? "an archive" : "a file");
}

int
resource_type_check(struct store *store, const struct resource *resource, struct error *err)
{
	struct resource_type type = {0};

	if (resource_type_find(store, resource->name.plugin, resource->name.type, &type, err) < 0)
		return -1;
	if (resource_type_allow(&type, resource, err) == 0)
		return 0;
	err->code = EX_DATAERR;
	return -1;
}
