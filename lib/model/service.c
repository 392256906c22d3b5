/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "model/document.h"
#include "model/entity.h"
#include "model/name.h"

/* Tells whether a field is a list of what the action looks up: "nodes", "config". A plugin may have a string of that name. */
static bool
service_is_list(const struct place *field)
{
	return jv_get_kind(field->value) == JV_KIND_ARRAY && field->name &&
	    (strcmp(field->name, "nodes") == 0 || strcmp(field->name, "config") == 0);
}

static void
service_check_fields(const struct place *fields)
{
	struct members members = members_of(fields);
	struct arena scratch = {0};
	struct place field;

	while (members_next(&members, &field))
		if (service_is_list(&field))
			name_read_list(&field, NEED_REQUIRED, &scratch);
		else
			place_text(&field, NEED_REQUIRED);
	arena_release(&scratch);
}

/* Adds the names in a list of the action's fields to a set; returns whether there is such a list. */
static bool
service_add_listed(const struct place *action, const char *name, struct arena *arena, struct string_list *to)
{
	struct place fields = place_member(action, "fields"), field = place_member(&fields, name);
	struct string_list set;
	size_t room;

	if (!service_is_list(&field))
		return false;
	room = to->count + json_length(field.value);
	set = (struct string_list){arena_alloc(arena, room, sizeof *set.list), to->count};
	if (to->count)
		memcpy(set.list, to->list, to->count * sizeof *set.list);
	for (size_t i = 0; i < json_length(field.value); i++) {
		const char *text = json_string(place_element(&field, i).value);

		if (text && name_is_valid(text))
			set.list[set.count++] = arena_string(arena, text);
	}
	name_set_make(&set);
	*to = set;
	return true;
}

static void
service_add_reads(const struct place *action, struct arena *arena, struct service_reads *reads)
{
	service_add_listed(action, "nodes", arena, &reads->nodes);
	if (service_add_listed(action, "config", arena, &reads->config))
		reads->tells_config = true;
}

/* Data stands at absolute paths of the machine. */
static void
service_check_data(const struct place *data)
{
	for (size_t i = 0, count = json_length(data->value); i < count; i++) {
		struct place element = place_element(data, i);

		if (place_text(&element, NEED_REQUIRED) && *json_string(element.value) != '/')
			place_problem(&element, "expected an absolute path");
	}
}

/* Tells whether text is an absolute path, but not the root, of parts that are neither empty nor "." or "..", nor have blanks. */
static bool
service_is_mount_point(const char *text)
{
	if (!*text || strpbrk(text, "\n\t \\"))
		return false;
	for (; *text; text += strcspn(text, "/")) {
		size_t length = *text == '/' ? strcspn(++text, "/") : 0;

		if (!length || (length == 1 && *text == '.') || (length == 2 && text[0] == '.' && text[1] == '.'))
			return false;
	}
	return true;
}

static const struct member volume_members[] = {
	{"keep", MEMBER_BOOLEAN(struct volume_wish, keep), 0, .integer.otherwise = true},
	{"name", MEMBER_NAME(struct volume_wish, name), MEMBER_REQUIRED},
	{"path", MEMBER_STRING(struct volume_wish, path), MEMBER_REQUIRED, .is_valid = service_is_mount_point,
	    .what = "not the absolute path of a folder, without blanks and \"..\""},
	{"size_gb", MEMBER_INTEGER(struct volume_wish, size_gb), MEMBER_REQUIRED, .integer = {1, VOLUME_MAX_GB}},
};
static const struct document volume_wish_table = {DOCUMENT_MEMBERS(volume_members), .size = sizeof(struct volume_wish),
	.unknown = "a volume has keep, name, path and size_gb"};

/* That member is of one volume. */
static void
service_check_unique(const struct place *volumes, const char *member)
{
	for (size_t i = 1; i < json_length(volumes->value); i++) {
		struct place volume = place_element(volumes, i), mine = place_member(&volume, member);

		for (size_t j = 0; j < i; j++) {
			struct place before = place_element(volumes, j);
			const char *text = json_string(mine.value), *its = json_string(place_member(&before, member).value);

			if (text && its && strcmp(text, its) == 0)
				place_problem(&mine, "two volumes have the %s %.80s", member, text);
		}
	}
}

static void
service_check_volumes(const struct place *volumes)
{
	service_check_unique(volumes, "name");
	service_check_unique(volumes, "path");
}

/* A digest is a name in the state folder, too. */
static bool
service_is_digest(const char *text)
{
	return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static const struct member action_members[] = {
	{"digest", MEMBER_STRING(struct service_action, digest), 0, .is_valid = service_is_digest, .what = "not a SHA-256 in hexadecimal"},
	{"expect_s", MEMBER_NUMBER(struct service_action, expect_s), 0, .number = {0, ACTION_TIMEOUT_MAX_S, -1}},
	{"fields", MEMBER_VALUE(struct service_action, fields), 0, .check = service_check_fields},
	{"kept", MEMBER_BOOLEAN(struct service_action, kept), 0},
	{"patience_s", MEMBER_INTEGER(struct service_action, patience_s), 0,
	    .integer = {0, ACTION_PATIENCE_MAX_S, ACTION_PATIENCE_S}},
	{"resources", MEMBER_STRINGS(struct service_action, resources), 0},
	{"retries", MEMBER_INTEGER(struct service_action, retries), 0, .integer = {0, ACTION_RETRIES_MAX, ACTION_RETRIES}},
	{"timeout_s", MEMBER_INTEGER(struct service_action, timeout_s), 0, .integer = {1, ACTION_TIMEOUT_MAX_S, ACTION_TIMEOUT_S}},
	{"type", MEMBER_NAME(struct service_action, type), MEMBER_REQUIRED},
};
static const struct document service_action_table = {DOCUMENT_MEMBERS(action_members), .size = sizeof(struct service_action)};

/* Shared by services without actions: there may be thousands of them in a request, and the table is large. */
static const struct service_action service_absent_actions[ACTION_COUNT];

/* The actions are members by the names of action.h; how long one takes depends on which it is. */
static void
service_parse_actions(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct service *service = to;
	struct service_action *actions;

	service->actions = service_absent_actions;
	service->own_actions = NULL;
	if (!place_object(place, NEED_OPTIONAL))
		return;
	service->actions = service->own_actions = actions = arena_alloc(arena, ACTION_COUNT, sizeof *actions);
	for (enum action action = 0; action < ACTION_COUNT; action++) {
		const struct member row = {action_name(action), .type = TYPE_OBJECT, .inner = member->inner};
		struct service_action *out = &actions[action];
		struct place at = place_member(place, row.name);

		if (action_is_hardware(action) || action_table[action].is_check)
			continue;
		document_parse_member(&row, &at, false, arena, out);
		out->present = jv_get_kind(at.value) == JV_KIND_OBJECT;
		if (out->expect_s < 0)
			out->expect_s = action_expect_s(action);
		if (!out->present)
			continue;
		service_add_reads(&at, arena, &out->reads);
		if (action != ACTION_INSTALL && action != ACTION_REMOVE)
			service_add_reads(&at, arena, &service->reads);
	}
}

static const struct member provisioner_members[] = {
	{"actions", MEMBER_CUSTOM, 0, .parse = service_parse_actions, .inner = &service_action_table},
};
static const struct document provisioner = {DOCUMENT_MEMBERS(provisioner_members)};

static const struct member install_members[] = {
	{"local", MEMBER_NAMES(struct service, install_local), 0},
	{"requires", MEMBER_NAMES(struct service, install_requires), 0},
	{"uses", MEMBER_NAMES(struct service, install_uses), 0},
};
static const struct document install = {DOCUMENT_MEMBERS(install_members)};

static const struct member runtime_members[] = {
	{"local", MEMBER_NAMES(struct service, runtime_local), 0},
	{"requires", MEMBER_NAMES(struct service, runtime_requires), 0},
	{"uses", MEMBER_NAMES(struct service, runtime_uses), 0},
};
static const struct document runtime = {DOCUMENT_MEMBERS(runtime_members)};

static const struct member dependencies_members[] = {
	{"conflicts", MEMBER_NAMES(struct service, conflicts), 0},
	{"install", MEMBER_INLINE, 0, .inner = &install},
	{"provides", MEMBER_NAMES(struct service, provides), 0},
	{"runtime", MEMBER_INLINE, 0, .inner = &runtime},
};
static const struct document dependencies = {DOCUMENT_MEMBERS(dependencies_members)};

static const struct member members[] = {
	{"backup", MEMBER_OBJECT(struct service, backup), 0, .inner = &backup_policy_table, MEMBER_PRESENT(struct service, says_backup)},
	{"config", MEMBER_PASSED, 0},
	{"consumes", MEMBER_AMOUNTS(struct service, consumes), 0},
	{"data", MEMBER_STRINGS(struct service, data), 0, .check = service_check_data},
	{"dependencies", MEMBER_INLINE, 0, .inner = &dependencies},
	{"description", MEMBER_PASSED, 0},
	{"label", MEMBER_PASSED, 0},
	{"links", MEMBER_LIST(struct service, links.list, struct link, links.count), 0, .inner = &link_table},
	{"name", MEMBER_NAME(struct service, name), MEMBER_REQUIRED},
	{"of", MEMBER_STRING(struct service, of), MEMBER_OMITTED},
	{"provisioner", MEMBER_INLINE, 0, .inner = &provisioner},
	{"ready_timeout_s", MEMBER_INTEGER(struct service, ready_timeout_s), 0, .integer = {1, ACTION_TIMEOUT_MAX_S, ACTION_READY_S}},
	{"repair", MEMBER_STRING(struct service, repair), 0, .is_valid = service_is_repair, .what = "neither restore nor report"},
	{"stateful", MEMBER_BOOLEAN(struct service, stateful), 0, MEMBER_PRESENT(struct service, says_stateful)},
	{"volumes", MEMBER_LIST(struct service, volumes, struct volume_wish, volume_count), 0, .inner = &volume_wish_table,
	    .check = service_check_volumes},
};

/* Makes the check of the service, which asks for its status once and again until it is healthy. */
static void
service_add_check(const struct place *place, struct arena *arena, void *to)
{
	struct service *service = to;
	struct service_action *check;

	(void)place;
	(void)arena;
	if (!service->own_actions)
		return;
	check = &service->own_actions[ACTION_CHECK];
	*check = service->actions[ACTION_STATUS];
	check->present = check->present && service->actions[ACTION_START].present;
	check->retries = 0;
	check->patience_s = service->ready_timeout_s;
	if (check->timeout_s > service->ready_timeout_s)
		check->timeout_s = service->ready_timeout_s;
}

const struct document service_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct service),
	DOCUMENT_SOURCE(struct service, source), .is_verbatim = true, .check = service_add_check};

bool
service_says_data(const struct service *service)
{
	return service->says_stateful || service->data.count > 0 || service->volume_count > 0;
}

static bool
service_is_kept(const struct service *service, const char *path)
{
	bool is_kept = false;

	for (size_t i = 0; i < service->volume_count; i++) {
		const struct volume_wish *volume = &service->volumes[i];
		size_t length = strlen(volume->path);

		is_kept = is_kept || (volume->keep && strncmp(path, volume->path, length) == 0 && (path[length] == '/' || !path[length]));
	}
	return is_kept;
}

bool
service_keeps_volumes(const struct service *service)
{
	for (size_t i = 0; i < service->volume_count; i++)
		if (service->volumes[i].keep)
			return true;
	return false;
}

bool
services_ask_for_volumes(jv services)
{
	bool any = false;

	for (size_t i = 0; i < json_length(services) && !any; i++) {
		jv service = json_element(services, i), volumes = json_get(service, "volumes");

		any = json_length(volumes) > 0;
		jv_free(volumes);
		jv_free(service);
	}
	return any;
}

bool
service_is_on_volumes(const struct service *service)
{
	bool is_on = service_keeps_volumes(service);

	for (size_t i = 0; i < service->data.count; i++)
		is_on = is_on && service_is_kept(service, service->data.list[i]);
	return is_on;
}

bool
service_has_data(const struct service *service)
{
	return service->stateful || service->data.count > 0 || service_keeps_volumes(service);
}

int
service_compare_names(const void *a, const void *b)
{
	return strcmp(((const struct service *)a)->name, ((const struct service *)b)->name);
}

void
service_parse(const struct place *place, struct arena *arena, struct service *service)
{
	document_parse(&service_table, place, arena, service);
}
