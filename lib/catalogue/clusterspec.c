/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/clusterspec.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/option.h"
#include "model/document.h"
#include "model/duration.h"
#include "model/name.h"

static const char *const member_names[] = {"config", "description", "dnsSuffix", "group", "hardwaretype", "imagetype",
    "kind",
	"lease", "name", "numMachines", "owner", "provider", "services", "set", "template", NULL};

/* Other documents pass on what they do not know. Here it would be a slip of the pen that changes a cluster. */
static void
clusterspec_check_members(const struct place *place)
{
	struct members members = members_of(place);
	struct place member;

	while (members_next(&members, &member)) {
		size_t i = 0;
		const char *near;

		while (member_names[i] && strcmp(member_names[i], member.name) != 0)
			i++;
		if (member_names[i])
			continue;
		near = option_suggest(member.name, member_names);
		place_problem(&member, "there is no such member%s%s%s", near ? "; did you mean " : "", near ? near : "",
		    near ? "?" : "");
	}
}

static void
clusterspec_parse_machines(const struct place *place, struct clusterspec *spec)
{
	struct place machines = place_member(place, "numMachines");

	if (!place_present(&machines))
		return;
	if (jv_get_kind(machines.value) != JV_KIND_OBJECT) {
		spec->machines_min = spec->machines_max = place_integer(place, "numMachines", 0, 1, INT64_MAX);
		return;
	}
	spec->machines_min = place_integer(&machines, "min", 0, 1, INT64_MAX);
	spec->machines_max = place_integer(&machines, "max", 0, 1, INT64_MAX);
	if (spec->machines_max && spec->machines_min > spec->machines_max)
		place_problem(&machines, "min %" PRId64 " is more than max %" PRId64, spec->machines_min, spec->machines_max);
}

static bool
clusterspec_is_lease(const char *text)
{
	return strcmp(text, "0") == 0 || duration_parse(text) >= 0;
}

static int64_t
clusterspec_parse_lease(const struct place *place, struct arena *arena)
{
	const char *text = name_parse_as(place, "lease", NEED_OPTIONAL, clusterspec_is_lease,
	    "time: expected as 30s, 15m, 12h or 2d, or 0", arena);

	return !text ? -1 : strcmp(text, "0") == 0 ? 0 : duration_parse(text);
}

static void
clusterspec_parse_settings(const struct place *place, struct clusterspec *spec)
{
	struct place set = place_member(place, "set"), member;
	struct members members;
	struct buffer text = {0};

	if (!place_object(&set, NEED_OPTIONAL))
		return;
	spec->settings.list = arena_alloc(&spec->arena, json_length(set.value), sizeof *spec->settings.list);
	members = members_of(&set);
	while (members_next(&members, &member)) {
		if (!*member.name || strchr(member.name, '=')) {
			place_problem(&member, "that is no path of a configuration");
			continue;
		}
		buffer_clear(&text);
		buffer_printf(&text, "%s=", member.name);
		json_dump(member.value, &text);
		spec->settings.list[spec->settings.count++] = arena_string(&spec->arena, text.data);
	}
	buffer_release(&text);
}

/* What it says and nothing else: sets are sorted, what is null or for people is left out. */
static jv
clusterspec_essence_of(const struct place *place, const struct string_list *services)
{
	struct members members = members_of(place);
	jv source = jv_object(), list = jv_array();
	struct place member;

	while (members_next(&members, &member))
		if (place_present(&member) && strcmp(member.name, "description") != 0)
			json_set(&source, member.name, jv_copy(member.value));
	for (size_t i = 0; i < services->count; i++)
		list = jv_array_append(list, jv_string(services->list[i]));
	if (services->count) {
		json_set(&source, "services", list);
		return source;
	}
	jv_free(list);
	return jv_object_delete(source, jv_string("services"));
}

void
clusterspec_parse(const struct place *place, struct clusterspec *spec)
{
	struct arena *arena = &spec->arena;
	struct place config = place_member(place, "config");

	*spec = (struct clusterspec){.lease_ms = -1, .source = jv_invalid()};
	if (!place_object(place, NEED_REQUIRED))
		return;
	document_check_kind(place, "clusterspec", NEED_REQUIRED);
	clusterspec_check_members(place);
	spec->name = name_parse(place, "name", NEED_REQUIRED, arena);
	spec->template = name_parse(place, "template", NEED_REQUIRED, arena);
	spec->provider = name_parse(place, "provider", NEED_OPTIONAL, arena);
	spec->hardwaretype = name_parse(place, "hardwaretype", NEED_OPTIONAL, arena);
	spec->imagetype = name_parse(place, "imagetype", NEED_OPTIONAL, arena);
	spec->dns_suffix = name_parse_as(place, "dnsSuffix", NEED_OPTIONAL, name_is_dns_suffix, "DNS suffix", arena);
	spec->owner = name_parse_as(place, "owner", NEED_OPTIONAL, name_is_user, "user", arena);
	spec->group = name_parse(place, "group", NEED_OPTIONAL, arena);
	spec->services = name_set_parse(place, "services", arena);
	spec->lease_ms = clusterspec_parse_lease(place, arena);
	place_string(place, "description", NEED_OPTIONAL, arena);
	place_object(&config, NEED_OPTIONAL);
	clusterspec_parse_machines(place, spec);
	clusterspec_parse_settings(place, spec);
	spec->source = clusterspec_essence_of(place, &spec->services);
}

jv
clusterspec_config(const struct clusterspec *spec)
{
	return json_get(spec->source, "config");
}

char *
clusterspec_text(const struct clusterspec *spec)
{
	struct buffer text = {0};

	json_dump(spec->source, &text);
	return buffer_take(&text);
}

void
clusterspec_release(struct clusterspec *spec)
{
	jv_free(spec->source);
	arena_release(&spec->arena);
	*spec = (struct clusterspec){.source = jv_invalid()};
}
