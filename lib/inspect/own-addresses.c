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

enum {
	ANY_PORT = 22, /* an address is resolved with one */
	OWN_ADDRESSES_MAX = 2000,
};

struct walk { /* over all that the fields of a provider say */
	const struct string_list *ranges;
	bool pins;
	int count; /* of addresses so far */
};

/* Returns what the plugin of the provider says of its fields, owned. */
static jv
own_addresses_schema(struct fields_check *check, jv provider)
{
	char *type = json_get_string(provider, "providertype");
	jv schema = type ? jv_copy(fields_schema(check, "provider", type)) : jv_invalid();

	free(type);
	return schema;
}

/* Tells whether what is said of a field is that it is an address. */
static bool
own_addresses_marked(jv property)
{
	char *of = json_get_string(property, "of");
	bool marked = of && strcmp(of, ORIGIN_ADDRESS) == 0;

	free(of);
	return marked;
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

/* Returns the address that stands there, or the one in numbers that it is to be stored as; owned. */
static jv
own_addresses_take(const struct place *place, struct walk *walk)
{
	const char *text = json_string(place->value), *pinned = NULL;
	struct arena arena = {0};
	jv value;

	if (++walk->count == OWN_ADDRESSES_MAX + 1)
		place_problem(place, "a tenant's provider has %d addresses at most; write another provider for the others", OWN_ADDRESSES_MAX);
	if (walk->count > OWN_ADDRESSES_MAX)
		return jv_copy(place->value);
	if (text && walk->pins)
		pinned = own_addresses_resolve(text, walk->ranges, &arena);
	if (!pinned && !(text && range_list_has(walk->ranges, text)))
		own_addresses_refuse(place, walk->ranges);
	value = pinned ? jv_string(pinned) : jv_copy(place->value);
	arena_release(&arena);
	return value;
}

/* Returns the value, owned, with all addresses in it as own_addresses_take has them; property is what is said of it. */
static jv
own_addresses_walk(const struct place *place, jv property, struct walk *walk)
{
	jv value = jv_copy(place->value), items = json_get(property, "items"), properties = json_get(property, "properties");
	struct place inner;

	if (own_addresses_marked(property)) {
		jv_free(value);
		value = own_addresses_take(place, walk);
	} else if (jv_get_kind(value) == JV_KIND_ARRAY && jv_is_valid(items)) {
		for (size_t i = 0; i < json_length(place->value); i++) {
			inner = place_element(place, i);
			value = jv_array_set(value, (int)i, own_addresses_walk(&inner, items, walk));
		}
	} else if (jv_get_kind(properties) == JV_KIND_OBJECT && jv_get_kind(value) == JV_KIND_OBJECT) {
		struct members members = members_of(place);

		while (members_next(&members, &inner)) {
			jv described = json_get(properties, inner.name);

			json_set(&value, inner.name, own_addresses_walk(&inner, described, walk));
			jv_free(described);
		}
	}
	jv_free(properties);
	jv_free(items);
	return value;
}

void
own_addresses_pin(struct fields_check *check, jv *provider, const struct string_list *ranges)
{
	jv schema = own_addresses_schema(check, *provider), fields = json_get(*provider, "provisioner");
	const struct place place = place_root(fields, NULL);
	struct walk walk = {.ranges = ranges, .pins = true};

	if (jv_is_valid(fields))
		json_set(provider, "provisioner", own_addresses_walk(&place, schema, &walk));
	jv_free(fields);
	jv_free(schema);
}

void
own_addresses_check(struct fields_check *check, const struct place *provider, const struct string_list *ranges)
{
	jv schema = own_addresses_schema(check, provider->value);
	struct place fields = place_member(provider, "provisioner");
	struct walk walk = {.ranges = ranges};

	jv_free(own_addresses_walk(&fields, schema, &walk));
	jv_free(schema);
}
