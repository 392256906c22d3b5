/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/redaction.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "json/dump.h"

enum { LINE_MIN = 8 }; /* a shorter line of a secret may be any word */

struct redaction_word {
	char *text, *mark;
	size_t length;
};

enum match { MATCH_NONE, MATCH_WHOLE, MATCH_BEGUN };

/* Adds a word, unless it is known, behind those that are as long: of two that begin alike, the longer one is looked for
 * first. */
static void
redaction_add_word(struct redaction *redaction, const char *name, const char *text, size_t length)
{
	size_t at;

	if (length < REDACTION_MIN)
		return;
	for (size_t i = 0; i < redaction->count; i++)
		if (redaction->words[i].length == length && memcmp(redaction->words[i].text, text, length) == 0)
			return;
	ARRAY_ROOM(redaction->words, redaction->count, redaction->capacity);
	for (at = redaction->count; at > 0 && redaction->words[at - 1].length < length; at--)
		redaction->words[at] = redaction->words[at - 1];
	redaction->words[at] = (struct redaction_word){.text = memory_substring(text, length), .length = length,
	    .mark = memory_printf("[secret %s]", name)};
	redaction->first[(unsigned char)text[0]] = true;
	redaction->count++;
}

/* Adds the text as it is, and as it stands in JSON: a plugin that prints its take record prints that. */
static void
redaction_add_forms(struct redaction *redaction, const char *name, const char *text, size_t length)
{
	char *alone = memory_substring(text, length);
	struct buffer quoted = {0};

	redaction_add_word(redaction, name, text, length);
	json_quote(alone, &quoted);
	redaction_add_word(redaction, name, quoted.data + 1, quoted.length - 2);
	explicit_bzero(quoted.data, quoted.length);
	explicit_bzero(alone, length);
	buffer_release(&quoted);
	free(alone);
}

void
redaction_add(struct redaction *redaction, const char *name, const char *text)
{
	size_t length;

	redaction_add_forms(redaction, name, text, strlen(text));
	if (!strchr(text, '\n'))
		return;
	for (const char *line = text; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		if (length >= LINE_MIN)
			redaction_add_forms(redaction, name, line, length);
	}
}

/* Classifies the beginning of bytes. Waits for the rest of a word only if more may follow. */
static enum match
redaction_match(const struct redaction *redaction, const char *bytes, size_t length, bool more, size_t *which)
{
	if (!redaction->first[(unsigned char)*bytes])
		return MATCH_NONE;
	for (*which = 0; *which < redaction->count; ++*which) {
		const struct redaction_word *word = &redaction->words[*which];

		if (length >= word->length && memcmp(bytes, word->text, word->length) == 0)
			return MATCH_WHOLE;
		if (more && length < word->length && memcmp(bytes, word->text, length) == 0)
			return MATCH_BEGUN;
	}
	return MATCH_NONE;
}

/* Appends bytes with the words replaced. Returns how many bytes were dealt with. */
static size_t
redaction_replace(const struct redaction *redaction, const char *bytes, size_t length, bool more, struct buffer *out)
{
	size_t said = 0, at = 0, which;

	while (at < length) {
		enum match match = redaction_match(redaction, bytes + at, length - at, more, &which);

		if (match == MATCH_NONE) {
			at++;
			continue;
		}
		buffer_append(out, bytes + said, at - said);
		said = at;
		if (match == MATCH_BEGUN)
			return said;
		buffer_text(out, redaction->words[which].mark);
		said = at += redaction->words[which].length;
	}
	buffer_append(out, bytes + said, at - said);
	return at;
}

void
redaction_pass(struct redaction *redaction, const char *bytes, size_t length, struct buffer *out)
{
	struct buffer *held = &redaction->held;
	size_t used;

	if (length == 0)
		return;
	if (held->length == 0) {
		used = redaction_replace(redaction, bytes, length, true, out);
		buffer_append(held, bytes + used, length - used);
		return;
	}
	buffer_append(held, bytes, length);
	buffer_drop(held, redaction_replace(redaction, held->data, held->length, true, out));
}

void
redaction_end(struct redaction *redaction, struct buffer *out)
{
	if (redaction->held.length > 0)
		redaction_text(redaction, redaction->held.data, redaction->held.length, out);
	buffer_clear(&redaction->held);
}

void
redaction_text(const struct redaction *redaction, const char *bytes, size_t length, struct buffer *out)
{
	if (length > 0)
		redaction_replace(redaction, bytes, length, false, out);
}

static void
redaction_replace_string(const struct redaction *redaction, jv *string)
{
	struct buffer text = {0};

	redaction_text(redaction, jv_string_value(*string), (size_t)jv_string_length_bytes(jv_copy(*string)), &text);
	if (text.length > 0) {
		jv_free(*string);
		*string = jv_string_sized(text.data, (int)text.length);
	}
	buffer_release(&text);
}

void
redaction_value(const struct redaction *redaction, jv *value)
{
	jv_kind kind = jv_get_kind(*value);

	if (redaction->count == 0)
		return;
	if (kind == JV_KIND_STRING) {
		redaction_replace_string(redaction, value);
	} else if (kind == JV_KIND_OBJECT) {
		jv changed = jv_object();

		jv_object_foreach(*value, name, member) {
			redaction_replace_string(redaction, &name);
			redaction_value(redaction, &member);
			changed = jv_object_set(changed, name, member);
		}
		jv_free(*value);
		*value = changed;
	} else if (kind == JV_KIND_ARRAY) {
		int count = jv_array_length(jv_copy(*value));

		for (int i = 0; i < count; i++) {
			jv element = jv_array_get(jv_copy(*value), i);

			redaction_value(redaction, &element);
			*value = jv_array_set(*value, i, element);
		}
	}
}

void
redaction_release(struct redaction *redaction)
{
	for (size_t i = 0; i < redaction->count; i++) {
		explicit_bzero(redaction->words[i].text, redaction->words[i].length);
		free(redaction->words[i].text);
		free(redaction->words[i].mark);
	}
	free(redaction->words);
	buffer_release(&redaction->held);
	*redaction = (struct redaction){.count = 0};
}
