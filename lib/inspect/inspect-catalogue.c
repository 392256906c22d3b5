/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/inspect.h"

#include <stdlib.h>

#include "base/error.h"
#include "catalogue/catalogue.h"
#include "exec/plugin-find.h"
#include "inspect/fields.h"

/* Warns of a plugin that is not here; one that has nearly the name of another is misspelt. */
static void
inspect_find_plugin(const struct entity *entity, const char *plugin_kind, const char *name, const char *pointer,
    struct findings *findings)
{
	struct error err;
	char *path = plugin_find(plugin_kind, name, &err), *where = memory_string(pointer);
	struct problem problem = {where, err.text};

	if (!path)
		findings_add(findings, plugin_is_near(plugin_kind, name) ? SEVERITY_SUSPECT : SEVERITY_WARNING, entity->file,
		    &(struct problems){.list = &problem, .count = 1});
	free(where);
	free(path);
}

/* Looks for the plugins that providers and services name, each once. */
static void
inspect_find_plugins(const struct catalogue *catalogue, struct findings *findings)
{
	struct names seen = {0};

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct entity *entity = &catalogue->entities[i];

		if (entity->kind == ENTITY_PROVIDER)
			inspect_find_plugin(entity, "provider", entity->provider.providertype, "/providertype", findings);
		for (enum action action = 0; entity->kind == ENTITY_SERVICE && action < ACTION_COUNT; action++) {
			const struct service_action *its = &entity->service.actions[action];
			size_t known = seen.count;
			char *pointer = memory_printf("/provisioner/actions/%s/type", action_name(action));

			if (its->present && (size_t)names_intern(&seen, its->type) >= known)
				inspect_find_plugin(entity, "automator", its->type, pointer, findings);
			free(pointer);
		}
	}
	names_release(&seen);
}

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
	struct problems errors = {0}, warnings = {0}, in_clear = {0};
	struct fields_check check = {.catalogue = path, .warnings = &warnings, .clear = &in_clear};

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct entity *entity = &catalogue->entities[i];
		struct place root = place_root(entity->source, &errors);

		errors.source = warnings.source = in_clear.source = &entity->yaml;
		inspect_document(&check, entity_kind_name(entity->kind), &root);
		findings_add(findings, SEVERITY_ERROR, entity->file, &errors);
		findings_add(findings, SEVERITY_SUSPECT, entity->file, &warnings);
		findings_add(findings, SEVERITY_WARNING, entity->file, &in_clear);
		problems_release(&errors);
		problems_release(&warnings);
		problems_release(&in_clear);
	}
	fields_check_release(&check);
}

size_t
inspect_catalogue(const char *path, const struct catalogue *catalogue, struct findings *findings)
{
	size_t unchecked;

	inspect_find_plugins(catalogue, findings);
	unchecked = inspect_find_unchecked(catalogue, findings);
	inspect_entities(path, catalogue, findings);
	return unchecked;
}
