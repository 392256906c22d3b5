/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/host-fields.h"

static void
host_fields_check(struct fields_check *check, const struct place *fields, const char *kind, const struct place *type)
{
	if (json_string(type->value))
		origin_check_plugin(type, fields, fields_schema(check, kind, json_string(type->value)));
}

static void
host_fields_check_service(struct fields_check *check, const struct place *service)
{
	struct place provisioner = place_member(service, "provisioner"), actions = place_member(&provisioner, "actions"), action;
	struct members members = members_of(&actions);

	while (members_next(&members, &action)) {
		struct place type = place_member(&action, "type"), fields = place_member(&action, "fields");

		host_fields_check(check, &fields, "automator", &type);
	}
}

void
host_fields_check_entity(struct fields_check *check, enum entity_kind kind, const struct place *entity)
{
	struct place type = place_member(entity, "providertype"), fields = place_member(entity, "provisioner");

	if (kind == ENTITY_PROVIDER)
		host_fields_check(check, &fields, "provider", &type);
	else if (kind == ENTITY_SERVICE)
		host_fields_check_service(check, entity);
	else if (kind == ENTITY_IMAGETYPE)
		origin_check_images(entity);
}

void
host_fields_check_marked(struct fields_check *check, enum entity_kind kind, const struct place *entity, enum origin otherwise)
{
	if (origin_of(entity->value, otherwise) == ORIGIN_TENANT)
		host_fields_check_entity(check, kind, entity);
}
