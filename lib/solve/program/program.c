/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/program/program.h"

#include <stdlib.h>
#include <string.h>

#include "solve/program/bits.h"

static int
program_compare_to_service(const void *name, const void *service)
{
	return strcmp(name, (*(const struct service *const *)service)->name);
}

int
program_find_service(const struct program *p, const char *name)
{
	const struct service **at = NULL;

	if (p->service_count)
		at = bsearch(name, p->services, p->service_count, sizeof *p->services, program_compare_to_service);
	return at ? (int)(at - p->services) : NAMES_NONE;
}

/* Compares with a hardware or image type: both begin with their names. */
static int
program_compare_to_type(const void *name, const void *type)
{
	return strcmp(name, *(const char *const *)type);
}

/* Looks among the types; those that leave stand behind them. */
int
program_find_hardware(const struct program *p, const char *name)
{
	size_t types = p->hardware_count - (p->request->node_count ? 2 : 0);
	const struct hardware *at = NULL;

	if (types)
		at = bsearch(name ? name : "", p->hardware, types, sizeof *p->hardware, program_compare_to_type);
	return at ? (int)(at - p->hardware) : NAMES_NONE;
}

int
program_find_image(const struct program *p, const char *name)
{
	const struct image *at = NULL;

	if (p->image_count)
		at = bsearch(name ? name : "", p->images, p->image_count, sizeof *p->images, program_compare_to_type);
	return at ? (int)(at - p->images) : NAMES_NONE;
}

unsigned long
program_size(const struct program *p)
{
	size_t each = 1000 + 8 * p->unit_words + 4 * p->linear_count + p->nogood_count + 8 * p->resource_count;

	return p->unit_count * each + p->request->node_count * p->unit_words * 8 + p->hardware_count * 100;
}

void
program_release(struct program *p)
{
	arena_release(&p->arena);
}

size_t
program_image(const struct program *p, int group, const uint64_t *units)
{
	BITS_EACH(i, p->groups[group].images, p->image_words) {
		size_t u = bits_next(units, p->unit_words, 0);

		while (u != SIZE_MAX && bits_has(p->units[u].images, i))
			u = bits_next(units, p->unit_words, u + 1);
		if (u == SIZE_MAX)
			return i;
	}
	return SIZE_MAX;
}

int
program_zone(const struct program *p, const struct node *node)
{
	int zone = 0;

	if (!node->zone)
		return ZONE_NONE;
	while (strcmp(p->zones[zone], node->zone) != 0)
		zone++;
	return zone;
}

void
program_standing(const struct program *p, const struct node *node, bool *stands)
{
	size_t i = 0; /* both lists are sorted */

	for (size_t s = 0; s < p->service_count; s++) {
		int order = -1;

		while (i < node->services.count && (order = strcmp(node->services.list[i], p->services[s]->name)) < 0)
			i++;
		stands[s] = i < node->services.count && order == 0;
	}
}

bool
program_completes_nogood(const struct program *p, const uint64_t *units, size_t u)
{
	const struct unit *unit = &p->units[u];
	bool whole = false;

	for (size_t i = 0; i < unit->nogood_count && !whole; i++) {
		const uint64_t *set = p->nogoods[unit->nogoods[i]];

		whole = true;
		for (size_t w = 0; w < p->unit_words && whole; w++)
			whole = !(set[w] & ~units[w] & ~(w == u / 64 ? UINT64_C(1) << (u % 64) : 0));
	}
	return whole;
}

int
program_root(int *parent, int member)
{
	while (parent[member] != member)
		member = parent[member] = parent[parent[member]];
	return member;
}

int64_t
count_add(int64_t a, int64_t b)
{
	if (a == NO_MIN || a == NO_MAX)
		return a;
	return b == NO_MIN || b == NO_MAX ? b : a + b;
}
