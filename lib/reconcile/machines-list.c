/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/machines-list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "json/json.h"
#include "json/members.h"
#include "worker/entity-ask.h"

enum { ID_MAX = 256 };

struct listing {
	void (*each)(void *context, const char *id, const char *record, size_t length);
	void *context;
};

/* Finds the id of a record that is printed as ours are; false where the record has to be parsed. */
static bool
machines_find_id(const char *line, size_t length, char id[ID_MAX])
{
	const struct json_range record = {line, length};
	struct json_range text;

	if (!json_range_find(&record, "id", &text) || !json_range_string(&text, &text) || text.length >= ID_MAX)
		return false;
	memcpy(id, text.text, text.length);
	id[text.length] = '\0';
	return true;
}

static int
machines_take_line(void *context, const char *line, size_t length, struct error *err)
{
	const struct listing *listing = context;
	char known[ID_MAX], *id;
	jv record;

	if (machines_find_id(line, length, known)) {
		listing->each(listing->context, known, line, length);
		return 0;
	}
	if (json_parse("its list", line, length, &record, err) < 0)
		return -1;
	id = json_get_string(record, "id");
	if (id)
		listing->each(listing->context, id, line, length);
	free(id);
	jv_free(record);
	return 0;
}

int
machines_list(const char *provider, const char *tenant,
    void (*each)(void *context, const char *id, const char *record, size_t length), void *context, struct error *err)
{
	struct listing listing = {.each = each, .context = context};

	return entity_ask(provider, tenant, "list", machines_take_line, &listing, err);
}
