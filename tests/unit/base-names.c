/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <stdlib.h>

#include "base/memory.h"
#include "tap.h"

static void
test_numbers(void)
{
	struct names names = {0};

	tap_is_number(names_find(&names, "zk"), NAMES_NONE, "an empty set knows no name");
	tap_is_number(names_intern(&names, "zk"), 0, "the first name is 0");
	tap_is_number(names_intern(&names, "db"), 1, "the next one is 1");
	tap_is_number(names_intern(&names, "zk"), 0, "a name keeps its number");
	tap_is_number(names_find(&names, "db"), 1, "and is found by it");
	tap_is_number(names_find(&names, "d"), NAMES_NONE, "part of a name is another name");
	tap_is_number(names_intern(&names, ""), 2, "the empty string is a name");
	names_release(&names);
}

static void
test_many(void)
{
	enum { MANY = 20000 };
	struct names names = {0};
	struct arena arena = {0};
	bool right = true;

	for (int i = 0; i < MANY; i++)
		right = right && names_intern(&names, arena_printf(&arena, "n%d", i)) == i;
	for (int i = 0; i < MANY; i++)
		right = right && names_find(&names, arena_printf(&arena, "n%d", i)) == i;
	tap_ok(right && names.count == MANY, "numbers stay while the set grows");
	names_release(&names);
	arena_release(&arena);
}

int
main(void)
{
	test_numbers();
	test_many();
	return tap_end();
}
