/* SPDX-License-Identifier: Apache-2.0
 *
 * Decimal numbers of a request as whole numbers, so that sums and comparisons of them are exact: 0.1 + 0.2 fits into 0.3.
 */
#ifndef SOLVE_PROGRAM_WHOLE_H
#define SOLVE_PROGRAM_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

__extension__ typedef __int128 wide;

enum {
	WHOLE_PLACES = 18,      /* behind the point, at most */
	WHOLE_DIGITS = 17,      /* that a number has at most */
	WHOLE_DIGITS_LEAST = 9, /* that are never rounded away */
};

struct scale { /* in which some numbers are counted */
	int places, least; /* behind the point; those that are not rounded away */
	wide step;         /* that all of them are multiples of, times 10 to the power of places */
};

/* Gives a scale, zeroed before the first, the places of a number. */
void scale_take(struct scale *scale, double value);

/* Finds the largest step that all numbers are multiples of, none of them being more than most steps; for that the last of many digits are
 * rounded. Returns count, or the first number that is too large for it. */
size_t scale_fit(struct scale *scale, const double *values, size_t count, wide most);

/* Returns the larger of places and how many places behind the point the shortest decimal has that means the number, which is finite;
 * digits behind the first so many are of no account. */
int whole_more_places(int places, double value, int digits);

/* Finds the number times 10 to the power of places, rounded to the nearest. Returns false where it is above 10 to the power of 31. */
bool whole_of(double value, int places, wide *out);

struct arena;

/* Returns value divided by 10 to the power of places as a decimal, in the arena; NULL where a double means it, so that the number can be printed
 * as one. */
const char *whole_decimal(wide value, int places, struct arena *arena);

/* Returns the greatest common divisor; of 0 and a it is a. Its sign is of no account. */
wide whole_divisor(wide a, wide b);

#endif
