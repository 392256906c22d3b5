/* SPDX-License-Identifier: Apache-2.0 */
#include "model/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/place.h"
#include "json/record.h"
#include "model/document.h"
#include "model/name.h"
#include "model/plan.h"

enum { KEY_SIZE = 1024 }; /* three names of at most 255 characters */

static void
write_key(char *key, enum action action, const char *service, const char *type, const char *hardwaretype)
{
	snprintf(key, KEY_SIZE, "%d %s %s %s", (int)action, service ? service : "", type, hardwaretype ? hardwaretype : "");
}

/* Of two records about the same, the last one counts. */
static void
learn(struct history *history, const char *key, double expect_s)
{
	int number = names_find(&history->keys, key);

	if (number == NAMES_NONE) {
		number = names_intern(&history->keys, arena_string(&history->arena, key));
		if ((size_t)number == history->capacity) {
			history->capacity = history->capacity ? 2 * history->capacity : 64;
			history->expect_s = memory_resize(history->expect_s, history->capacity, sizeof *history->expect_s);
		}
	}
	history->expect_s[number] = expect_s;
}

void
history_take(struct history *history, const struct place *record)
{
	size_t before = record->problems->total;
	struct place action = place_member(record, "action"), seconds = place_member(record, "expect_s");
	const char *word, *service, *type, *hardwaretype;
	double expect_s = place_number(record, "expect_s", 0, 0, EXPECT_MAX_S);
	char key[KEY_SIZE];

	document_check_kind(record, "expectation", NEED_REQUIRED);
	word = name_parse(record, "action", NEED_REQUIRED, &history->arena);
	service = name_parse(record, "service", NEED_OPTIONAL, &history->arena);
	type = name_parse(record, "type", NEED_REQUIRED, &history->arena);
	hardwaretype = name_parse(record, "hardwaretype", NEED_OPTIONAL, &history->arena);
	if (word && action_of_name(word) == ACTION_NONE)
		place_problem(&action, "\"%.80s\" is no action", word);
	if (!place_present(&seconds))
		place_problem(&seconds, "expected number, found %s", json_kind_name(seconds.value));
	if (record->problems->total > before)
		return;
	write_key(key, action_of_name(word), service, type, hardwaretype);
	learn(history, key, expect_s);
}

int
history_read(struct record_reader *reader, struct history *history, struct problems *problems, struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	jv value;
	int got;

	while ((got = record_read(reader, &value, err)) > 0) {
		struct place record = {.up = &stream, .index = reader->number - 1, .value = value, .problems = problems};

		if (strcmp(record_kind(value), "expectation") == 0)
			history_take(history, &record);
		jv_free(value);
	}
	return got;
}

void
history_release(struct history *history)
{
	names_release(&history->keys);
	free(history->expect_s);
	arena_release(&history->arena);
	*history = (struct history){0};
}

double
history_expect(const struct history *history, enum action action, const char *service, const char *type,
    const char *hardwaretype, double otherwise)
{
	char key[KEY_SIZE];
	int number;

	write_key(key, action, service, type, hardwaretype);
	number = names_find(&history->keys, key);
	if (number == NAMES_NONE && hardwaretype) {
		write_key(key, action, service, type, NULL);
		number = names_find(&history->keys, key);
	}
	return number == NAMES_NONE ? otherwise : history->expect_s[number];
}
