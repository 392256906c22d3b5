/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/stateful.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/layout.h"
#include "store/entities.h"

/* Returns the folder of the catalogue that the request names, which the caller frees; NULL: the store. */
static char *
stateful_folder(const char *request)
{
	struct error ignored; /* then it names none */
	char *folder = NULL;
	jv document, cluster;

	if (!request || json_parse("the request", request, strlen(request), &document, &ignored) < 0)
		return NULL;
	cluster = json_get(document, "cluster");
	folder = json_get_string(cluster, "catalogue");
	jv_free(cluster);
	jv_free(document);
	return folder;
}

/* Reads the definition of a service in a folder; one that cannot be read is an invalid value. */
static jv
stateful_read_file(const char *folder, const char *service)
{
	char *path = memory_printf("%s/services/%s.json", folder, service);
	struct error ignored;
	jv document;

	if (json_read_file(path, &document, &ignored) < 0)
		document = jv_invalid();
	free(path);
	return document;
}

static int
stateful_read_entity(struct store *store, const char *service, jv *document, struct error *err)
{
	struct revisions list = {0};
	int result = entities_look(store, ENTITY_SERVICE, service, &list, err);
	const char *text = result == 0 && list.count ? list.list[0].text : NULL;

	*document = jv_invalid();
	if (text)
		result = json_parse(service, text, strlen(text), document, err);
	revisions_release(&list);
	return result;
}

static bool
stateful_says(jv document)
{
	jv data = json_get(document, "data");
	bool says = json_is(document, "stateful", JV_KIND_TRUE) || (jv_get_kind(data) == JV_KIND_ARRAY && json_length(data) > 0);

	jv_free(data);
	return says;
}

int
stateful_today(struct store *store, const struct cluster *cluster, const char *request, jv *names, struct error *err)
{
	char *folder = stateful_folder(request);
	int result = 0;

	*names = jv_array();
	for (size_t i = 0; i < cluster->definition_count && result == 0; i++) {
		const struct service *service = &cluster->definitions[i];
		jv document = jv_invalid();

		if (service_says_data(service))
			continue;
		if (folder)
			document = stateful_read_file(folder, service->name);
		else
			result = stateful_read_entity(store, service->name, &document, err);
		if (stateful_says(document))
			*names = jv_array_append(*names, jv_string(service->name));
		jv_free(document);
	}
	free(folder);
	return result;
}
