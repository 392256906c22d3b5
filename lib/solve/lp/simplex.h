/* SPDX-License-Identifier: Apache-2.0
 *
 * A linear program whose columns are not all there: find x >= 0 with lo <= Ax <= hi, least in one row's activity.
 * The caller asks for prices, looks for a column that they call for, and lets it enter; this module knows the
 * basis, its inverse and the ratio test. The method is the primal simplex with bounded row activities; from any
 * basis it first drives the sum of infeasibilities down, so a change of bounds or a new row needs no restart.
 *
 * It computes in doubles and proves nothing: what is concluded from it is proved in integers (master.c).
 */
#ifndef SOLVE_LP_SIMPLEX_H
#define SOLVE_LP_SIMPLEX_H

#include <stdbool.h>
#include <stddef.h>

#define SIMPLEX_FEASIBLE 1e-7 /* a bound missed by less is kept */
#define SIMPLEX_WORTH 1e-9    /* a gain per unit below this is none, */
#define SIMPLEX_WORTH_FINE 1e-13 /* and where a bound is to be exact */

enum { SIMPLEX_NONE = -1 };

struct simplex { /* zero-initialise */
	size_t rows, capacity;
	double *lo, *hi;  /* of each row's activity; -INFINITY, INFINITY */
	double *inverse;  /* of the basis; row i starts at i * capacity */
	int *basis;       /* what is basic in place i: a column, or ~row: the activity of that row */
	double *value;    /* of what is basic */
	int *place;       /* of each row's activity: in the basis, or SIMPLEX_NONE */
	bool *at_hi;      /* of a row's activity outside of the basis: which bound it is at */
	double *price;    /* of each row, as simplex_price left them */
	double *step;     /* scratch of the ratio test */
	size_t *others;   /* scratch: places of a row that are not 0 */
	unsigned long since_rebuild; /* pivots */
	double worth;     /* a gain per unit below this is none */
	bool careful;     /* first improving instead of best: cannot cycle */
};

void simplex_release(struct simplex *lp);
void simplex_copy(struct simplex *to, const struct simplex *from);

/* Adds a row. coefficient[i] is that of what is basic in place i (0 for the activity of a row). */
void simplex_add_row(struct simplex *lp, double lo, double hi, const double *coefficient);

/* Recomputes the values of the basis after bounds were changed. */
void simplex_recompute(struct simplex *lp);

/* Recomputes the inverse from the basis, whose columns stand in matrix (row-major, rows wide). Takes less time where sparse columns stand
 * before others. Returns false if it is singular. */
bool simplex_rebuild(struct simplex *lp, const double *matrix);

/* Sets price for the sum of infeasibilities, which it returns, or where that is zero for sign * the activity of
 * objective (a row, or SIMPLEX_NONE). A column a is worth entering where sum(price[i] * a[i]) > 0. */
double simplex_price(struct simplex *lp, int objective, int sign);

/* Returns the activity of a row, in the solution at hand. */
double simplex_activity(const struct simplex *lp, int row);

/* Returns the row whose activity is best worth entering, with its gain per unit, or SIMPLEX_NONE. */
int simplex_best_row(const struct simplex *lp, int objective, int sign, double *gain);

/* Lets the activity of a row, or a column (given densely), enter the basis. Returns false if nothing stops it. */
bool simplex_enter_row(struct simplex *lp, int row);
bool simplex_enter_column(struct simplex *lp, int column, const double *coefficient);

#endif
