/* SPDX-License-Identifier: Apache-2.0 */
#include "store/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/gather.h"
#include "store/store.h"

/* What there is, and what is wrong with it. */
static int
look(struct store *store, struct catalogue *catalogue, struct findings *findings, struct error *err)
{
	if (gather_catalogue(store, catalogue, findings, err) < 0)
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

/* What is wrong already: another connection does not see this transaction. */
static int
look_before(struct change *change, struct error *err)
{
	struct store before;
	int result = store_open(&before, change->store->path, STORE_READ, NULL, err);

	before.tenant = change->store->tenant;
	if (result == 0)
		result = look(&before, &change->before, &change->found_before, err);
	store_release(&before);
	return result;
}

static bool
is_fault(const struct finding *finding)
{
	return finding->severity != SEVERITY_DOUBTFUL;
}

static bool
has_faults(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (is_fault(&findings->list[i]))
			return true;
	return false;
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
	if (look(change->store, &change->after, &change->found_after, err) < 0)
		return -1;
	if (has_faults(&change->found_after) && look_before(change, err) < 0)
		return -1;
	for (size_t i = 0; i < change->found_after.count; i++) {
		const struct finding *finding = &change->found_after.list[i];

		if (!is_fault(finding) || was_before(change, finding))
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
