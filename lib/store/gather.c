/* SPDX-License-Identifier: Apache-2.0 */
#include "store/gather.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/entities.h"
#include "store/store.h"

int
gather_revisions(const struct revisions *list, const bool *wanted, struct catalogue *catalogue, struct findings *findings,
    struct error *err)
{
	struct buffer file = {0};
	int result = 0;
	jv document;

	*catalogue = (struct catalogue){0};
	for (enum entity_kind kind = 0; kind < ENTITY_KIND_COUNT; kind++)
		for (size_t i = 0; i < list->count && result == 0; i++) {
			const struct revision *revision = &list->list[i];

			if (revision->kind != kind || (wanted && !wanted[i]))
				continue;
			buffer_clear(&file);
			buffer_printf(&file, "%s/%s.json", entity_kind_folder(kind), revision->name);
			result = json_parse(file.data, revision->text, strlen(revision->text), &document, err);
			if (result == 0) {
				catalogue_add(catalogue, kind, file.data, document, findings);
				jv_free(document);
			}
		}
	buffer_release(&file);
	return result;
}

int
gather_catalogue(struct store *store, struct catalogue *catalogue, struct findings *findings, struct error *err)
{
	struct revisions list = {0};
	int result = entities_list(store, ENTITY_NONE, &list, err);

	*catalogue = (struct catalogue){0};
	if (result == 0)
		result = gather_revisions(&list, NULL, catalogue, findings, err);
	revisions_release(&list);
	return result;
}
