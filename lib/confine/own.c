/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/own.h"

#include <stdlib.h>
#include <string.h>

#include "base/home.h"
#include "base/location.h"
#include "base/memory.h"

/* Pushes what there is at path, which it frees. */
static void
own_push(struct arguments *paths, char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;

	if (real)
		arguments_push(paths, real);
	free(real);
	free(path);
}

/* SQLite's files, and ours, stand beside the store. */
static void
own_push_store(struct arguments *paths)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal", ".key"};
	char *store = location_store(NULL);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		own_push(paths, memory_printf("%s%s", store, endings[i]));
	free(store);
}

void
own_places(struct arguments *paths)
{
	const char *key = home_variable("COOPR_KEY"), *credentials = home_variable("CREDENTIALS_DIRECTORY");

	own_push(paths, location_state());
	own_push(paths, location_spool(NULL));
	own_push_store(paths);
	own_push(paths, key ? memory_string(strncmp(key, "exec:", 5) == 0 ? key + 5 : key) : NULL);
	own_push(paths, credentials ? memory_string(credentials) : NULL);
	own_push(paths, home_system_config(""));
	own_push(paths, home_user_config(""));
	own_push(paths, location_runtime());
	own_push(paths, location_memory());
	own_push(paths, memory_string("/var/backups/coopr"));
}
