/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "json/credential.h"
#include "json/json.h"
#include "json/place.h"
#include "model/take/config.h"

/* Tells whether both are the same value, or both are absent. */
static bool
follow_is_same(jv a, jv b)
{
	return jv_is_valid(a) && jv_is_valid(b) ? jv_equal(jv_copy(a), jv_copy(b)) : jv_is_valid(a) == jv_is_valid(b);
}

/* Appends a value; passwords and keys in clear are nobody's who reads over the shoulder. */
static void
follow_print_value(const char *name, jv value, struct buffer *out)
{
	jv shown = jv_copy(value);

	if (!jv_is_valid(value)) {
		buffer_text(out, "absent");
	} else if (name && credential_is_clear(name, value)) {
		buffer_text(out, CREDENTIAL_HIDDEN);
	} else {
		credential_hide(&shown);
		json_dump(shown, out);
	}
	jv_free(shown);
}

/* Appends what becomes of a value whose default has changed. */
static void
follow_say(const struct place *place, jv was, jv own, jv is, struct buffer *lines)
{
	size_t start;

	buffer_text(lines, "config ");
	start = lines->length;
	place_pointer(place, lines);
	buffer_text(lines, lines->length == start ? "/: " : ": ");
	if (follow_is_same(was, own)) {
		buffer_text(lines, "follows the template's default: ");
	} else {
		buffer_text(lines, "stays ");
		follow_print_value(place->name, own, lines);
		buffer_text(lines, ", as it was set; the template's default: ");
	}
	follow_print_value(place->name, was, lines);
	buffer_text(lines, " -> ");
	follow_print_value(place->name, is, lines);
	buffer_byte(lines, '\n');
}

static jv follow_merge(jv was, const struct place *own, jv is, struct buffer *lines);

/* Merges two objects; was is one, too, or absent. */
static jv
follow_merge_members(jv was, const struct place *own, jv is, struct buffer *lines)
{
	jv names = jv_object_merge(jv_copy(own->value), jv_copy(is)), merged = jv_object();

	names = jv_keys(names);
	for (size_t i = 0; i < json_length(names); i++) {
		jv key = json_element(names, i);
		const char *name = json_string(key);
		struct place inner = place_member(own, name);
		jv before = json_get(was, name), after = json_get(is, name), value = follow_merge(before, &inner, after, lines);

		if (jv_is_valid(value))
			json_set(&merged, name, value);
		jv_free(after);
		jv_free(before);
		jv_free(key);
	}
	jv_free(names);
	return merged;
}

/* Returns the merged value, owned; invalid where it is absent. */
static jv
follow_merge(jv was, const struct place *own, jv is, struct buffer *lines)
{
	bool are_objects = jv_get_kind(own->value) == JV_KIND_OBJECT && jv_get_kind(is) == JV_KIND_OBJECT;

	if (follow_is_same(was, is) || follow_is_same(own->value, is))
		return jv_copy(own->value);
	if (are_objects && (!jv_is_valid(was) || jv_get_kind(was) == JV_KIND_OBJECT))
		return follow_merge_members(was, own, is, lines);
	follow_say(own, was, own->value, is, lines);
	return jv_copy(follow_is_same(was, own->value) ? is : own->value);
}

jv
follow_config(jv was, jv own, jv is, struct buffer *lines)
{
	struct place root = place_root(own, NULL);

	return follow_merge(was, &root, is, lines);
}

/* Returns the names of a template's default services, sorted. */
static jv
follow_default_services(jv template)
{
	jv defaults = json_get(template, "defaults"), services = json_get(defaults, "services"), names = jv_array();

	for (size_t i = 0; i < json_length(services); i++) {
		jv service = json_element(services, i);
		jv name = jv_get_kind(service) == JV_KIND_OBJECT ? json_get(service, "name") : jv_copy(service);

		if (json_string(name) && !json_array_has(names, NULL, json_string(name)))
			names = jv_array_append(names, jv_copy(name));
		jv_free(name);
		jv_free(service);
	}
	jv_free(services);
	jv_free(defaults);
	return jv_sort(names, jv_copy(names));
}

/* Returns the names of one list that are not in the other. */
static jv
follow_without(jv list, jv other)
{
	jv rest = jv_array();

	for (size_t i = 0; i < json_length(list); i++) {
		jv name = json_element(list, i);

		if (!json_array_has(other, NULL, json_string(name)))
			rest = jv_array_append(rest, jv_copy(name));
		jv_free(name);
	}
	return rest;
}

static void
follow_say_services(jv names, const char *becomes, bool follows, struct buffer *lines)
{
	for (size_t i = 0; i < json_length(names); i++) {
		jv name = json_element(names, i);

		buffer_printf(lines, "service %s: the template %s by default; ", json_string(name), becomes);
		buffer_text(lines, follows ? "the cluster follows\n" : "the cluster's services stay, as they were chosen\n");
		jv_free(name);
	}
}

/* Removes the numbers of instances of services that the cluster has no longer. */
static void
follow_drop_instances(jv *cluster, jv gone)
{
	jv instances = json_get(*cluster, "instances");

	for (size_t i = 0; i < json_length(gone) && jv_get_kind(instances) == JV_KIND_OBJECT; i++)
		instances = jv_object_delete(instances, json_element(gone, i));
	if (jv_get_kind(instances) == JV_KIND_OBJECT)
		json_set(cluster, "instances", instances);
	else
		jv_free(instances);
}

/* Adds the services that have become defaults, and removes those that are none any more; but where the user has taken out some of
 * the former defaults, the services are a choice, and stay. */
static void
follow_services(jv *cluster, jv was, jv is, struct buffer *lines)
{
	jv before = follow_default_services(was), after = follow_default_services(is), own = json_get(*cluster, "services");
	jv taken_out = follow_without(before, own);
	jv come = follow_without(after, before), gone = follow_without(before, after), added, removed, kept;
	bool follows = json_length(taken_out) == 0;

	added = follow_without(come, own);
	removed = follow_without(gone, taken_out);
	follow_say_services(added, "has it now", follows, lines);
	follow_say_services(removed, "has it no longer", follows, lines);
	kept = jv_array_concat(follow_without(own, removed), jv_copy(added));
	if (follows && json_length(kept) > 0) {
		json_set(cluster, "services", jv_sort(kept, jv_copy(kept)));
		follow_drop_instances(cluster, removed);
	} else {
		jv_free(kept);
	}
	jv_free(removed);
	jv_free(added);
	jv_free(gone);
	jv_free(come);
	jv_free(taken_out);
	jv_free(own);
	jv_free(after);
	jv_free(before);
}

/* Says which types and provider the template names by default now: new machines are of these types, and nothing else follows. */
static void
follow_say_defaults(jv was, jv is, struct buffer *lines)
{
	static const struct {
		const char *member, *words, *rest;
	} rows[] = {{"hardwaretype", "hardware type", "; machines that are there keep theirs"},
	    {"imagetype", "image type", "; machines that are there keep theirs"},
	    {"provider", "provider", "; the cluster keeps its own"}, {"dnsSuffix", "DNS suffix", "; the cluster keeps its own"}};
	jv before = json_get(was, "defaults"), after = json_get(is, "defaults");

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		jv a = json_get(before, rows[i].member), b = json_get(after, rows[i].member);

		if (!follow_is_same(a, b)) {
			buffer_printf(lines, "the template's default %s: ", rows[i].words);
			follow_print_value(NULL, a, lines);
			buffer_text(lines, " -> ");
			follow_print_value(NULL, b, lines);
			buffer_printf(lines, "%s\n", rows[i].rest);
		}
		jv_free(a);
		jv_free(b);
	}
	jv_free(before);
	jv_free(after);
}

void
follow_template(jv *request, jv template, struct buffer *lines)
{
	jv was = json_get(*request, "template"), cluster, own, before, after;

	if (jv_get_kind(was) != JV_KIND_OBJECT) {
		buffer_text(lines, "the cluster does not say what its template gave by default: its configuration and services stay\n");
		jv_free(was);
		return;
	}
	cluster = json_get(*request, "cluster");
	own = json_get(cluster, "config");
	before = config_of_template(was);
	after = config_of_template(template);
	json_set(&cluster, "config", follow_config(before, own, after, lines));
	follow_services(&cluster, was, template, lines);
	follow_say_defaults(was, template, lines);
	json_set(request, "cluster", cluster);
	jv_free(after);
	jv_free(before);
	jv_free(own);
	jv_free(was);
}
