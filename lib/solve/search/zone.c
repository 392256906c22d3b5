/* SPDX-License-Identifier: Apache-2.0
 *
 * Depth first, team by team (machines with the same units of the set), machine by machine, the zone that helps most
 * first. What makes this short:
 *
 *	a team's machines stand in different zones: two in one zone are no better than one;
 *	a team of as many machines as any of its units needs zones satisfies all of its units wherever it stands, so it is
 *	left out of the search, and its units with it;
 *	zones in which the same units stand are the same: of these one is tried.
 */
#include "solve/search/zone.h"

#include <stdlib.h>

#include "solve/program/bits.h"
#include "solve/search/zoning.h"

enum { SEARCH_WORK = 200 };

void
machine_classes_add(struct machine_classes *classes, const uint64_t *units, int zone, int64_t count)
{
	ARRAY_ROOM(classes->list, classes->count, classes->capacity);
	classes->list[classes->count++] = (struct machine_class){units, zone, count};
}

/* Returns whether the machines still to be placed, from team i on, are enough for each unit of that team. */
static bool
zone_can_suffice(const struct zoning *z, size_t i)
{
	const struct team *team = z->hard[i];

	BITS_EACH(u, team->units, z->words) {
		int64_t left = 0;

		for (size_t j = i; j < z->hard_count && left < z->need[u]; j++)
			if (bits_has(z->hard[j]->units, u))
				left += z->hard[j]->useful - z->hard[j]->placed;
		if (left < z->need[u])
			return false;
	}
	return true;
}

/* Returns the zone that helps a team most, of these the emptiest one, the first one; SIZE_MAX if none helps. useful:
 * some zone helps, barred or not. */
static size_t
zone_best_zone(const struct zoning *z, const struct team *team, const uint64_t *barred, bool *useful)
{
	size_t best = SIZE_MAX, most = 0;

	for (size_t zone = 0; zone < z->program->zones_open; zone++) {
		size_t gain = 0; /* units lacking zones that a machine of the team would help there */

		BITS_EACH(u, team->units, z->words)
			gain += z->need[u] > 0 && !bits_has(zoning_cover(z, zone), u);
		*useful = *useful || gain > 0;
		if (gain == 0 || gain < most || bits_has(barred, zone))
			continue;
		if (gain > most || z->load[zone] < z->load[best])
			best = zone;
		most = gain;
	}
	return best;
}

static bool zone_search(struct zoning *z, size_t i, const uint64_t *barred);

/* Puts a machine of team i in the zone and searches on. If that leads nowhere, takes it back. */
static bool
zone_try_zone(struct zoning *z, size_t i, size_t zone, const uint64_t *barred)
{
	struct team *team = z->hard[i];
	uint64_t *before = memory_zeroed(z->words + z->zone_words, sizeof *before), *used = before + z->words;
	bool found;

	bits_copy(before, zoning_cover(z, zone), z->words);
	bits_copy(used, barred, z->zone_words);
	bits_add(used, zone);
	zoning_stand(z, team->units, zone);
	z->load[zone]++;
	team->where[team->placed++] = (int)zone;
	found = zone_can_suffice(z, i) && zone_search(z, i, used);
	if (!found) {
		team->placed--;
		z->load[zone]--;
		BITS_EACH(u, team->units, z->words)
			z->need[u] += !bits_has(before, u);
		bits_copy(zoning_cover(z, zone), before, z->words);
	}
	free(before);
	return found;
}

/* Places the rest of team i in zones that are not barred, and the teams behind it. Where only barred zones would help,
 * those were tried before. */
static bool
zone_search(struct zoning *z, size_t i, const uint64_t *barred)
{
	uint64_t *tried = memory_zeroed(2 * z->zone_words, sizeof *tried), *none = tried + z->zone_words;
	bool found = false, useful = false;

	bits_copy(tried, barred, z->zone_words);
	if (i == z->hard_count) {
		found = true;
		for (size_t j = 0; j < i && found; j++)
			found = !zoning_lacks(z, z->hard[j]->units);
	} else if (!budget_work(z->budget, SEARCH_WORK))
		found = false;
	else if (z->hard[i]->placed == z->hard[i]->useful)
		found = zone_search(z, i + 1, none);
	else {
		size_t zone, units = bits_count(z->hard[i]->units, z->words);
		size_t look = z->program->zones_open * (3 * z->words + 2 * units + 2) + z->hard_count * units; /* at all zones */

		while (!found && budget_work(z->budget, look) &&
		    (zone = zone_best_zone(z, z->hard[i], tried, &useful)) != SIZE_MAX) {
			found = zone_try_zone(z, i, zone, tried);
			for (size_t other = 0; other < z->program->zones_open; other++) /* one that is alike leads nowhere either */
				if (bits_equal(zoning_cover(z, zone), zoning_cover(z, other), z->words))
					bits_add(tried, other);
		}
	}
	if (!found && i < z->hard_count && z->hard[i]->placed < z->hard[i]->useful && !useful && !z->budget->spent)
		found = zone_search(z, i + 1, none);
	free(tried);
	return found;
}

/* Places machines of a team in the emptiest zones until there are count of them; apart: in different zones. Those for which
 * no zone is left have none. */
static void
zone_place_evenly(struct zoning *z, struct team *team, int64_t count, bool apart)
{
	uint64_t *barred = memory_zeroed(z->zone_words, sizeof *barred);

	while (team->placed < count) {
		int best = ZONE_NONE;

		for (size_t zone = 0; zone < z->program->zones_open; zone++)
			if (!bits_has(barred, zone) && (best == ZONE_NONE || z->load[zone] < z->load[best]))
				best = (int)zone;
		if (best != ZONE_NONE) {
			z->load[best]++;
			if (apart)
				bits_add(barred, (size_t)best);
		}
		team->where[team->placed++] = best;
	}
	free(barred);
}

/* Gives each machine a zone of its own. */
static enum search_status
zone_place_apart(const struct zoning *z, const struct machine_classes *classes)
{
	for (size_t u = 0; u < z->program->unit_count; u++) {
		int64_t left = z->need[u];

		for (size_t i = 0; i < classes->count && left > 0; i++)
			if (classes->list[i].zone == ZONE_OPEN && bits_has(classes->list[i].units, u))
				left -= classes->list[i].count;
		if (left > 0)
			return SEARCH_NONE;
	}
	return SEARCH_FOUND;
}

enum search_status
zones_place(const struct program *p, struct budget *budget, const struct machine_classes *classes, const uint64_t *set, int *where)
{
	struct zoning z = {.program = p, .budget = budget, .words = p->unit_words, .zone_words = bits_words(p->zone_count)};
	struct team **teams_of = arena_alloc(&z.arena, classes->count, sizeof *teams_of);
	uint64_t *none = arena_alloc(&z.arena, z.zone_words, sizeof *none);
	enum search_status status;

	z.cover = arena_alloc(&z.arena, p->zone_count * z.words, sizeof *z.cover);
	z.load = arena_alloc(&z.arena, p->zone_count, sizeof *z.load);
	z.need = arena_alloc(&z.arena, p->unit_count, sizeof *z.need);
	zoning_init_teams(&z, classes, set, teams_of);
	if (p->zones_unlimited)
		status = zone_place_apart(&z, classes);
	else
		status = zoning_prepare(&z) && zone_search(&z, 0,
		    none) ? SEARCH_FOUND : budget->spent ? SEARCH_OPEN : SEARCH_NONE;
	if (where && status == SEARCH_FOUND) {
		for (size_t i = 0; i < z.count; i++) /* an easy team: as far as its units need it, in different zones */
			if (z.teams[i].slack == INT64_MAX)
				zone_place_evenly(&z, &z.teams[i], z.teams[i].useful, true);
		for (size_t i = 0; i < z.count; i++)
			zone_place_evenly(&z, &z.teams[i], z.teams[i].count, false);
		for (size_t i = 0; i < classes->count; i++)
			for (int64_t n = 0; n < classes->list[i].count && classes->list[i].zone == ZONE_OPEN; n++)
				*where++ = teams_of[i]->where[teams_of[i]->taken++];
	}
	arena_release(&z.arena);
	return status;
}
