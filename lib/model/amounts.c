/* SPDX-License-Identifier: Apache-2.0 */
#include "model/amounts.h"

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
	while (members_next(&members, &amount))
		amounts.list[amounts.count++] = (struct amount){
		    arena_string(arena, amount.name), place_read_number(&amount, 0, 0, AMOUNT_MAX)};
	return amounts;
}
