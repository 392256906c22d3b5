/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/joyent/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/joyent/account.h"
#include "cloud/joyent/request.h"
#include "cloud/known-id.h"

static bool
jo_is_id(const char *text)
{
	return strlen(text) == 36 && strspn(text, "0123456789abcdefABCDEF-") == 36;
}

/* Returns the id of the newest of a list that has that name, and version where that is not NULL, in the arena; NULL where there is none. */
static const char *
jo_pick(jv list, const char *name, const char *version, struct arena *arena)
{
	const char *found = NULL, *newest = NULL;

	for (size_t i = 0; i < json_length(list); i++) {
		jv item = json_element(list, i);
		const char *its = json_arena_string(item, "name", arena), *its_version = json_arena_string(item, "version", arena);
		const char *id = json_arena_string(item, "id", arena), *at = json_arena_string(item, "published_at", arena);

		if (id && its && strcmp(its, name) == 0 && (!version || (its_version && strcmp(its_version, version) == 0)) &&
		    (!found || (at && newest && strcmp(at, newest) > 0))) {
			found = id;
			newest = at;
		}
		jv_free(item);
	}
	return found;
}

static const char *
jo_search(const struct cloud *cloud, const char *kind, const char *name, const struct stop *stop, struct arena *arena, struct error *err)
{
	const char *at = strcmp(kind, "images") == 0 ? strchr(name, '@') : NULL, *word = at ? arena_substring(arena, name, (size_t)(at - name)) : name;
	char *escaped = client_escape(word), *path = memory_printf("/%s?name=%s", kind, escaped);
	const char *id = NULL;
	long status;
	jv list = jo_get(cloud, path, stop, &status, err);

	if (jv_is_valid(list) && !(id = jo_pick(list, word, at ? at + 1 : NULL, arena)))
		error_set(err, EX_CONFIG, "Triton has no %.*s called %s", (int)strlen(kind) - 1, kind, name);
	jv_free(list);
	free(path);
	free(escaped);
	return id;
}

const char *
jo_id(const struct cloud *cloud, const char *kind, const char *name, const struct stop *stop, struct arena *arena, struct error *err)
{
	struct jo_account *account = cloud->state;

	return jo_is_id(name) ? name : known_id(&account->ids, jo_search, cloud, kind, name, stop, arena, err);
}
