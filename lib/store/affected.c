/* SPDX-License-Identifier: Apache-2.0 */
#include "store/concern.h"

#include <stdlib.h>
#include <string.h>

#include "store/entities.h"

enum { MOST = 32 }; /* each costs a search in the text of all */

struct subject { /* an entity, and the names by which others may mean it */
	const char *text;
	const char **names;
	size_t count, capacity;
};

struct concern {
	struct arena arena;
	struct subject *subjects; /* of the entities that are now, then of those that were changed */
	size_t all, now;
	size_t *found; /* indices in subjects, in the order they were found */
	size_t count;
	bool *wanted;
};

static void
concern_add_name(struct subject *subject, const char *name)
{
	ARRAY_ROOM(subject->names, subject->count, subject->capacity);
	subject->names[subject->count++] = name;
}

/* Adds what a document provides. Names have no characters that JSON escapes; a member of that name elsewhere does no harm. */
static void
concern_add_provided(struct concern *concern, struct subject *subject)
{
	static const char member[] = "\"provides\":[";
	const char *at = subject->text ? subject->text : "";

	while ((at = strstr(at, member)))
		for (at += strlen(member); *at == '"' || *at == ','; at++)
			if (*at == '"') {
				size_t length = strcspn(at + 1, "\"");

				concern_add_name(subject, arena_substring(&concern->arena, at + 1, length));
				at += length + 1;
			}
}

static void
concern_fill(struct concern *concern, const struct revisions *list, size_t first)
{
	for (size_t i = 0; i < list->count; i++) {
		struct subject *subject = &concern->subjects[first + i];

		subject->text = list->list[i].text;
		concern_add_name(subject, list->list[i].name);
		if (list->list[i].kind == ENTITY_SERVICE)
			concern_add_provided(concern, subject);
	}
}

static bool
concern_means(const char *text, const struct subject *subject)
{
	for (size_t i = 0; i < subject->count; i++)
		if (strstr(text, subject->names[i]))
			return true;
	return false;
}

static void
concern_want(struct concern *concern, size_t i)
{
	if (!concern->wanted[i]) {
		concern->wanted[i] = true;
		concern->found[concern->count++] = i;
	}
}

/* Adds the changed ones as they are now; an entity of another kind with the same name is added too, which does no harm. */
static void
concern_want_touched(struct concern *concern)
{
	for (size_t i = 0; i < concern->now; i++)
		for (size_t j = concern->now; j < concern->all; j++)
			if (strcmp(concern->subjects[i].names[0], concern->subjects[j].names[0]) == 0)
				concern_want(concern, i);
}

/* Adds those that name what was found. */
static void
concern_look_up(struct concern *concern)
{
	for (size_t j = concern->now; j < concern->all; j++)
		for (size_t i = 0; i < concern->now; i++)
			if (concern_means(concern->subjects[i].text, &concern->subjects[j]))
				concern_want(concern, i);
	for (size_t k = 0; k < concern->count && concern->count <= MOST; k++)
		for (size_t i = 0; i < concern->now; i++)
			if (concern_means(concern->subjects[i].text, &concern->subjects[concern->found[k]]))
				concern_want(concern, i);
}

/* Adds those that they name. */
static void
concern_look_down(struct concern *concern)
{
	for (size_t k = 0; k < concern->count && concern->count <= MOST; k++)
		for (size_t i = 0; i < concern->now; i++)
			if (concern_means(concern->subjects[concern->found[k]].text, &concern->subjects[i]))
				concern_want(concern, i);
}

bool
concern_find(const struct revisions *now, const struct revisions *before, bool *wanted)
{
	struct concern concern = {.all = now->count + before->count, .now = now->count, .wanted = wanted};

	if (before->count > MOST)
		return false;
	concern.subjects = memory_zeroed(concern.all, sizeof *concern.subjects);
	concern.found = memory_zeroed(now->count, sizeof *concern.found);
	concern_fill(&concern, now, 0);
	concern_fill(&concern, before, now->count);
	concern_want_touched(&concern);
	concern_look_up(&concern);
	concern_look_down(&concern);
	for (size_t i = 0; i < concern.all; i++)
		free(concern.subjects[i].names);
	free(concern.subjects);
	free(concern.found);
	arena_release(&concern.arena);
	return concern.count <= MOST;
}
