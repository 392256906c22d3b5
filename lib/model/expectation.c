/* SPDX-License-Identifier: Apache-2.0 */
#include "model/expectation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/place.h"
#include "json/record.h"
#include "model/document.h"
#include "model/plan.h"

enum { KEY_SIZE = 2048 }; /* five names of at most 255 characters */

enum { IN_PROVIDER = 1, IN_IMAGE = 2, IN_HARDWARE = 4 };

/* Writes the name of a kind of task in those of its places that in has. */
static void
expectation_write_key(char *key, const struct expectation *task, unsigned in)
{
	snprintf(key, KEY_SIZE, "%d %s %s %s %s %s", (int)task->action, task->service ? task->service : "", task->type,
	    in & IN_PROVIDER && task->provider ? task->provider : "", in & IN_IMAGE && task->imagetype ? task->imagetype : "",
	    in & IN_HARDWARE && task->hardwaretype ? task->hardwaretype : "");
}

static const struct member members[] = {
	{"action", MEMBER_ACTION(struct expectation, action), MEMBER_REQUIRED},
	{"expect_s", MEMBER_NUMBER(struct expectation, expect_s), MEMBER_REQUIRED, .number = {0, EXPECT_MAX_S, 0}},
	{"hardwaretype", MEMBER_NAME(struct expectation, hardwaretype), 0},
	{"imagetype", MEMBER_NAME(struct expectation, imagetype), 0},
	{"kind", MEMBER_KIND("expectation")},
	{"p90_s", MEMBER_NUMBER(struct expectation, p90_s), 0, .number = {0, EXPECT_MAX_S, -1}},
	{"provider", MEMBER_NAME(struct expectation, provider), 0},
	{"runs", MEMBER_INTEGER(struct expectation, runs), 0, .integer = {0, 0, 1}},
	{"service", MEMBER_NAME(struct expectation, service), 0},
	{"type", MEMBER_NAME(struct expectation, type), MEMBER_REQUIRED},
};
const struct document expectation_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct expectation)};

/* Takes one record; what is wrong with it goes to its problems. */
static void
expectations_take(struct expectations *expectations, const struct place *record)
{
	size_t before = record->problems->total;
	struct expectation told;
	char key[KEY_SIZE];
	int number;

	document_parse(&expectation_table, record, &expectations->arena, &told);
	if (record->problems->total > before)
		return;
	/* The last of several records about the same counts. */
	expectation_write_key(key, &told, IN_PROVIDER | IN_IMAGE | IN_HARDWARE);
	number = names_find(&expectations->keys, key);
	if (number == NAMES_NONE) {
		number = names_intern(&expectations->keys, arena_string(&expectations->arena, key));
		ARRAY_ROOM(expectations->list, (size_t)number, expectations->capacity);
	}
	expectations->list[number] = told;
}

int
expectations_read(struct record_reader *reader, struct expectations *expectations, struct problems *problems,
    struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	jv value;
	int got;

	while ((got = record_read(reader, &value, err)) > 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = problems};

		if (strcmp(record_kind(value), "expectation") == 0)
			expectations_take(expectations, &record);
		jv_free(value);
	}
	return got;
}

void
expectations_release(struct expectations *expectations)
{
	names_release(&expectations->keys);
	free(expectations->list);
	arena_release(&expectations->arena);
	*expectations = (struct expectations){0};
}

const struct expectation *
expectations_find(const struct expectations *expectations, const struct expectation *task)
{
	static const unsigned nearest[] = {IN_PROVIDER | IN_IMAGE | IN_HARDWARE, IN_PROVIDER | IN_IMAGE, IN_PROVIDER, IN_HARDWARE, 0};
	const struct expectation *any = NULL;
	char key[KEY_SIZE];

	for (size_t i = 0; i < sizeof nearest / sizeof *nearest; i++) {
		const struct expectation *found;
		int number;

		expectation_write_key(key, task, nearest[i]);
		number = names_find(&expectations->keys, key);
		found = number == NAMES_NONE ? NULL : &expectations->list[number];
		if (found && found->runs >= EXPECTATION_RUNS)
			return found;
		if (!any && found && found->runs > 0)
			any = found;
	}
	return any;
}
