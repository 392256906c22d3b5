/* SPDX-License-Identifier: Apache-2.0
 *
 * What a word of YAML without quotes stands for. Readers of YAML do not agree: "no" and "0x1f" are text to some of them, and to
 * others not. Of such words none is guessed at.
 */
#ifndef JSON_YAML_PLAIN_H
#define JSON_YAML_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

enum yaml_plain {
	YAML_PLAIN_TEXT,    /* text, to every reader that matters here */
	YAML_PLAIN_JSON,    /* true, false, null or a number, as JSON writes it */
	YAML_PLAIN_TRUTH,   /* a boolean to some readers, text to others: "yes", "Off" */
	YAML_PLAIN_NOTHING, /* null to some: "~", "NULL" */
	YAML_PLAIN_NUMBER,  /* a number to some: "0x1f", "1_000", "007", ".inf" */
	YAML_PLAIN_LOST,    /* a number of JSON that is out of range or would not be kept exactly */
};

/* Returns what the word is. It does not contain NUL. Of YAML_PLAIN_LOST *reason says why. */
enum yaml_plain yaml_plain(const char *text, size_t length, const char **reason);

/* Tells whether the words "true", "Yes" and the like are the same boolean: true. */
bool yaml_plain_is_true(const char *text, size_t length);

#endif
