/* SPDX-License-Identifier: Apache-2.0
 *
 * A unit test is a program that prints TAP: a line "ok 1 - TITLE" for each thing that holds. A title is a
 * sentence about the module. main ends with: return tap_end();
 */
#ifndef TESTS_UNIT_TAP_H
#define TESTS_UNIT_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failures;

/* One test: whether it holds. Returns that. */
#define tap_ok(holds, ...) tap_line((holds), __FILE__, __LINE__, __VA_ARGS__)

/* The same of two whole numbers, or of two strings (NULL is a value like another); a failure shows both. */
#define tap_is_number(found, expected, ...) \
	do { \
		long long found_ = (long long)(found), expected_ = (long long)(expected); \
		if (!tap_ok(found_ == expected_, __VA_ARGS__)) \
			printf("#   found %lld, expected %lld\n", found_, expected_); \
	} while (0)
#define tap_is_text(found, expected, ...) \
	do { \
		const char *found_ = (found), *expected_ = (expected); \
		bool same_ = found_ && expected_ ? strcmp(found_, expected_) == 0 : found_ == expected_; \
		if (!tap_ok(same_, __VA_ARGS__)) \
			printf("#   found \"%s\"\n#   expected \"%s\"\n", found_ ? found_ : "(null)", \
			    expected_ ? expected_ : "(null)"); \
	} while (0)

/* A test that cannot run here, and why. */
#define tap_skip(reason, title) printf("ok %d - %s # skip %s\n", ++tap_count, (title), (reason))

__attribute__((format(printf, 4, 5))) static inline bool
tap_line(bool holds, const char *file, int line, const char *format, ...)
{
	va_list ap;

	printf("%sok %d - ", holds ? "" : "not ", ++tap_count);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	if (!holds)
		printf("#   at %s:%d\n", file, line);
	tap_failures += !holds;
	fflush(stdout); /* a test that crashes has said which one it was, and a child repeats nothing */
	return holds;
}

/* Prints the plan. The exit code: 1 where something did not hold. */
static inline int
tap_end(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures > 0;
}

#endif
