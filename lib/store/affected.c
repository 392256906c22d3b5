/* SPDX-License-Identifier: Apache-2.0 */
#include "store/affected.h"

#include <stdlib.h>
#include <string.h>

#include "store/entities.h"

enum { MOST = 32 }; /* each costs a search in the text of all */

struct subject { /* an entity, and the names by which others may mean it */
	const char *text;
	const char **names;
	size_t count, capacity;
};

struct affected {
	struct arena arena;
	struct subject *subjects; /* of the entities that are now, then of those that were changed */
	size_t all, now;
	size_t *found; /* indices in subjects, in the order they were found */
	size_t count;
	bool *wanted;
};

static void
affected_add_name(struct subject *subject, const char *name)
{
	ARRAY_ROOM(subject->names, subject->count, subject->capacity);
	subject->names[subject->count++] = name;
}

/* Adds what a document provides. Names have no characters that JSON escapes; a member of that name elsewhere does no harm. */
static void
affected_add_provided(struct affected *affected, struct subject *subject)
{
	static const char member[] = "\"provides\":[";
	const char *at = subject->text ? subject->text : "";

	while ((at = strstr(at, member)))
		for (at += strlen(member); *at == '"' || *at == ','; at++)
			if (*at == '"') {
				size_t length = strcspn(at + 1, "\"");

				affected_add_name(subject, arena_substring(&affected->arena, at + 1, length));
				at += length + 1;
			}
}

static void
affected_fill(struct affected *affected, const struct revisions *list, size_t first)
{
	for (size_t i = 0; i < list->count; i++) {
		struct subject *subject = &affected->subjects[first + i];

		subject->text = list->list[i].text;
		affected_add_name(subject, list->list[i].name);
		if (list->list[i].kind == ENTITY_SERVICE)
			affected_add_provided(affected, subject);
	}
}

static bool
affected_means(const char *text, const struct subject *subject)
{
	for (size_t i = 0; i < subject->count; i++)
		if (strstr(text, subject->names[i]))
			return true;
	return false;
}

static void
affected_want(struct affected *affected, size_t i)
{
	if (!affected->wanted[i]) {
		affected->wanted[i] = true;
		affected->found[affected->count++] = i;
	}
}

/* Adds the changed ones as they are now (an entity of another kind with the same name is added too, which does no harm), then
 * those that name what was changed or found, then those that all these name. */
static void
affected_search(struct affected *affected)
{
	const struct subject *subjects = affected->subjects;

	for (size_t i = 0; i < affected->now; i++)
		for (size_t j = affected->now; j < affected->all; j++)
			if (strcmp(subjects[i].names[0], subjects[j].names[0]) == 0)
				affected_want(affected, i);
	for (size_t j = affected->now; j < affected->all; j++)
		for (size_t i = 0; i < affected->now; i++)
			if (affected_means(subjects[i].text, &subjects[j]))
				affected_want(affected, i);
	for (size_t k = 0; k < affected->count && affected->count <= MOST; k++)
		for (size_t i = 0; i < affected->now; i++)
			if (affected_means(subjects[i].text, &subjects[affected->found[k]]))
				affected_want(affected, i);
	for (size_t k = 0; k < affected->count && affected->count <= MOST; k++)
		for (size_t i = 0; i < affected->now; i++)
			if (affected_means(subjects[affected->found[k]].text, &subjects[i]))
				affected_want(affected, i);
}

bool
affected_find(const struct revisions *now, const struct revisions *before, bool *wanted)
{
	struct affected affected = {.all = now->count + before->count, .now = now->count, .wanted = wanted};

	if (before->count > MOST)
		return false;
	affected.subjects = memory_zeroed(affected.all, sizeof *affected.subjects);
	affected.found = memory_zeroed(now->count, sizeof *affected.found);
	affected_fill(&affected, now, 0);
	affected_fill(&affected, before, now->count);
	affected_search(&affected);
	for (size_t i = 0; i < affected.all; i++)
		free(affected.subjects[i].names);
	free(affected.subjects);
	free(affected.found);
	arena_release(&affected.arena);
	return affected.count <= MOST;
}
