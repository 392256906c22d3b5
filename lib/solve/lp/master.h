/* SPDX-License-Identifier: Apache-2.0
 *
 * The linear relaxation: how many machines of each pattern, fractions allowed. Patterns become columns only when
 * prices call for them (column generation), so their number does not matter. What it says of whole numbers is
 * proved in whole numbers: a solution by counting, an impossibility by prices (prove in master.c).
 *
 * Rows can be added and machines be fixed; both are undone by going back to a saved state.
 */
#ifndef SOLVE_LP_MASTER_H
#define SOLVE_LP_MASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "solve/lp/price.h"
#include "solve/lp/simplex.h"
#include "solve/program/program.h"

enum row_kind {
	ROW_MACHINES, /* how many there are */
	ROW_GROUP,    /* of present machines */
	ROW_UNIT,     /* instances */
	ROW_HARDWARE, /* machines of one type */
	ROW_LINEAR,   /* a count rule */
	ROW_CHOICE,   /* instances of the services of a choice */
	ROW_OBJECTIVE, /* the sum of an objective */
	ROW_MOVES,    /* on present machines */
	ROW_LOST,     /* unaffected services on machines that leave because fewer are asked for */
	ROW_PLACES,   /* machines, and those that leave because fewer are asked for */
	ROW_KIND,     /* machines of a fixed kind */
	ROW_MARKED,   /* machines of the filter */
	ROW_REGION,   /* machines whose pattern is in a region */
};

struct row {
	enum row_kind kind;
	int index;                   /* of the group, unit, hardware type, rule, choice or objective */
	const struct region *region; /* borrowed */
	int64_t lo, hi;              /* NO_MIN, NO_MAX */
	double scale;                /* the linear program sees the row divided by this */
};

struct column {
	struct pattern pattern;
	int64_t moves;      /* pattern_moves */
	bool marked;        /* counts in ROW_MARKED */
	unsigned long filter; /* the number of the filter that it is marked for */
};

struct use { /* so many machines of a pattern */
	struct pattern pattern; /* units owned by the program's or the master's arena */
	int64_t count;
};

struct uses { /* a solution, or a part of one */
	struct use *list;
	size_t count, capacity;
};

struct state { /* what master_save keeps; zero-initialise */
	struct row *rows;
	size_t count, capacity;
	bool *chosen;
	size_t fixed;
	struct simplex lp;
};

struct master { /* zero-initialise */
	const struct program *program;
	struct arena arena;
	struct column *columns;
	size_t column_count, column_capacity;
	int *candidates; /* columns that were worth entering when all were looked at */
	size_t candidate_count, candidate_capacity;
	struct row *rows;
	size_t row_count, row_capacity;
	int *row_of_unit, *row_of_hardware, *row_of_group; /* or SIMPLEX_NONE */
	int row_of_objective[OBJECTIVE_COUNT]; /* of each that is a sum of weights; or SIMPLEX_NONE */
	int row_of_moves, row_of_lost, row_of_marked;
	bool *chosen;           /* of each choice: it is made */
	struct uses fixed;      /* machines that are fixed, taken out of the rows' bounds */
	int kind_count;         /* kinds that are fixed but for their groups */
	int64_t kind_machines;
	const struct pattern_filter *filter; /* of marked machines, or NULL */
	unsigned long filter_number;
	struct simplex lp;
	struct prices prices;   /* of the last search for a column, in whole numbers */
	int64_t marked_price;
	int64_t *kind_price;    /* of each fixed kind */
	price_product *row_price; /* the same by row, finer */
	size_t row_price_capacity;
	int64_t *best;          /* the price of the best pattern of each group, and of the marked one behind them */
	double unit_price;      /* what 1.0 of the linear program is in prices */
	unsigned long relaxations; /* that were begun: each sets prices */
	bool rough, thorough;   /* rough: no more is proved of an objective than that its bound is not kept; thorough: however long that takes */
	uint64_t proof_end;     /* steps of the budget after which that is not tried any more */
	bool cut_short;         /* the last search for patterns was given up: there may be better ones than best */
	struct budget *budget;
	bool unproven;          /* something was concluded that doubles say and whole numbers could not prove */
};

void master_init(struct master *master, const struct program *program, struct budget *budget);
void master_release(struct master *master);

void state_release(struct state *state);
void master_save(const struct master *master, struct state *state);
void master_restore(struct master *master, const struct state *state);
/* Goes back to a state for the last time, which releases it: nothing is copied. */
void master_take_back(struct master *master, struct state *state);

/* Adds a row; returns its number. */
int master_add_row(struct master *master, struct row row);
/* Drops the row that was added last, in the state in which it was added. */
void master_drop_row(struct master *master);
/* Adds bounds of how many machines are in a region: to the row of that region, or in a row of its own. */
void master_bound_region(struct master *master, const struct region *region, int64_t lo, int64_t hi);

void master_set_bounds(struct master *master, int row, int64_t lo, int64_t hi);

/* Fixes that count machines have this pattern: they are taken out of all bounds. */
void master_fix(struct master *master, const struct pattern *pattern, bool marked, int64_t count);

/* Returns whether a pattern passes the filter. */
bool master_passes(const struct master *master, const struct pattern *pattern);

/* Returns whether a row tells machines apart that differ only in what they were before. */
bool row_is_about_groups(const struct row *row);

/* Returns whether nothing is left of what a row counts; SIMPLEX_NONE, no row, always has some. */
bool master_is_used_up(const struct master *master, int row);

/* Returns what one machine of a pattern adds to a row. */
int64_t master_coefficient(const struct master *master, const struct row *row, const struct pattern *pattern, bool marked);

/* Returns the coefficient of a column in a row as the linear program sees it. One that was marked for an earlier filter counts as any other. */
static inline double
master_scaled_coefficient(const struct master *master, const struct row *row, const struct column *column)
{
	bool marked = column->marked && column->filter == master->filter_number;

	return (double)master_coefficient(master, row, &column->pattern, marked) / row->scale;
}

/* Returns what a solution adds to a row. Of marked machines it counts all that pass the filter: which of them are the
 * marked ones is of no interest. */
int64_t master_activity(const struct master *master, int row, const struct uses *uses);

/* Returns whether a solution keeps all rows, counted in whole numbers, and makes each choice. More marked machines than the row wants are
 * allowed. */
bool master_keeps_rows(const struct master *master, const struct uses *uses);

/* Makes the choices that a pattern in use makes. */
void master_choose_by(struct master *master, const struct pattern *pattern);

/* Makes a choice: of its units, only this one has instances. */
void master_choose(struct master *master, size_t choice, int unit);

/* Solves the relaxation, for sign * row objective (SIMPLEX_NONE: any solution) least. Returns false if there is no
 * solution, in fractions and so in whole numbers: proved, or else unproven is set; or the budget is spent. */
bool master_relax(struct master *master, int objective, int sign);

/* The same, but the objective's activity need not be the least; and where cut_short is set then, it need not keep its bound. */
bool master_relax_roughly(struct master *master, int objective, int sign);

/* Returns by how much what all machines may be worth at the last prices is more than what the rows must have, in fine
 * prices: nothing fits where it is negative. */
price_product master_slack(const struct master *master);

/* Returns what a marked machine may be worth where best counts none for it, and the prices still prove that nothing fits; -1: they do not. */
int64_t master_harmless_mark(const struct master *master);

/* Finds what the last prices, with which nothing was worth entering, prove of sign * the activity of a row that was made least: it is
 * at least bound. Returns false if they prove nothing, or the budget was spent before the best patterns were found. */
bool master_bound(const struct master *master, int objective, int sign, int64_t *bound);

/* Lists the solution of the relaxation: value[i] machines of column[i]. Returns how many there are; there is room for
 * one a row. */
size_t master_solution(const struct master *master, int *column, double *value);

#endif
