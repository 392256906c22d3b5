/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program prints as the body of an answer, where that is much: it goes to a file without a name as it comes, in the form that the body of the
 * answer has. So it takes no memory, however slowly the answer is read, and the program does not wait for who reads it.
 */
#ifndef HTTP_PRINTED_H
#define HTTP_PRINTED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct http_exchange;
struct printed;

enum { PRINTED_TYPE_SIZE = 64 };

enum printed_form {
	PRINTED_AS_IS,
	PRINTED_LINES, /* of JSON, which become a list */
	PRINTED_WHOLE, /* before the body stand status and type, as CGI has it, RFC 3875 */
};

struct printed_list { /* lines of JSON on their way to be the list of an object; zero-initialise */
	const char *fields; /* of each, only these: see json/pick.h; borrowed; NULL: all */
	struct buffer line; /* the beginning of one of which only fields are taken */
	bool has_begun, has_line, in_line;
};

/* Appends what lines become. printed_end_list appends the end of the list. */
void printed_add_lines(struct printed_list *list, const char *bytes, size_t length, struct buffer *to);
void printed_end_list(struct printed_list *list, struct buffer *to);

/* Returns the length of what CGI has before a body, and takes status and type from there, which is "" where there is none; 0 where that is
 * not there. */
size_t printed_read_head(const struct buffer *printed, int *status, char type[static PRINTED_TYPE_SIZE]);

/* Begins; type is a media type; of lines, only fields are taken, unless that is NULL: it is borrowed. Where that fails, printed_give says why. */
struct printed *printed_open(enum printed_form form, const char *type, const char *fields);

/* Takes what has been printed up to now, and empties the buffer; what is before the body comes with the first. Returns -1 where it is too
 * much, or cannot be kept: what comes then is dropped. */
int printed_take(struct printed *output, struct buffer *printed);

/* Answers with it, once all of it is taken, any number of times. Returns NULL; or why that cannot be. */
const char *printed_give(struct printed *output, struct http_exchange *exchange);

void printed_release(struct printed *output); /* NULL is fine */

#endif
