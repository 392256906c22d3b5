/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/program/whole.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
	LARGEST = 31, /* zeros */
	POWERS = 22,  /* of ten that a double holds */
};

#define DOUBLE_WHOLE 9007199254740992.0 /* below it doubles are exact */

/* Finds the decimal of a number that a power of ten makes a whole one, both of which doubles hold: their quotient is then the number. Most
 * numbers are such, and it takes a small part of the time. Returns -1 for others. */
static int64_t
whole_split_simple(double value, int *exponent, int *count)
{
	double power = 1;

	for (int places = 0; places <= POWERS; places++) {
		double scaled = nearbyint(value * power);

		if (scaled >= DOUBLE_WHOLE)
			break;
		if (scaled / power == value) {
			*exponent = -places;
			*count = 0;
			for (int64_t rest = (int64_t)scaled; rest; rest /= 10)
				++*count;
			return (int64_t)scaled;
		}
		power *= 10;
	}
	return -1;
}

/* Finds the shortest decimal that means the number: count digits * 10^exponent. */
static int64_t
whole_split(double value, int *exponent, int *count)
{
	int64_t simple = whole_split_simple(value, exponent, count);
	char text[40], digits[WHOLE_DIGITS + 2];

	if (simple >= 0)
		return simple;
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

const char *
whole_decimal(wide value, int places, struct arena *arena)
{
	char digits[2 * LARGEST], *last = &digits[sizeof digits - 1];
	int point = 0; /* digits before it */

	for (; places > 0 && value % 10 == 0; places--)
		value /= 10;
	if (value < (wide)DOUBLE_WHOLE)
		return NULL;
	*last = '\0';
	for (wide rest = value; rest || point < places + 1; rest /= 10, point++)
		*--last = (char)('0' + (int)(rest % 10));
	point -= places;
	return places ? arena_printf(arena, "%.*s.%s", point, last, last + point) : arena_string(arena, last);
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

void
scale_take(struct scale *scale, double value)
{
	scale->places = whole_more_places(scale->places, value, WHOLE_DIGITS);
	scale->least = whole_more_places(scale->least, value, WHOLE_DIGITS_LEAST);
}

/* Finds the step with the places that there are. */
static size_t
scale_find_step(struct scale *scale, const double *values, size_t count, wide most)
{
	wide value;

	scale->step = 0;
	for (size_t i = 0; i < count; i++) {
		if (!whole_of(values[i], scale->places, &value))
			return i;
		scale->step = whole_divisor(scale->step, value);
	}
	if (!scale->step)
		scale->step = 1;
	for (size_t i = 0; i < count; i++)
		if (whole_of(values[i], scale->places, &value) && value / scale->step > most)
			return i;
	return count;
}

size_t
scale_fit(struct scale *scale, const double *values, size_t count, wide most)
{
	size_t large;

	while ((large = scale_find_step(scale, values, count, most)) < count && scale->places > scale->least)
		scale->places--;
	return large;
}
