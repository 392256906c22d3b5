/* SPDX-License-Identifier: Apache-2.0 */
#include "store/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/entities.h"
#include "store/store.h"

static int
add(const struct revision *revision, struct catalogue *catalogue, struct findings *findings, struct error *err)
{
	struct buffer file = {0};
	jv document;
	int result;

	buffer_printf(&file, "%s/%s.json", entity_kind_folder(revision->kind), revision->name);
	result = json_parse(file.data, revision->text, strlen(revision->text), &document, err);
	if (result == 0) {
		catalogue_add(catalogue, revision->kind, file.data, document, findings);
		jv_free(document);
	}
	buffer_release(&file);
	return result;
}

/* The tenant's entities as a catalogue, files named as in an export ("services/nginx.json"); findings: what is wrong
 * with them. */
static int
gather(struct store *store, struct catalogue *catalogue, struct findings *findings, struct error *err)
{
	int result = 0;

	*catalogue = (struct catalogue){0};
	for (enum entity_kind kind = 0; kind < ENTITY_KIND_COUNT && result == 0; kind++) {
		struct revisions list = {0};

		result = entities_list(store, kind, &list, err);
		for (size_t i = 0; i < list.count && result == 0; i++)
			result = add(&list.list[i], catalogue, findings, err);
		revisions_release(&list);
	}
	if (result == 0)
		catalogue_check(catalogue, findings);
	return result;
}

int
change_begin(struct change *change, struct store *store, struct error *err)
{
	*change = (struct change){.store = store};
	if (store_begin(store, err) < 0)
		return -1;
	change->open = true;
	return gather(store, &change->before, &change->found_before, err);
}

static bool
is_same(const struct finding *a, const struct finding *b)
{
	return strcmp(a->file, b->file) == 0 && strcmp(a->pointer, b->pointer) == 0 && strcmp(a->text, b->text) == 0;
}

static bool
was_before(const struct change *change, const struct finding *finding)
{
	for (size_t i = 0; i < change->found_before.count; i++)
		if (is_same(&change->found_before.list[i], finding))
			return true;
	return false;
}

int
change_check(struct change *change, struct error *err)
{
	if (gather(change->store, &change->after, &change->found_after, err) < 0)
		return -1;
	for (size_t i = 0; i < change->found_after.count; i++) {
		const struct finding *finding = &change->found_after.list[i];

		if (finding->severity == SEVERITY_DOUBTFUL || was_before(change, finding))
			continue;
		ARRAY_ROOM(change->faults.list, change->faults.count, change->faults.capacity);
		change->faults.list[change->faults.count++] = *finding;
	}
	return 0;
}

int
change_commit(struct change *change, struct error *err)
{
	if (store_commit(change->store, err) < 0)
		return -1;
	change->open = false;
	return 0;
}

void
change_release(struct change *change)
{
	if (change->open)
		store_rollback(change->store);
	free(change->faults.list);
	findings_release(&change->found_before);
	findings_release(&change->found_after);
	catalogue_release(&change->before);
	catalogue_release(&change->after);
	*change = (struct change){0};
}
