/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/clusterspec.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "model/document.h"
#include "model/duration.h"
#include "model/name.h"

/* 5, or {"min":3,"max":50}. */
static void
clusterspec_parse_machines(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct clusterspec *spec = to;

	(void)member;
	(void)arena;
	if (jv_get_kind(place->value) != JV_KIND_OBJECT) {
		spec->machines_min = spec->machines_max = place_read_integer(place, 0, 1, INT64_MAX);
		return;
	}
	spec->machines_min = place_integer(place, "min", 0, 1, INT64_MAX);
	spec->machines_max = place_integer(place, "max", 0, 1, INT64_MAX);
	if (spec->machines_max && spec->machines_min > spec->machines_max)
		place_problem(place, "min %" PRId64 " is more than max %" PRId64, spec->machines_min, spec->machines_max);
}

static void
clusterspec_parse_instances(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	(void)member;
	request_parse_instances(place, arena, &((struct clusterspec *)to)->instances);
}

static void
clusterspec_parse_lease(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct clusterspec *spec = to;
	const char *text = json_string(place->value);

	(void)member;
	(void)arena;
	spec->lease_ms = -1;
	if (!place_text(place, NEED_OPTIONAL))
		return;
	spec->lease_ms = strcmp(text, "0") == 0 ? 0 : duration_parse(text);
	if (spec->lease_ms < 0) {
		place_problem(place, "\"%.80s\" is not a time: expected 30s, 15m, 12h or 2d, or 0", text);
		spec->lease_ms = -1;
	}
}

static void
clusterspec_parse_settings(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct clusterspec *spec = to;
	struct members members;
	struct place setting;
	struct buffer text = {0};

	(void)member;
	if (!place_object(place, NEED_OPTIONAL))
		return;
	spec->settings.list = arena_alloc(arena, json_length(place->value), sizeof *spec->settings.list);
	members = members_of(place);
	while (members_next(&members, &setting)) {
		if (!*setting.name || strchr(setting.name, '=')) {
			place_problem(&setting, "that is not a path in a configuration");
			continue;
		}
		buffer_clear(&text);
		buffer_printf(&text, "%s=", setting.name);
		json_dump(setting.value, &text);
		spec->settings.list[spec->settings.count++] = arena_string(arena, text.data);
	}
	buffer_release(&text);
}

/* Keeps the document with its sets sorted, without what is null or only for people. */
static void
clusterspec_keep_source(const struct place *place, struct arena *arena, void *to)
{
	struct clusterspec *spec = to;
	struct members members = members_of(place);
	jv source = jv_object();
	struct place member;

	(void)arena;
	while (members_next(&members, &member))
		if (place_present(&member) && strcmp(member.name, "description") != 0 && strcmp(member.name, "services") != 0)
			json_set(&source, member.name, jv_copy(member.value));
	if (spec->services.count)
		json_set(&source, "services", json_strings(spec->services.list, spec->services.count));
	spec->source = source;
}

static void
clusterspec_release_source(void *to)
{
	jv_free(((struct clusterspec *)to)->source);
}

static const struct member members[] = {
	{"config", MEMBER_VALUE(struct clusterspec, config), 0},
	{"description", MEMBER_STRING(struct clusterspec, description), 0},
	{"dnsSuffix", MEMBER_STRING(struct clusterspec, dns_suffix), 0, .is_valid = name_is_dns_suffix, .what = "not a DNS suffix"},
	{"group", MEMBER_NAME(struct clusterspec, group), 0},
	{"hardwaretype", MEMBER_NAME(struct clusterspec, hardwaretype), 0},
	{"imagetype", MEMBER_NAME(struct clusterspec, imagetype), 0},
	{"instances", MEMBER_CUSTOM, 0, .parse = clusterspec_parse_instances},
	{"kind", MEMBER_KIND("clusterspec")},
	{"lease", MEMBER_CUSTOM, 0, .parse = clusterspec_parse_lease},
	{"name", MEMBER_NAME(struct clusterspec, name), MEMBER_REQUIRED},
	{"numMachines", MEMBER_CUSTOM, 0, .parse = clusterspec_parse_machines},
	{"owner", MEMBER_STRING(struct clusterspec, owner), 0, .is_valid = name_is_user, .what = "not a user"},
	{"provider", MEMBER_NAME(struct clusterspec, provider), 0},
	{"services", MEMBER_SET(struct clusterspec, services), 0},
	{"set", MEMBER_CUSTOM, 0, .parse = clusterspec_parse_settings},
	{"template", MEMBER_NAME(struct clusterspec, template), MEMBER_REQUIRED},
};

/* Other documents pass on what they do not know. Here it would be a slip of the pen that changes a cluster. */
const struct document clusterspec_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct clusterspec),
	.unknown = "there is no such member", .check = clusterspec_keep_source, .release = clusterspec_release_source};

void
clusterspec_parse(const struct place *place, struct clusterspec *spec)
{
	document_parse(&clusterspec_table, place, &spec->arena, spec);
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
	struct arena arena = spec->arena;

	document_release(&clusterspec_table, spec);
	arena_release(&arena);
}
