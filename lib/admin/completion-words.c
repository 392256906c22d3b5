/* SPDX-License-Identifier: Apache-2.0
 *
 * The words that arguments can be here and now. Nobody wants messages who has only pressed a key: what cannot be found out is
 * left out.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "admin/completion.h"
#include "admin/manual.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/preference.h"
#include "base/process.h"
#include "base/toolbox.h"
#include "catalogue/catalogue.h"
#include "cluster/clusters.h"
#include "json/yaml-read.h"
#include "model/action.h"
#include "model/layout.h"
#include "operation/find-cluster.h"

enum { LIST_BYTES = 16 * 1024 * 1024, CLUSTERS_MAX = 10000 };

/* Pushes the names that coopr-NAME VERB lists, without the folder that may stand before them. */
static void
completion_push_listed(const char *name, const char *verb, const char *operand, struct arguments *out)
{
	char *program = toolbox_find(name);
	struct arguments argv = {0};
	struct buffer text = {0}, said = {0};
	struct error err;

	if (!program)
		return;
	arguments_push_all(&argv, program, verb, "--output=name", NULL);
	if (operand)
		arguments_push(&argv, operand);
	if (process_run(argv.list, NULL, 0, &text, &said, LIST_BYTES, &err) == 0)
		for (const char *line = text.data; line && *line; line += line[strcspn(line, "\n")] == '\n') {
			size_t length = strcspn(line, "\n");
			const char *slash = memrchr(line, '/', length), *last = slash ? slash + 1 : line;

			arguments_printf(out, "%.*s", (int)(line + length - last), last);
			line += length;
		}
	buffer_release(&text);
	buffer_release(&said);
	arguments_release(&argv);
	free(program);
}

/* Pushes the names of the .json files in a folder, without the ending. */
static void
completion_push_files(const char *path, struct arguments *out)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name, *ending = strrchr(name, '.');

		if (*name != '.' && ending && (strcmp(ending, ".json") == 0 || yaml_is_name(ending)))
			arguments_printf(out, "%.*s", (int)(ending - name), name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Pushes names of entities from where coopr-request takes them. */
static void
completion_push_entities(enum entity_kind kind, struct arguments *out)
{
	size_t before = out->count;
	char *catalogue, *path;

	if (!preference_value(PREFERENCE_CATALOGUE, NULL))
		completion_push_listed("store", "list", entity_kind_folder(kind), out);
	if (out->count > before)
		return;
	catalogue = location_catalogue(NULL);
	path = memory_printf("%s/%s", catalogue, entity_kind_folder(kind));
	completion_push_files(path, out);
	free(path);
	free(catalogue);
}

/* Pushes the clusters in the store that the user may see. */
static void
completion_push_clusters(struct arguments *out)
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
			arguments_push(out, list.list[i].name);
		cluster_list_release(&list);
		account_release(&account);
	}
	free(path);
}

static void
completion_push_pages(struct arguments *out)
{
	struct manual manual;

	manual_open(&manual);
	manual_names(&manual, out);
	manual_release(&manual);
}

/* Pushes before and each name of a node that can become word: numbers and "@SERVICE", or host names if it begins like one. */
static void
completion_push_layout(const struct layout *layout, const char *before, const char *word, struct arguments *out)
{
	struct names services = {0};
	bool wants_host = *word && *word != '@' && (*word < '0' || *word > '9');

	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		if (wants_host && node->hostname)
			arguments_printf(out, "%s%.*s", before, (int)strcspn(node->hostname, "."), node->hostname);
		else if (!wants_host)
			arguments_printf(out, "%s%" PRId64, before, node->nodenum);
		for (size_t j = 0; j < node->services.count; j++)
			names_intern(&services, node->services.list[j]);
	}
	for (size_t i = 0; i < services.count && !wants_host; i++)
		arguments_printf(out, "%s@%s", before, services.list[i]);
	names_release(&services);
}

void
completion_nodes(const char *cluster, const char *before, const char *word, struct arguments *out)
{
	const struct account_ask ask = {.tenant = preference_value(PREFERENCE_TENANT, NULL)};
	struct cluster_documents documents = {0};
	struct cluster_list list = {0};
	struct account account;
	struct layout layout = {0};
	struct error err;

	if (find_cluster(&account, &list, &ask, STORE_READ, cluster, &err) == 0 &&
	    clusters_documents(&account, list.list[0].id, &documents, &err) == 0 && documents.layout &&
	    layout_parse_text(documents.layout, &layout, &err) == 0)
		completion_push_layout(&layout, before, word, out);
	layout_release(&layout);
	cluster_documents_release(&documents);
	cluster_list_release(&list);
	account_release(&account);
}

void
completion_words(const char *kind, struct arguments *out)
{
	static const struct {
		const char *kind;
		enum entity_kind entity;
	} entities[] = {{"HARDWARETYPE", ENTITY_HARDWARETYPE}, {"IMAGETYPE", ENTITY_IMAGETYPE}, {"PROVIDER", ENTITY_PROVIDER},
	    {"SERVICE", ENTITY_SERVICE}, {"TEMPLATE", ENTITY_CLUSTERTEMPLATE}};

	if (strcmp(kind, "ACTION") == 0)
		for (const char *const *name = cluster_action_names(); *name; name++)
			arguments_push(out, *name);
	else if (strcmp(kind, "TASK-ACTION") == 0)
		for (int action = 0; action < ACTION_COUNT; action++)
			arguments_push(out, action_name((enum action)action));
	else if (strcmp(kind, "KIND") == 0)
		for (int entity = 0; entity < ENTITY_KIND_COUNT; entity++)
			arguments_push(out, entity_kind_name((enum entity_kind)entity));
	else if (strcmp(kind, "CLUSTER") == 0)
		completion_push_clusters(out);
	else if (strcmp(kind, "COMMAND") == 0)
		toolbox_list(out);
	else if (strcmp(kind, "PAGE") == 0)
		completion_push_pages(out);
	else if (strcmp(kind, "JOB") == 0)
		completion_push_listed("queue", "ls", NULL, out);
	else if (strcmp(kind, "TENANT") == 0)
		completion_push_listed("tenant", "list", NULL, out);
	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
		if (strcmp(kind, entities[i].kind) == 0)
			completion_push_entities(entities[i].entity, out);
}
