/* SPDX-License-Identifier: Apache-2.0
 *
 * The words that arguments can be here and now. Who presses a key wants no messages: what cannot be found out is left out.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "admin/completion.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/preference.h"
#include "base/process.h"
#include "base/toolbox.h"
#include "catalogue/catalogue.h"
#include "cluster/clusters.h"
#include "model/action.h"

enum { LIST_BYTES = 16 * 1024 * 1024, CLUSTERS_MAX = 10000 };

/* Prints what stands behind the last slash of each line; whether there was any. */
static bool
completion_print_lines(const struct buffer *text)
{
	bool any = false;

	for (const char *line = text->data; line && *line; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n");
		const char *slash = memrchr(line, '/', length);
		const char *name = slash ? slash + 1 : line;

		printf("%.*s\n", (int)(line + length - name), name);
		any = true;
		if (!line[length])
			break;
	}
	return any;
}

/* Prints the names that coopr-NAME lists. */
static bool
completion_print_listed(const char *name, const char *verb, const char *operand)
{
	char *program = toolbox_find(name);
	struct arguments argv = {0};
	struct buffer out = {0}, said = {0};
	struct error err;
	bool any = false;

	if (!program)
		return false;
	arguments_push(&argv, program);
	if (verb)
		arguments_push(&argv, verb);
	arguments_push(&argv, "--output=name");
	if (operand)
		arguments_push(&argv, operand);
	if (process_run(argv.list, NULL, 0, &out, &said, LIST_BYTES, &err) == 0)
		any = completion_print_lines(&out);
	buffer_release(&out);
	buffer_release(&said);
	arguments_release(&argv);
	free(program);
	return any;
}

/* Prints the names in a folder, without the ending. Frees path. */
static void
completion_print_folder(char *path, const char *ending)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		size_t length = strlen(name), end = strlen(ending);

		if (*name != '.' && length > end && strcmp(name + length - end, ending) == 0)
			printf("%.*s\n", (int)(length - end), name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(path);
}

/* From where coopr-request takes them. */
static void
completion_print_entities(enum entity_kind kind)
{
	char *catalogue;

	if (!preference_value(PREFERENCE_CATALOGUE, NULL) && completion_print_listed("store", "list",
	    entity_kind_folder(kind)))
		return;
	catalogue = location_catalogue(NULL);
	completion_print_folder(memory_printf("%s/%s", catalogue, entity_kind_folder(kind)), ".json");
	free(catalogue);
}

static void
completion_print_kinds(void)
{
	for (int kind = 0; kind < ENTITY_KIND_COUNT; kind++)
		puts(entity_kind_name((enum entity_kind)kind));
}

static void
completion_words_print_commands(void)
{
	struct arguments names = {0};

	toolbox_list(&names);
	for (size_t i = 0; i < names.count; i++)
		puts(names.list[i]);
	arguments_release(&names);
}

/* Those in the store that the user may see. */
static void
completion_print_clusters(void)
{
	const struct account_ask ask = {.tenant = preference_value(PREFERENCE_TENANT, NULL)};
	const struct cluster_filter filter = {.limit = CLUSTERS_MAX};
	struct cluster_list list = {0};
	struct account account;
	struct error err;
	char *path = location_store(NULL);

	if (file_exists(AT_FDCWD, path)) {
		if (account_open(&account, &ask, STORE_READ, &err) == 0)
			clusters_list(&account, &filter, &list, &err);
		for (size_t i = 0; i < list.count; i++)
			puts(list.list[i].name);
		cluster_list_release(&list);
		account_release(&account);
	}
	free(path);
}

static void
completion_print_actions(void)
{
	for (const char *const *name = cluster_action_names(); *name; name++)
		puts(*name);
}

static void
completion_print_jobs(void)
{
	completion_print_listed("queue", "ls", NULL);
}

static void
completion_print_tenants(void)
{
	completion_print_listed("tenant", "list", NULL);
}

void
completion_print_words(const char *kind)
{
	static const struct {
		const char *kind;
		void (*print)(void);
	} lists[] = {{"ACTION", completion_print_actions}, {"CLUSTER", completion_print_clusters}, {"COMMAND",
	    completion_words_print_commands}, {"JOB", completion_print_jobs},
	    {"KIND", completion_print_kinds}, {"TENANT", completion_print_tenants}};
	static const struct {
		const char *kind;
		enum entity_kind entity;
	} entities[] = {{"HARDWARETYPE", ENTITY_HARDWARETYPE}, {"IMAGETYPE", ENTITY_IMAGETYPE}, {"PROVIDER", ENTITY_PROVIDER},
	    {"SERVICE", ENTITY_SERVICE}, {"TEMPLATE", ENTITY_CLUSTERTEMPLATE}};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(kind, lists[i].kind) == 0)
			lists[i].print();
	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
		if (strcmp(kind, entities[i].kind) == 0)
			completion_print_entities(entities[i].entity);
}
