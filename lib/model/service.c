/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "model/document.h"
#include "model/entity.h"
#include "model/name.h"

static void
service_parse_fields(const struct place *action, struct service_action *out)
{
	struct place fields = place_member(action, "fields"), field;
	struct members members;

	if (!place_object(&fields, NEED_OPTIONAL))
		return;
	out->fields = fields.value;
	members = members_of(&fields);
	while (members_next(&members, &field))
		if (!json_string(field.value))
			place_problem(&field, "expected string, found %s", json_kind_name(field.value));
}

static void
service_parse_action(const struct place *actions, enum action action, struct arena *arena, struct service_action *out)
{
	struct place place = place_member(actions, action_name(action));

	*out = (struct service_action){.timeout_s = ACTION_TIMEOUT_S, .retries = ACTION_RETRIES,
	    .expect_s = action_expect_s(action)};
	if (!place_object(&place, NEED_OPTIONAL))
		return;
	out->present = true;
	out->type = name_parse(&place, "type", NEED_REQUIRED, arena);
	out->timeout_s = place_integer(&place, "timeout_s", ACTION_TIMEOUT_S, 1, ACTION_TIMEOUT_MAX_S);
	out->retries = place_integer(&place, "retries", ACTION_RETRIES, 0, ACTION_RETRIES_MAX);
	out->expect_s = place_number(&place, "expect_s", action_expect_s(action), 0, ACTION_TIMEOUT_MAX_S);
	service_parse_fields(&place, out);
}

static void
service_parse_actions(const struct place *service, struct arena *arena, struct service *out)
{
	struct place provisioner = place_member(service, "provisioner"), actions;

	actions = (struct place){.problems = service->problems};
	if (place_object(&provisioner, NEED_OPTIONAL)) {
		actions = place_member(&provisioner, "actions");
		place_object(&actions, NEED_OPTIONAL);
	}
	for (enum action action = 0; action < ACTION_COUNT; action++)
		if (!action_is_hardware(action))
			service_parse_action(&actions, action, arena, &out->actions[action]);
}

static void
service_parse_needs(const struct place *dependencies, const char *stage, struct arena *arena,
    struct string_list *needed, struct string_list *used, struct string_list *local)
{
	struct place place = place_member(dependencies, stage);

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	*needed = name_list_parse(&place, "requires", arena);
	*used = name_list_parse(&place, "uses", arena);
	*local = name_list_parse(&place, "local", arena);
}

static void
service_parse_dependencies(const struct place *service, struct arena *arena, struct service *out)
{
	struct place place = place_member(service, "dependencies");

	if (!place_object(&place, NEED_OPTIONAL))
		return;
	out->provides = name_list_parse(&place, "provides", arena);
	out->conflicts = name_list_parse(&place, "conflicts", arena);
	service_parse_needs(&place, "install", arena, &out->install_requires, &out->install_uses, &out->install_local);
	service_parse_needs(&place, "runtime", arena, &out->runtime_requires, &out->runtime_uses, &out->runtime_local);
}

void
service_parse(const struct place *place, struct arena *arena, struct service *service)
{
	*service = (struct service){0};
	if (!place_object(place, NEED_REQUIRED))
		return;
	service->source = jv_copy(place->value);
	service->name = name_parse(place, "name", NEED_REQUIRED, arena);
	service->consumes = amounts_parse(place, "consumes", arena);
	service->links = links_parse(place, arena);
	service_parse_dependencies(place, arena, service);
	service_parse_actions(place, arena, service);
}
