/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/zoning.h"

#include <stdlib.h>

#include "solve/program/bits.h"

uint64_t *
zoning_cover(const struct zoning *z, size_t zone)
{
	return z->cover + zone * z->words;
}

void
zoning_stand(struct zoning *z, const uint64_t *units, size_t zone)
{
	BITS_EACH(u, units, z->words) {
		z->need[u] -= !bits_has(zoning_cover(z, zone), u);
		bits_add(zoning_cover(z, zone), u);
	}
}

bool
zoning_lacks(const struct zoning *z, const uint64_t *units)
{
	BITS_EACH(u, units, z->words)
		if (z->need[u] > 0)
			return true;
	return false;
}

/* Returns the team of a class: the one with the same units of the set. */
static struct team *
zoning_team_of(struct zoning *z, const uint64_t *units)
{
	size_t i = 0;

	while (i < z->count && !bits_equal(z->teams[i].units, units, z->words))
		i++;
	if (i == z->count) {
		z->teams[z->count++].units = arena_alloc(&z->arena, z->words, sizeof *units);
		bits_copy(z->teams[i].units, units, z->words);
	}
	return &z->teams[i];
}

void
zoning_init_teams(struct zoning *z, const struct machine_classes *classes, const uint64_t *set, struct team **teams_of)
{
	uint64_t *units = memory_zeroed(z->words, sizeof *units);

	z->teams = arena_alloc(&z->arena, classes->count, sizeof *z->teams);
	for (size_t i = 0; i < classes->count; i++) {
		const struct machine_class *class = &classes->list[i];

		bits_copy(units, class->units, z->words);
		if (class->count == 0)
			continue;
		if (bits_keep(units, set, z->words))
			BITS_EACH(u, units, z->words)
				z->need[u] = z->program->units[u].zones_min;
	}
	for (size_t i = 0; i < classes->count; i++) {
		const struct machine_class *class = &classes->list[i];

		bits_copy(units, class->units, z->words);
		bits_keep(units, set, z->words);
		if (class->zone == ZONE_OPEN) {
			teams_of[i] = zoning_team_of(z, units);
			teams_of[i]->count += class->count;
		} else if (class->zone != ZONE_NONE && class->count > 0) {
			zoning_stand(z, units, (size_t)class->zone);
			z->load[class->zone] += class->count;
		}
	}
	free(units);
}

static int
zoning_compare_teams(const void *a, const void *b)
{
	const struct team *x = *(struct team *const *)a, *y = *(struct team *const *)b;

	if (x->slack != y->slack)
		return x->slack < y->slack ? -1 : 1;
	return x < y ? -1 : 1;
}

/* Returns how many zones the units of a team need, at most, where any lacks some. */
static int64_t
zoning_most_needed(const struct zoning *z, const struct team *team)
{
	int64_t most = 0;

	BITS_EACH(u, team->units, z->words)
		if (z->need[u] > 0 && z->program->units[u].zones_min > most)
			most = z->program->units[u].zones_min;
	return most;
}

static int64_t
zoning_slack_of(const struct zoning *z, const struct team *team)
{
	int64_t least = INT64_MAX;

	BITS_EACH(u, team->units, z->words) {
		int64_t slack = -z->need[u];

		for (size_t i = 0; i < z->count; i++)
			slack += bits_has(z->teams[i].units, u) ? z->teams[i].useful : 0;
		if (z->need[u] > 0 && slack < least)
			least = slack;
	}
	return least;
}

bool
zoning_prepare(struct zoning *z)
{
	int64_t zones = (int64_t)z->program->zones_open;

	for (size_t i = 0; i < z->count; i++) {
		struct team *team = &z->teams[i];
		int64_t most = zoning_most_needed(z, team);

		team->useful = team->count < most ? team->count : most;
		team->useful = team->useful < zones ? team->useful : zones;
		team->where = arena_alloc(&z->arena, (size_t)team->count, sizeof *team->where);
	}
	z->hard = arena_alloc(&z->arena, z->count, sizeof *z->hard);
	for (size_t i = 0; i < z->count; i++)
		z->teams[i].slack = z->teams[i].useful && z->teams[i].useful < zoning_most_needed(z, &z->teams[i])
		    ? zoning_slack_of(z, &z->teams[i]) : INT64_MAX;
	for (size_t i = 0; i < z->count; i++) /* an easy team */
		if (z->teams[i].useful && z->teams[i].slack == INT64_MAX)
			BITS_EACH(u, z->teams[i].units, z->words)
				z->need[u] = 0;
	for (size_t i = 0; i < z->count; i++)
		if (z->teams[i].slack != INT64_MAX && zoning_lacks(z, z->teams[i].units))
			z->hard[z->hard_count++] = &z->teams[i];
	if (z->hard_count)
		qsort(z->hard, z->hard_count, sizeof *z->hard, zoning_compare_teams);
	for (size_t u = 0; u < z->program->unit_count; u++) {
		int64_t left = -z->need[u];

		for (size_t i = 0; i < z->hard_count; i++)
			left += bits_has(z->hard[i]->units, u) ? z->hard[i]->useful : 0;
		if (z->need[u] > 0 && left < 0)
			return false;
	}
	return true;
}
