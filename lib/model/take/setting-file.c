/* SPDX-License-Identifier: Apache-2.0
 *
 * A setting as it is kept in a file: the object on a line, and a line with its gaps.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/place.h"
#include "model/print.h"
#include "model/take/setting.h"

void
setting_save(const struct setting *setting, struct buffer *out)
{
	buffer_append(out, setting->text, setting->length);
	buffer_text(out, "\n[");
	for (size_t i = 0; i < setting->gap_count; i++) {
		const struct setting_gap *gap = &setting->gaps[i];
		struct print print;

		if (i)
			buffer_byte(out, ',');
		print_begin(&print, (jv){0}, out);
		print_integer(&print, "length", (int64_t)gap->length);
		print_string(&print, "pointer", gap->pointer);
		print_integer(&print, "start", (int64_t)gap->start);
		print_string(&print, "string", gap->string);
		print_close(&print);
	}
	buffer_text(out, "]\n");
}

/* Takes a list of gaps, which stand one behind the other inside of the text. */
static int
setting_load_gaps(struct setting *setting, jv list, struct error *err)
{
	struct problems problems = {0};
	struct place place = place_root(list, &problems);
	int64_t from = 0, end = (int64_t)setting->length - 2;
	int result;

	place_array(&place, NEED_REQUIRED);
	for (size_t i = 0; problems.total == 0 && i < json_length(list); i++) {
		struct place element = place_element(&place, i);
		struct setting_gap gap;

		if (!place_object(&element, NEED_REQUIRED))
			break;
		gap.start = (size_t)place_integer(&element, "start", end, from, end);
		gap.length = (size_t)place_integer(&element, "length", 0, 0, end - (int64_t)gap.start);
		gap.pointer = place_string(&element, "pointer", NEED_REQUIRED, &setting->arena);
		gap.string = place_string(&element, "string", NEED_REQUIRED, &setting->arena);
		from = (int64_t)(gap.start + gap.length);
		ARRAY_ROOM(setting->gaps, setting->gap_count, setting->gap_capacity);
		setting->gaps[setting->gap_count++] = gap;
	}
	result = problems_error(&problems, "setting", EX_DATAERR, err);
	problems_release(&problems);
	return result;
}

int
setting_load(struct setting *setting, const char *text, size_t length, struct error *err)
{
	const char *newline = memchr(text, '\n', length);
	int result;
	jv list;

	if (!newline || text[length - 1] != '\n' || newline == text + length - 1)
		return error_set(err, EX_DATAERR, "setting: it is cut off");
	setting->length = (size_t)(newline - text);
	setting->text = memory_substring(text, setting->length);
	if (setting->length < 2 || setting->text[0] != '{' ||
	    json_parse("setting", newline + 1, length - setting->length - 1, &list, err) < 0)
		return error_set(err, EX_DATAERR, "setting: it is damaged");
	result = setting_load_gaps(setting, list, err);
	jv_free(list);
	return result;
}
