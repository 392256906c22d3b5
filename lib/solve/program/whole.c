/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/program/whole.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 31 }; /* zeros */

/* Finds the shortest decimal that means the number: count digits * 10^exponent. */
static int64_t
whole_split(double value, int *exponent, int *count)
{
	char text[40], digits[WHOLE_DIGITS + 2];

	*count = 0;
	for (int precision = 0; precision < WHOLE_DIGITS; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (const char *c = text; *c && *c != 'e'; c++)
		if (*c >= '0' && *c <= '9')
			digits[(*count)++] = *c;
	digits[*count] = '\0';
	*exponent = atoi(strchr(text, 'e') + 1) - (*count - 1);
	return strtoll(digits, NULL, 10);
}

int
whole_more_places(int places, double value, int digits)
{
	int exponent, count, own;

	if (whole_split(value, &exponent, &count) == 0)
		return places;
	own = -exponent - (count > digits ? count - digits : 0);
	own = own < WHOLE_PLACES ? own : WHOLE_PLACES;
	return own > places ? own : places;
}

bool
whole_of(double value, int places, wide *out)
{
	int exponent, count;
	int64_t digits = whole_split(value, &exponent, &count);
	wide most = 1;

	for (int i = 0; i < LARGEST; i++)
		most *= 10;
	*out = digits;
	for (int i = 0; i > exponent + places && *out; i--)
		*out = i == exponent + places + 1 ? (*out + 5) / 10 : *out / 10;
	for (int i = 0; i < exponent + places && *out; i++) {
		if (*out > most / 10)
			return false;
		*out *= 10;
	}
	return true;
}

wide
whole_divisor(wide a, wide b)
{
	while (b) {
		wide rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}
