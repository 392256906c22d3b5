/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks JSON before libjq sees it: of bytes that may come from anywhere it accepts only
 * what libjq keeps exactly and what costs a bounded amount of memory. It refuses depth over
 * JSON_DEPTH, values that take more memory than JSON_MEMORY allows, lists of a document that are longer than any has (scan_lists in scan.c), NUL bytes and "\u0000", invalid UTF-8, lone surrogates, duplicate members, NaN,
 * numbers out of the range of a double or with digits that it does not keep, and whatever RFC 8259 forbids.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct error;

enum {
	JSON_DEPTH = 128,                 /* arrays and objects inside one another */
	JSON_BYTES = 256 * 1024 * 1024,   /* one document or record */
	JSON_MEMORY = 64 * 1024 * 1024,   /* that its values take, about: so much, and so many bytes for each of its own */
	JSON_MEMORY_RATIO = 16,
};

/* Looks for one JSON value at the start of text (white space before it is skipped).
 * Returns the bytes up to its end; 0 when it goes on beyond length (end is false: more may come) or there
 * is nothing but white space; -1 with EX_DATAERR, the text naming line and column. */
ssize_t json_scan(const char *text, size_t length, bool end, struct error *err);

enum { JSON_DIGITS = 17 }; /* of a decimal that a double keeps, at most */

/* Tells whether the double that a decimal was read as means just that decimal: it prints the same with as many digits. */
bool json_keeps_digits(double value, const char *decimal);

/* Tells whether the text is a number of RFC 8259; *reason says why it is refused nevertheless, NULL where it is not. */
bool json_scan_number(const char *text, size_t length, const char **reason);

#endif
