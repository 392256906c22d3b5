/* SPDX-License-Identifier: Apache-2.0
 *
 * What the helper answers: text of lines "name=value", of which the first is the status, an exit code. A line "name" begins what is
 * said of a machine; the line "end" is last, without which the answer was cut off.
 */
#ifndef SANDBOX_HELPER_REPLY_H
#define SANDBOX_HELPER_REPLY_H

#include <stddef.h>

#include "base/error.h"
#include "sandbox/maker.h"

struct buffer;

struct reply {
	struct error error; /* code 0: it was done */
	char notice[256];   /* what the user should know, or "" */
	struct found_list found;
};

enum { REPLY_LIMIT = 64 * 1024 * 1024 };

void reply_print(const struct reply *reply, struct buffer *out);

/* Reads an answer. Fails with EX_PROTOCOL if it is none, else with what the answer's error is. */
int reply_parse(const char *text, size_t length, struct reply *reply, struct error *err);

void reply_release(struct reply *reply);

#endif
