/* SPDX-License-Identifier: Apache-2.0 */
#include "model/expectation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/place.h"
#include "json/record.h"
#include "model/document.h"
#include "model/plan.h"

enum { KEY_SIZE = 1024 }; /* three names of at most 255 characters */

static void
expectation_write_key(char *key, enum action action, const char *service, const char *type, const char *hardwaretype)
{
	snprintf(key, KEY_SIZE, "%d %s %s %s", (int)action, service ? service : "", type, hardwaretype ? hardwaretype : "");
}

static const struct member members[] = {
	{"action", MEMBER_ACTION(struct expectation, action), MEMBER_REQUIRED},
	{"expect_s", MEMBER_NUMBER(struct expectation, expect_s), MEMBER_REQUIRED, .number = {0, EXPECT_MAX_S, 0}},
	{"hardwaretype", MEMBER_NAME(struct expectation, hardwaretype), 0},
	{"kind", MEMBER_KIND("expectation")},
	{"runs", MEMBER_PASSED, 0},
	{"service", MEMBER_NAME(struct expectation, service), 0},
	{"type", MEMBER_NAME(struct expectation, type), MEMBER_REQUIRED},
};
const struct document expectation_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct expectation)};

void
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
	expectation_write_key(key, told.action, told.service, told.type, told.hardwaretype);
	number = names_find(&expectations->keys, key);
	if (number == NAMES_NONE) {
		number = names_intern(&expectations->keys, arena_string(&expectations->arena, key));
		ARRAY_ROOM(expectations->expect_s, (size_t)number, expectations->capacity);
	}
	expectations->expect_s[number] = told.expect_s;
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
	free(expectations->expect_s);
	arena_release(&expectations->arena);
	*expectations = (struct expectations){0};
}

double
expectations_find(const struct expectations *expectations, enum action action, const char *service, const char *type,
    const char *hardwaretype, double otherwise)
{
	char key[KEY_SIZE];
	int number;

	expectation_write_key(key, action, service, type, hardwaretype);
	number = names_find(&expectations->keys, key);
	if (number == NAMES_NONE && hardwaretype) {
		expectation_write_key(key, action, service, type, NULL);
		number = names_find(&expectations->keys, key);
	}
	return number == NAMES_NONE ? otherwise : expectations->expect_s[number];
}
