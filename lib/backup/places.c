/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/places.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/location.h"
#include "base/memory.h"
#include "store/key.h"

/* Resolves links in the part of a path that exists. Frees path. */
static char *
places_resolve(char *path)
{
	char *there = memory_string(path), *real, *slash, *resolved;

	while (!(real = realpath(there, NULL)) && (slash = strrchr(there, '/')) && slash != there)
		*slash = '\0';
	resolved = real ? memory_printf("%s%s", strcmp(real, "/") == 0 ? "" : real, path + strlen(there)) : memory_string(path);
	free(real);
	free(there);
	free(path);
	return resolved;
}

void
places_find(struct places *places)
{
	*places = (struct places){places_resolve(location_state()), places_resolve(location_spool(NULL)),
	    places_resolve(location_store(NULL)), places_resolve(store_key_file(NULL))};
}

void
places_release(struct places *places)
{
	free(places->state);
	free(places->spool);
	free(places->store);
	free(places->key);
	*places = (struct places){0};
}

/* Returns what follows folder in path, "" if they are equal; NULL if path is not in it. */
static const char *
places_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (strncmp(path, folder, length) != 0 || (path[length] && path[length] != '/'))
		return NULL;
	return path + length + (path[length] == '/');
}

static bool
places_ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), size = strlen(ending);

	return length >= size && strcmp(path + length - size, ending) == 0;
}

bool
places_keeps(const struct places *places, const char *path)
{
	static const char *const others[] = {"archives", "sandbox", "sandbox-disks", "sandbox-host", ".restore", ".cache"};
	const char *parts[] = {places->spool, places->key};
	const char *store = places_below(places->store, places->state);

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (places_below(path, others[i]))
			return false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const char *part = places_below(parts[i], places->state);

		if (part && places_below(path, part))
			return false;
	}
	/* With its log, its lock, and the copies that upgrades have made. */
	if (store && strncmp(path, store, strlen(store)) == 0)
		return false;
	return strncmp(path, "clusters/.", 10) != 0 && !places_ends_with(path, ".new");
}

bool
places_hold(const struct places *places, const char *folder)
{
	char *real = places_resolve(memory_string(folder));
	bool held = places_below(real, places->state) || places_below(real, places->spool);

	free(real);
	return held;
}

/* Returns what is left on the file system of the nearest part of path that exists. */
static int64_t
places_room_at(const char *path)
{
	char *there = memory_string(path), *slash;
	struct statvfs disk;
	int64_t room = INT64_MAX;
	int result;

	while ((result = statvfs(there, &disk)) < 0 && (slash = strrchr(there, '/')) && slash != there)
		*slash = '\0';
	if (result == 0)
		room = (int64_t)(disk.f_bavail * disk.f_frsize);
	free(there);
	return room;
}

int64_t
places_room(const struct places *places)
{
	const char *paths[] = {places->state, places->spool, places->store};
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		int64_t room = places_room_at(paths[i]);

		least = room < least ? room : least;
	}
	return least;
}
