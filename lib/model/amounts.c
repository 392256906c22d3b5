/* SPDX-License-Identifier: Apache-2.0 */
#include "model/amounts.h"

#include <string.h>

#include "base/memory.h"

struct amounts
amounts_read(const struct place *place, struct arena *arena)
{
	struct amounts amounts = {0};
	struct members members;
	struct place amount;

	if (!place_object(place, NEED_OPTIONAL))
		return amounts;
	amounts.list = arena_alloc(arena, json_length(place->value), sizeof *amounts.list);
	members = members_of(place);
	while (members_next(&members, &amount)) {
		const char *exact;
		double value = place_read_decimal(&amount, 0, 0, AMOUNT_SUM_MAX, &exact);

		amounts.list[amounts.count++] = (struct amount){arena_string(arena, amount.name), value,
		    exact ? arena_string(arena, exact) : NULL};
	}
	return amounts;
}

const struct amount *
amounts_find(const struct amounts *amounts, const char *resource)
{
	for (size_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->list[i].resource, resource) == 0)
			return &amounts->list[i];
	return NULL;
}

double
amounts_value(const struct amounts *amounts, const char *resource, double otherwise)
{
	const struct amount *amount = amounts_find(amounts, resource);

	return amount ? amount->value : otherwise;
}
