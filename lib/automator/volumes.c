/* SPDX-License-Identifier: Apache-2.0 */
#include "automator/volumes.h"

#include <stdlib.h>
#include <string.h>

/* Returns the device that the provider has found for the volume of that id when it attached it; "-" where it named none. */
static char *
volumes_device(jv facts, const char *id)
{
	jv list = json_get(facts, "volumes");
	char *device = NULL;

	for (size_t i = 0; jv_get_kind(list) == JV_KIND_ARRAY && i < json_length(list) && !device; i++) {
		jv volume = json_element(list, i);
		char *its = json_get_string(volume, "id");

		if (its && strcmp(its, id) == 0)
			device = json_get_string(volume, "device");
		free(its);
		jv_free(volume);
	}
	jv_free(list);
	return device ? device : memory_string("-");
}

/* Appends the arguments of one volume. */
static void
volumes_add_words(jv volume, jv facts, struct arguments *words)
{
	char *id = json_get_string(volume, "id"), *path = json_get_string(volume, "path");

	if (id && path) {
		char *device = volumes_device(facts, id);

		arguments_push_all(words, id, path, json_is(volume, "blank", JV_KIND_TRUE) ? "true" : "false", device, NULL);
		free(device);
	}
	free(path);
	free(id);
}

int
volumes_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	jv volumes = json_get(task->source, "volumes"), machine = json_get(task->source, "machine"), facts = json_get(machine, "facts");

	(void)arena;
	work->name = work->bundle.program = "volumes.sh";
	for (size_t i = 0; jv_get_kind(volumes) == JV_KIND_ARRAY && i < json_length(volumes); i++) {
		jv volume = json_element(volumes, i);

		volumes_add_words(volume, facts, &work->words);
		jv_free(volume);
	}
	jv_free(facts);
	jv_free(machine);
	jv_free(volumes);
	return automator_add_file("volumes.sh", BUNDLE_PROGRAM, &work->bundle, err) < 0 ||
	    automator_add_file("lib.sh", BUNDLE_FILE, &work->bundle, err) < 0 ? -1 : 0;
}
