/* SPDX-License-Identifier: Apache-2.0
 *
 * The machines that are to be given zones, in teams: those with the same units of the set to be spread.
 */
#ifndef SOLVE_SEARCH_ZONING_H
#define SOLVE_SEARCH_ZONING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solve/search/zone.h"

struct team {
	uint64_t *units; /* of the set */
	int64_t count;   /* machines */
	int64_t useful;  /* of them, those that the search places */
	int64_t slack;   /* machines that the unit which is most in need could do without */
	int *where;      /* zones of the machines placed so far */
	int64_t placed, taken;
};

struct zoning {
	struct arena arena; /* of what follows; to be released */
	const struct program *program;
	struct budget *budget;
	size_t words, zone_words;
	uint64_t *cover; /* of each zone: the units that stand there */
	int64_t *load;   /* of each zone: machines */
	int64_t *need;   /* of each unit: zones that it lacks */
	struct team *teams;
	size_t count;
	struct team **hard; /* teams that are to be searched */
	size_t hard_count;
};

/* Puts the open machines into teams, and finds what stands in the zones already. teams_of[i]: of class i. */
void zoning_init_teams(struct zoning *zoning, const struct machine_classes *classes, const uint64_t *set, struct team **teams_of);

/* Finds the teams that need a search; units that the others satisfy are in need no longer. Returns false if a unit is in
 * need whatever is done. */
bool zoning_prepare(struct zoning *zoning);

/* Returns the units that stand in a zone. */
uint64_t *zoning_cover(const struct zoning *zoning, size_t zone);

/* Puts units there. */
void zoning_stand(struct zoning *zoning, const uint64_t *units, size_t zone);

/* Returns whether any of the units lacks zones. */
bool zoning_lacks(const struct zoning *zoning, const uint64_t *units);

#endif
