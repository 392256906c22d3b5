/* SPDX-License-Identifier: Apache-2.0 */
#include "model/unavailable.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 9 };

bool
unavailable_is_valid(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits > DIGITS_MAX || text[0] == '0')
		return false;
	return !text[digits] || (strcmp(text + digits, "%") == 0 && strtoul(text, NULL, 10) <= 100);
}

size_t
unavailable_of(const char *text, size_t count)
{
	char *end;
	size_t value = text ? strtoul(text, &end, 10) : count;

	if (text && *end == '%')
		value = value * count / 100;
	return value < 1 ? 1 : value;
}
