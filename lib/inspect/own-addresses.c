/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/own-addresses.h"

#include <stdlib.h>
#include <string.h>

#include "address/machine-address.h"
#include "address/range.h"
#include "base/buffer.h"
#include "base/error.h"
#include "model/name.h"
#include "model/take/origin.h"

enum { ANY_PORT = 22 }; /* an address is resolved with one */

/* Returns what the plugin of the provider says of its fields, owned. */
static jv
own_addresses_schema(struct fields_check *check, jv provider)
{
	char *type = json_get_string(provider, "providertype");
	jv schema = type ? fields_schema(check, "provider", type) : jv_invalid(), properties = json_get(schema, "properties");

	free(type);
	return properties;
}

/* Tells whether the member of a list's objects is an address, by what the description of the list says. */
static bool
own_addresses_is_one(jv property, const char *member)
{
	jv items = json_get(property, "items"), properties = json_get(items, "properties"), described = json_get(properties, member);
	char *of = json_get_string(described, "of");
	bool is_one = of && strcmp(of, ORIGIN_ADDRESS) == 0;

	free(of);
	jv_free(described);
	jv_free(properties);
	jv_free(items);
	return is_one;
}

/* Returns the address, in the arena, or NULL. */
static const char *
own_addresses_resolve(const char *text, const struct string_list *ranges, struct arena *arena)
{
	const char *machine = arena_printf(arena, "%s:%d", text, ANY_PORT);
	struct string_list found;
	struct error ignored; /* the check tells of what stays */

	if (!name_is_host(text) || machine_address_resolve(machine, arena, &found, &ignored) < 0 || found.count == 0 ||
	    machine_address_check(machine, &found, ranges, &ignored) < 0)
		return NULL;
	return arena_substring(arena, found.list[0], (size_t)(strrchr(found.list[0], ':') - found.list[0]));
}

/* Pins the members of one object of a list. */
static jv
own_addresses_pin_object(jv object, jv property, const struct string_list *ranges)
{
	const struct place place = place_root(object, NULL);
	struct members members = members_of(&place);
	struct arena arena = {0};
	jv pinned = jv_copy(object);
	struct place member;

	while (members_next(&members, &member)) {
		const char *text = own_addresses_is_one(property, member.name) ? json_string(member.value) : NULL;
		const char *address = text ? own_addresses_resolve(text, ranges, &arena) : NULL;

		if (address)
			json_set_string(&pinned, member.name, address);
	}
	arena_release(&arena);
	return pinned;
}

void
own_addresses_pin(struct fields_check *check, jv *provider, const struct string_list *ranges)
{
	jv properties = own_addresses_schema(check, *provider), fields = json_get(*provider, "provisioner"), pinned = jv_copy(fields);
	const struct place root = place_root(fields, NULL);
	struct members members = members_of(&root);
	struct place field;

	while (members_next(&members, &field)) {
		jv property = json_get(properties, field.name), list = jv_copy(field.value);

		for (size_t i = 0; jv_get_kind(field.value) == JV_KIND_ARRAY && i < json_length(field.value); i++) {
			jv object = json_element(field.value, i);

			if (jv_get_kind(object) == JV_KIND_OBJECT)
				list = jv_array_set(list, (int)i, own_addresses_pin_object(object, property, ranges));
			jv_free(object);
		}
		json_set(&pinned, field.name, list);
		jv_free(property);
	}
	if (jv_get_kind(fields) == JV_KIND_OBJECT)
		json_set(provider, "provisioner", jv_copy(pinned));
	jv_free(pinned);
	jv_free(fields);
	jv_free(properties);
}

static void
own_addresses_refuse(const struct place *address, const struct string_list *ranges)
{
	struct buffer list = {0};

	for (size_t i = 0; i < ranges->count; i++)
		buffer_printf(&list, "%s%s", i ? ", " : "", ranges->list[i]);
	if (ranges->count == 0)
		place_problem(address, "the tenant has no addresses for machines of its own; a superadmin gives it some with "
		    "coopr-tenant change --addresses");
	else
		place_problem(address, "\"%.80s\" is none of the addresses that the tenant's own machines may have, or stands for another, too: %s; "
		    "a superadmin changes them with coopr-tenant change --addresses", json_string(address->value) ? json_string(address->value) : "",
		    buffer_string(&list));
	buffer_release(&list);
}

/* Checks the members of the objects of one list. */
static void
own_addresses_check_list(const struct place *list, jv property, const struct string_list *ranges)
{
	for (size_t i = 0; i < json_length(list->value); i++) {
		struct place object = place_element(list, i), member;
		struct members members;

		if (jv_get_kind(object.value) != JV_KIND_OBJECT)
			continue;
		members = members_of(&object);
		while (members_next(&members, &member))
			if (own_addresses_is_one(property, member.name) &&
			    !(json_string(member.value) && range_list_has(ranges, json_string(member.value))))
				own_addresses_refuse(&member, ranges);
	}
}

void
own_addresses_check(struct fields_check *check, const struct place *provider, const struct string_list *ranges)
{
	jv properties = own_addresses_schema(check, provider->value);
	struct place fields = place_member(provider, "provisioner"), field;
	struct members members = members_of(&fields);

	while (members_next(&members, &field)) {
		jv property = json_get(properties, field.name);

		if (jv_get_kind(field.value) == JV_KIND_ARRAY)
			own_addresses_check_list(&field, property, ranges);
		jv_free(property);
	}
	jv_free(properties);
}
