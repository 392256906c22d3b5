/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a long text, for a person: what is kept of the output of a plugin or of a script, while all of
 * it is in the log.
 */
#ifndef EVENT_TAIL_H
#define EVENT_TAIL_H

#include "base/buffer.h"
#include "json/json.h"

enum { TAIL_BYTES = 8 * 1024 };

struct tail { /* zero-initialise */
	struct buffer kept;
	size_t dropped;
};

void tail_append(struct tail *tail, const char *bytes, size_t length);
void tail_release(struct tail *tail);

/* Returns at most TAIL_BYTES from the end as a string, whole characters only; what is no UTF-8, and NUL, is U+FFFD. */
jv tail_text(const struct tail *tail);

/* Returns the last line that holds something, shortened if it is long, control characters as "?"; "" if there is none. With a text, the
 * last line that has it in it comes first. The caller frees it. */
char *tail_last_line(const struct tail *tail);
char *tail_last_line_with(const struct tail *tail, const char *with);

#endif
