/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/inspect.h"

#include <stdlib.h>

#include "catalogue/catalogue.h"
#include "inspect/fields.h"

/* Warns of services that are started and cannot be asked whether they are healthy; returns how many there are. */
static size_t
inspect_find_unchecked(const struct catalogue *catalogue, struct findings *findings)
{
	char where[] = "/provisioner/actions", text[] = "there is no action status: nothing waits until the service is healthy";
	struct problem problem = {where, text};
	size_t count = 0;

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct entity *entity = &catalogue->entities[i];

		if (entity->kind != ENTITY_SERVICE || !entity->service.actions[ACTION_START].present ||
		    entity->service.actions[ACTION_STATUS].present)
			continue;
		findings_add(findings, SEVERITY_WARNING, entity->file, &(struct problems){.list = &problem, .count = 1});
		count++;
	}
	return count;
}

/* Inspects the fields and scripts of all entities. */
static void
inspect_entities(const char *path, const struct catalogue *catalogue, struct findings *findings)
{
	struct problems errors = {0}, warnings = {0}, minor = {0};
	struct fields_check check = {.catalogue = path, .warnings = &warnings, .clear = &minor, .missing = &minor};

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct entity *entity = &catalogue->entities[i];
		struct place root = place_root(entity->source, &errors);

		errors.source = warnings.source = minor.source = &entity->yaml;
		inspect_document(&check, entity_kind_name(entity->kind), &root);
		findings_add(findings, SEVERITY_ERROR, entity->file, &errors);
		findings_add(findings, SEVERITY_SUSPECT, entity->file, &warnings);
		findings_add(findings, SEVERITY_WARNING, entity->file, &minor);
		problems_release(&errors);
		problems_release(&warnings);
		problems_release(&minor);
	}
	fields_check_release(&check);
}

size_t
inspect_catalogue(const char *path, const struct catalogue *catalogue, struct findings *findings)
{
	size_t unchecked;

	unchecked = inspect_find_unchecked(catalogue, findings);
	inspect_entities(path, catalogue, findings);
	return unchecked;
}
