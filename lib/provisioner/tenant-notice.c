/* SPDX-License-Identifier: Apache-2.0 */
#include "provisioner/tenant-notice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/location.h"
#include "base/message.h"
#include "base/process.h"
#include "login/provisioners.h"
#include "store/resources.h"
#include "store/store.h"

enum { NOTICE_TIMEOUT_S = 5, NOTICE_SAID_BYTES = 4096 };

jv
tenant_notice_assignments(struct store *store, const struct provisioner *provisioner, struct error *err)
{
	struct arguments tenants = {0};
	jv assignments = jv_object();

	if (provisioners_tenants(store, provisioner->token, &tenants, err) < 0) {
		jv_free(assignments);
		assignments = jv_invalid();
	}
	/* The first ones get what is left over; none is without. */
	for (size_t i = 0; jv_is_valid(assignments) && i < tenants.count; i++) {
		int64_t each = provisioner->capacity / (int64_t)tenants.count, rest = provisioner->capacity % (int64_t)tenants.count;
		int64_t workers = each + ((int64_t)i < rest);

		json_set_number(&assignments, tenants.list[i], (double)(workers > 0 ? workers : 1));
	}
	arguments_release(&tenants);
	return assignments;
}

/* Returns a member of an object to be changed; one that is not there is an empty object. */
static jv
tenant_notice_member(jv object, const char *name)
{
	jv member = json_get(object, name);

	if (jv_get_kind(member) == JV_KIND_OBJECT)
		return member;
	jv_free(member);
	return jv_object();
}

/* Adds an active version to the list of its type. */
static void
tenant_notice_add_resource(jv *resources, const struct resource *resource)
{
	const char *slash = strchr(resource->name.plugin, '/');
	char *kind = memory_printf("%.*stypes", (int)(slash - resource->name.plugin), resource->name.plugin), mode[8];
	jv plugins = tenant_notice_member(*resources, kind), types = tenant_notice_member(plugins, slash + 1);
	jv type = tenant_notice_member(types, resource->name.type), active = json_get(type, "active"), one = jv_object();

	snprintf(mode, sizeof mode, "%04o", (unsigned)resource->mode & 07777);
	json_set_string(&one, "name", resource->name.name);
	json_set_number(&one, "version", (double)resource->name.version);
	if (jv_get_kind(active) != JV_KIND_ARRAY) {
		jv_free(active);
		active = jv_array();
		json_set_string(&type, "format", resource->is_archive ? "archive" : "file");
		if (!resource->is_archive)
			json_set_string(&type, "permissions", mode);
	}
	json_set(&type, "active", jv_array_append(active, one));
	json_set(&types, resource->name.type, type);
	json_set(&plugins, slash + 1, types);
	json_set(resources, kind, plugins);
	free(kind);
}

static bool
tenant_notice_is_same(const struct resource *a, const struct resource *b)
{
	return strcmp(a->name.plugin, b->name.plugin) == 0 && strcmp(a->name.type, b->name.type) == 0 &&
	    strcmp(a->name.name, b->name.name) == 0;
}

/* Returns the active resources of the store's tenant, and those that all tenants have, by kind, plugin and type. */
static jv
tenant_notice_resources(struct store *store, struct error *err)
{
	const struct resource_name any = {0};
	struct resource_list list = {0};
	jv resources = jv_object();

	json_set(&resources, "automatortypes", jv_object());
	json_set(&resources, "providertypes", jv_object());
	if (resources_list(store, &any, RESOURCE_ACTIVE, true, &list, err) < 0) {
		jv_free(resources);
		resources = jv_invalid();
	}
	/* The tenant's own stands before what all have under its name. */
	for (size_t i = 0; jv_is_valid(resources) && i < list.count; i++)
		if (strchr(list.list[i].name.plugin, '/') && (i == 0 || !tenant_notice_is_same(&list.list[i], &list.list[i - 1])))
			tenant_notice_add_resource(&resources, &list.list[i]);
	resource_list_release(&list);
	return resources;
}

/* Sends it a request about a tenant; body NULL: it has it no longer. Returns whether it has taken that. */
static bool
tenant_notice_request(const struct provisioner *provisioner, const char *tenant, const char *body)
{
	bool is_6 = strchr(provisioner->host, ':');
	char *program = location_installed("libexec/coopr/http-post");
	char *url = memory_printf("http://%s%s%s:%" PRId64 "/v2/tenants/%s", is_6 ? "[" : "", provisioner->host, is_6 ? "]" : "",
	    provisioner->port, tenant);
	struct arguments argv = {0};
	struct buffer order = {0}, said = {0};
	struct error ignored;
	jv object = jv_object();
	bool taken;

	json_set_string(&object, "url", url);
	json_set_string(&object, "method", body ? "PUT" : "DELETE");
	json_set_string(&object, "body", body ? body : "");
	json_set(&object, "headers", json_strings((const char *const[]){"Content-Type: application/json"}, 1));
	json_set_number(&object, "timeout_s", NOTICE_TIMEOUT_S);
	json_dump(object, &order);
	arguments_push(&argv, program);
	/* Who is told of a tenant's end, and does not know it, is fine. */
	taken = process_run(argv.list, order.data, order.length, &said, &said, NOTICE_SAID_BYTES, &ignored) == 0 &&
	    (buffer_string(&said)[0] == '2' || (!body && strncmp(buffer_string(&said), "404", 3) == 0));
	if (!taken)
		message("provisioner %s: %s does not take what it is told of tenant %s: %.200s", provisioner->id, url, tenant,
		    buffer_string(&said));
	jv_free(object);
	arguments_release(&argv);
	buffer_release(&said);
	buffer_release(&order);
	free(url);
	free(program);
	return taken;
}

struct notice { /* of all tenants of a provisioner */
	const struct provisioner *provisioner;
	jv told, usage; /* owned: what it was told, by tenant; how many workers it has */
};

/* Tells it of a tenant, unless it knows. */
static int
tenant_notice_tell(struct store *store, struct notice *notice, const char *tenant, double workers, struct error *err)
{
	struct buffer text = {0};
	jv body = jv_object(), resources = jv_invalid(), known = json_get(notice->told, tenant);
	int64_t id;
	int result = store_find_tenant(store, tenant, &id, err);

	if (result > 0) {
		store_set_tenant(store, id);
		resources = tenant_notice_resources(store, err);
		result = jv_is_valid(resources) ? 1 : -1;
	}
	json_set_number(&body, "workers", workers);
	if (result > 0)
		json_set(&body, "resources", jv_copy(resources));
	json_dump(body, &text);
	if (result > 0 && (!jv_equal(jv_copy(body), jv_copy(known)) || json_get_number(notice->usage, tenant, 0) == 0) &&
	    tenant_notice_request(notice->provisioner, tenant, buffer_string(&text)))
		json_set(&notice->told, tenant, jv_copy(body));
	jv_free(known);
	jv_free(resources);
	jv_free(body);
	buffer_release(&text);
	return result < 0 ? -1 : 0;
}

/* Tells it of those tenants of which it was told, and that are not its any more. */
static void
tenant_notice_end(struct notice *notice, jv assignments)
{
	jv names = jv_keys(jv_copy(notice->told));

	for (size_t i = 0; i < json_length(names); i++) {
		jv name = json_element(names, i), still = json_get(assignments, json_string(name));

		if (!jv_is_valid(still) && tenant_notice_request(notice->provisioner, json_string(name), NULL))
			notice->told = jv_object_delete(notice->told, jv_copy(name));
		jv_free(still);
		jv_free(name);
	}
	jv_free(names);
}

/* Returns the value of a text that was stored. */
static jv
tenant_notice_parse(const char *text)
{
	struct error ignored;
	jv value;

	return json_parse("what was told", text, strlen(text), &value, &ignored) == 0 ? value : jv_object();
}

int
tenant_notice_send(struct store *store, const struct provisioner *provisioner, struct error *err)
{
	struct notice notice = {provisioner, tenant_notice_parse(provisioner->told), tenant_notice_parse(provisioner->usage)};
	jv assignments = tenant_notice_assignments(store, provisioner, err), names;
	struct buffer told = {0};
	int result = jv_is_valid(assignments) ? 0 : -1;

	names = result == 0 ? jv_keys(jv_copy(assignments)) : jv_array();
	for (size_t i = 0; result == 0 && i < json_length(names); i++) {
		jv name = json_element(names, i);

		result = tenant_notice_tell(store, &notice, json_string(name), json_get_number(assignments, json_string(name), 1), err);
		jv_free(name);
	}
	if (result == 0)
		tenant_notice_end(&notice, assignments);
	json_dump(notice.told, &told);
	if (result == 0 && strcmp(buffer_string(&told), provisioner->told) != 0)
		result = provisioners_set_told(store, provisioner->id, buffer_string(&told), err);
	buffer_release(&told);
	jv_free(names);
	jv_free(assignments);
	jv_free(notice.told);
	jv_free(notice.usage);
	return result;
}
