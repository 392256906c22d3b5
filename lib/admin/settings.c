/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/settings.h"

#include <stdlib.h>

#include "base/location.h"
#include "base/memory.h"

#define AT(type, member) LIST_AT(type, struct setting_shown, member)

static const struct list_column columns[] = {
	{"SETTING", "name", AT(TEXT, name), .style = STYLE_BOLD},
	{"VALUE", "value", AT(TEXT, value)},
	{"FROM", "from", AT(TEXT, source)},
	{"WHERE", "where", AT(WORD, where)},
	{0}};

const struct list settings_list = {.kind = "setting", .columns = columns, .row_size = sizeof(struct setting_shown)};

static char *
settings_default_archives(void)
{
	char *folder = location_installed("libexec/coopr/archives/folder"), *state = location_state();
	char *setting = memory_printf("%s %s/archives", folder, state);

	free(folder);
	free(state);
	return setting;
}

static char *
settings_default_resources(void)
{
	char *state = location_state(), *folder = memory_printf("%s/resources", state);

	free(state);
	return folder;
}

/* Returns the default of a setting; the caller frees it. */
static char *
settings_default_of(enum preference which)
{
	static const char *const words[PREFERENCE_COUNT] = {
		[PREFERENCE_COLOR] = "auto",
		[PREFERENCE_JOBS] = "20",
		[PREFERENCE_MACHINES] = "10000",
		[PREFERENCE_OUTPUT] = "table",
		[PREFERENCE_PLUGIN_WRITE] = "none",
		[PREFERENCE_STALE_AFTER_S] = "300",
		[PREFERENCE_TENANT] = "default",
	};

	switch (which) {
	case PREFERENCE_ARCHIVES:
		return settings_default_archives();
	case PREFERENCE_CATALOGUE:
		return location_catalogue(NULL);
	case PREFERENCE_RESOURCES:
		return settings_default_resources();
	case PREFERENCE_SPOOL:
		return location_spool(NULL);
	case PREFERENCE_STATE:
		return location_state();
	case PREFERENCE_STORE:
		return location_store(NULL);
	default:
		return memory_string(words[which]);
	}
}

void
settings_read(struct settings *settings)
{
	static const char *const sources[] = {"default", "option", "environment", "user", "system"};

	for (int i = 0; i < PREFERENCE_COUNT; i++) {
		enum preference which = (enum preference)i;
		enum preference_source source;
		const char *where, *value = preference_find(which, NULL, &source, &where);

		settings->list[i] = (struct setting_shown){preference_name(which),
		    value ? memory_string(value) : settings_default_of(which), sources[source], where};
	}
}

void
settings_release(struct settings *settings)
{
	for (int i = 0; i < PREFERENCE_COUNT; i++)
		free(settings->list[i].value);
}
