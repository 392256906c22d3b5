/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/maker.h"

#include <stdlib.h>

#include "base/memory.h"

const char *
machine_state_name(enum machine_state state)
{
	static const char *const names[MACHINE_STATES] = {"half", "running", "dead"};

	return names[state];
}

struct found *
found_add(struct found_list *found)
{
	ARRAY_ROOM(found->list, found->count, found->capacity);
	found->list[found->count] = (struct found){.state = MACHINE_HALF};
	return &found->list[found->count++];
}

void
found_release(struct found_list *found)
{
	for (size_t i = 0; i < found->count; i++)
		machine_release(&found->list[i].machine);
	free(found->list);
	*found = (struct found_list){.list = NULL};
}
