/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/work-config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/preference.h"
#include "base/toolbox.h"
#include "json/json.h"
#include "json/yaml-read.h"
#include "model/document.h"
#include "worker/work.h"

struct work_settings { /* of one file */
	int64_t jobs; /* 0: as before */
	struct string_list providers, tenants;
	bool has_providers, has_tenants;
};

static const struct member members[] = {
	{"environment", MEMBER_PASSED},
	{"jobs", MEMBER_INTEGER(struct work_settings, jobs), .integer = {1, WORK_SLOTS_MAX, 0}},
	{"providers", MEMBER_STRINGS(struct work_settings, providers), MEMBER_PRESENT(struct work_settings, has_providers)},
	{"tenants", MEMBER_STRINGS(struct work_settings, tenants), MEMBER_PRESENT(struct work_settings, has_tenants)},
};
static const struct document work_settings_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct work_settings),
    .unknown = "there is no such setting; there are environment, jobs, providers, tenants"};

/* Returns the list ended with NULL; NULL, which is anyone's, if it is empty. */
static const char *const *
work_end_list(const struct string_list *list, struct arena *arena)
{
	const char **copy = arena_alloc(arena, list->count + 1, sizeof *copy);

	for (size_t i = 0; i < list->count; i++)
		copy[i] = list->list[i];
	return list->count > 0 ? copy : NULL;
}

/* Sets a variable of the environment, or takes it away where text is NULL. */
static void
work_set_variable(struct work_config *config, const char *name, const char *text)
{
	size_t count = 0, length = strlen(name), found;
	char **list = config->environment;

	while (list[count])
		count++;
	for (found = 0; found < count; found++)
		if (strncmp(list[found], name, length) == 0 && list[found][length] == '=')
			break;
	if (text && found == count) {
		config->environment = arena_alloc(&config->arena, count + 2, sizeof(char *));
		memcpy(config->environment, list, count * sizeof(char *));
	}
	if (text)
		config->environment[found] = arena_printf(&config->arena, "%s=%s", name, text);
	else if (found < count)
		memmove(list + found, list + found + 1, (count - found) * sizeof(char *));
}

static void
work_read_environment(const struct place *root, struct work_config *config)
{
	struct place variables = place_member(root, "environment"), value;
	struct members each;

	if (!place_object(&variables, NEED_OPTIONAL))
		return;
	each = members_of(&variables);
	while (members_next(&each, &value)) {
		const char *text = json_string(value.value);

		if (!*value.name || strchr(value.name, '='))
			place_problem(&value, "expected the name of a variable");
		else if (!text && jv_get_kind(value.value) != JV_KIND_NULL)
			place_problem(&value, "expected string or null, found %s", json_kind_name(value.value));
		else
			work_set_variable(config, value.name, text);
	}
}

static int
work_read_file(const char *path, struct work_config *config, struct error *err)
{
	struct yaml_source source;
	struct problems problems = {.source = &source};
	struct work_settings settings;
	struct place root;
	jv document;
	int failed;

	if (json_read_document(path, &document, &source, err) < 0) {
		err->code = EX_CONFIG;
		return -1;
	}
	root = place_root(document, &problems);
	document_parse(&work_settings_table, &root, &config->arena, &settings);
	if (settings.jobs)
		config->slots = (size_t)settings.jobs;
	if (settings.has_tenants)
		config->tenants = work_end_list(&settings.tenants, &config->arena);
	if (settings.has_providers)
		config->providers = work_end_list(&settings.providers, &config->arena);
	work_read_environment(&root, config);
	failed = problems_error(&problems, path, EX_CONFIG, err);
	problems_release(&problems);
	yaml_source_release(&source);
	jv_free(document);
	return failed;
}

static int
work_read_if_there(char *path, struct work_config *config, struct error *err)
{
	int failed = path && file_exists(AT_FDCWD, path) ? work_read_file(path, config, err) : 0;

	free(path);
	return failed;
}

int
work_config_read(const char *file, struct work_config *config, struct error *err)
{
	size_t count = 0;
	int failed;

	*config = (struct work_config){.slots = (size_t)preference_jobs(WORK_SLOTS)};
	while (environ[count])
		count++;
	config->environment = arena_alloc(&config->arena, count + 1, sizeof(char *));
	count = 0;
	for (char **variable = environ; *variable; variable++)
		if (!toolbox_is_of_asker(*variable))
			config->environment[count++] = arena_string(&config->arena, *variable);
	config->environment[count] = NULL;
	if (file)
		failed = work_read_file(file, config, err);
	else if ((failed = work_read_if_there(home_system_config("work.json"), config, err)) == 0)
		failed = work_read_if_there(home_user_config("work.json"), config, err);
	if (failed)
		work_config_release(config);
	return failed;
}

void
work_config_release(struct work_config *config)
{
	arena_release(&config->arena);
	*config = (struct work_config){.slots = 0};
}
