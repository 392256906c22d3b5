/* SPDX-License-Identifier: Apache-2.0 */
#include "store/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/affected.h"
#include "store/entities.h"
#include "store/entity-input.h"
#include "store/store.h"

/* Fills in the catalogue, and what is wrong with it. */
static int
change_inspect(struct store *store, struct catalogue *catalogue, struct findings *findings, struct error *err)
{
	if (entities_catalogue(store, catalogue, findings, err) < 0)
		return -1;
	catalogue_check(catalogue, findings);
	return 0;
}

int
change_begin(struct change *change, struct store *store, struct error *err)
{
	*change = (struct change){.store = store};
	if (store_begin(store, err) < 0)
		return -1;
	change->open = true;
	return 0;
}

int
change_put(struct change *change, const struct input_entity *entity, int64_t expected, int64_t *version,
    struct error *err)
{
	if (entities_look(change->store, entity->kind, entity->name, &change->touched, err) < 0)
		return -1;
	return entities_put(change->store, entity->kind, entity->name, entity->document, expected, version, err);
}

int
change_delete(struct change *change, enum entity_kind kind, const char *name, int64_t expected, struct error *err)
{
	if (entities_look(change->store, kind, name, &change->touched, err) < 0)
		return -1;
	return entities_delete(change->store, kind, name, expected, err);
}

/* Finds what is wrong already, by another connection, which does not see this transaction. */
static int
change_inspect_before(struct change *change, struct error *err)
{
	struct store *before;
	int result = store_open(&before, store_path(change->store), STORE_READ, NULL, err);

	if (result == 0) {
		store_set_tenant(before, store_tenant(change->store));
		result = change_inspect(before, &change->before, &change->found_before, err);
	}
	store_release(before);
	return result;
}

static bool
change_is_fault(const struct finding *finding)
{
	return finding->severity < SEVERITY_SUSPECT;
}

static bool
change_has_faults(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (change_is_fault(&findings->list[i]))
			return true;
	return false;
}

/* Without the name that is suggested, which is another one where others have come. */
static size_t
change_fault_length(const char *text)
{
	const char *near = strstr(text, "; did you mean \"");

	return near ? (size_t)(near - text) : strlen(text);
}

static bool
change_was_before(const struct change *change, const struct finding *finding)
{
	size_t length = change_fault_length(finding->text);

	for (size_t i = 0; i < change->found_before.count; i++) {
		const struct finding *before = &change->found_before.list[i];

		if (strcmp(before->file, finding->file) == 0 && strcmp(before->pointer, finding->pointer) == 0 &&
		    change_fault_length(before->text) == length && memcmp(before->text, finding->text, length) == 0)
			return true;
	}
	return false;
}

/* Returns 1 if what the change affects, taken by itself, is right, else 0, or -1. Most changes are right; then nothing
 * else can have become wrong. If not, change_check looks at all entities, so that its messages name what is really
 * wrong. */
static int
change_affected_is_right(struct change *change, struct error *err)
{
	struct findings findings = {0};
	struct catalogue catalogue = {0};
	struct revisions now = {0};
	bool *wanted = NULL, found = false;
	int result = entities_list(change->store, ENTITY_NONE, &now, err);

	if (result == 0) {
		wanted = memory_zeroed(now.count, sizeof *wanted);
		found = affected_find(&now, &change->touched, wanted);
	}
	if (found && (result = revisions_catalogue(&now, wanted, &catalogue, &findings, err)) == 0) {
		catalogue_check(&catalogue, &findings);
		result = !change_has_faults(&findings);
	}
	findings_release(&findings);
	catalogue_release(&catalogue);
	revisions_release(&now);
	free(wanted);
	return result;
}

int
change_check(struct change *change, struct error *err)
{
	int right = change_affected_is_right(change, err);

	if (right)
		return right < 0 ? -1 : 0;
	if (change_inspect(change->store, &change->after, &change->found_after, err) < 0)
		return -1;
	if (change_has_faults(&change->found_after) && change_inspect_before(change, err) < 0)
		return -1;
	for (size_t i = 0; i < change->found_after.count; i++) {
		const struct finding *finding = &change->found_after.list[i];

		if (!change_is_fault(finding) || change_was_before(change, finding))
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
	revisions_release(&change->touched);
	catalogue_release(&change->before);
	catalogue_release(&change->after);
	*change = (struct change){0};
}
