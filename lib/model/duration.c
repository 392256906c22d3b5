/* SPDX-License-Identifier: Apache-2.0 */
#include "model/duration.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A thousand years: a time so far from now can still be written, with a year of four digits. */
#define MOST_MS (INT64_C(365250) * 86400 * 1000)

int64_t
duration_parse(const char *text)
{
	static const struct {
		char letter;
		int64_t ms;
	} units[] = {{'s', 1000}, {'m', 60 * 1000}, {'h', 3600 * 1000}, {'d', 86400 * 1000}};
	size_t digits = strspn(text, "0123456789");
	int64_t number, ms;

	for (size_t i = 0; i < sizeof units / sizeof *units && digits; i++) {
		if (text[digits] != units[i].letter || text[digits + 1])
			continue;
		number = digits > 15 ? INT64_MAX : strtoll(text, NULL, 10);
		return __builtin_mul_overflow(number, units[i].ms, &ms) || ms > MOST_MS ? DURATION_TOO_LONG : ms;
	}
	return DURATION_NONE;
}
