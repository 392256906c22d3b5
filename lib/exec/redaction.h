/* SPDX-License-Identifier: Apache-2.0
 *
 * The secrets that a plugin was given, kept out of what it says: each is replaced by "[secret NAME]", also where it stands
 * as the text of a JSON string, and where it comes in pieces. Of a secret of several lines that holds for each line, too.
 * What is shorter than REDACTION_MIN bytes is left: it would be found everywhere.
 */
#ifndef EXEC_REDACTION_H
#define EXEC_REDACTION_H

#include <stdbool.h>

#include "base/buffer.h"
#include "json/json.h"

enum { REDACTION_MIN = 4 };

struct redaction_word;

struct redaction { /* zero-initialise: nothing is replaced */
	struct redaction_word *words; /* the longest first */
	size_t count, capacity;
	bool first[256];    /* whether a word begins with that byte */
	struct buffer held; /* the end of what a stream said that may be the beginning of a word */
};

/* Has text replaced from now on. */
void redaction_add(struct redaction *redaction, const char *name, const char *text);

/* Takes more of a stream, and appends to out what can be said by now. */
void redaction_pass(struct redaction *redaction, const char *bytes, size_t length, struct buffer *out);

/* Ends the stream: appends the rest. */
void redaction_end(struct redaction *redaction, struct buffer *out);

/* Appends the whole of a text, with the secrets replaced. */
void redaction_text(const struct redaction *redaction, const char *bytes, size_t length, struct buffer *out);

/* Replaces them in all strings of a value, members' names included. */
void redaction_value(const struct redaction *redaction, jv *value);

/* Wipes and frees what it knows. */
void redaction_release(struct redaction *redaction);

#endif
