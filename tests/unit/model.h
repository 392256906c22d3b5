/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the model share: documents from text, in which ' stands for ".
 */
#ifndef TESTS_UNIT_MODEL_H
#define TESTS_UNIT_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/place.h"
#include "tap.h"

/* The document of a text; the test fails where it is none. */
static inline jv
document_of(const char *text)
{
	char *json = memory_string(text);
	struct error err;
	jv value = {0};

	for (char *p = json; *p; p++)
		if (*p == '\'')
			*p = '"';
	if (json_parse("test", json, strlen(json), &value, &err) < 0)
		tap_ok(false, "%s: %s", json, err.text);
	free(json);
	return value;
}

/* All problems, "POINTER: text" each, "; " between them. The caller frees it. */
static inline char *
listed(const struct problems *problems)
{
	struct buffer out = {0};

	for (size_t i = 0; i < problems->count; i++)
		buffer_printf(&out, "%s%s: %s", i ? "; " : "", problems->list[i].pointer, problems->list[i].text);
	return buffer_take(&out);
}

/* Whether there are none; shows them where there are. */
static inline bool
no_problems(struct problems *problems, const char *title)
{
	char *text = listed(problems);
	bool none = problems->total == 0;

	tap_is_text(text, "", "%s", title);
	free(text);
	problems_release(problems);
	return none;
}

/* The names in a list, blanks between them. The caller frees it. */
static inline char *
joined(const struct string_list *list)
{
	struct buffer out = {0};

	for (size_t i = 0; i < list->count; i++)
		buffer_printf(&out, "%s%s", i ? " " : "", list->list[i]);
	return buffer_take(&out);
}

#define tap_is_list(list, expected, ...) \
	do { \
		char *list_ = joined(list); \
		tap_is_text(list_, expected, __VA_ARGS__); \
		free(list_); \
	} while (0)

/* The canonical text of a value, which is freed. The caller frees the text. */
static inline char *
dumped(jv value)
{
	struct buffer out = {0};

	if (jv_is_valid(value))
		json_dump(value, &out);
	jv_free(value);
	return buffer_take(&out);
}

#endif
