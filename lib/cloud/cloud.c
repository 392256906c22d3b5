/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/cloud.h"

#include <stdlib.h>
#include <string.h>

struct cloud_machine *
cloud_machines_add(struct cloud_machines *machines)
{
	ARRAY_ROOM(machines->list, machines->count, machines->capacity);
	machines->list[machines->count] = (struct cloud_machine){.state = CLOUD_PENDING};
	return &machines->list[machines->count++];
}

void
cloud_machines_release(struct cloud_machines *machines)
{
	arena_release(&machines->arena);
	free(machines->list);
	*machines = (struct cloud_machines){.list = NULL};
}

void
cloud_machine_tag(struct cloud_machines *machines, struct cloud_machine *machine, const char *name, const char *value)
{
	const struct {
		const char *name, **member;
	} tags[] = {{CLOUD_TAG_NODE, &machine->node}, {CLOUD_TAG_TOKEN, &machine->token}, {CLOUD_TAG_CLUSTER, &machine->cluster},
	    {CLOUD_TAG_PROVIDER, &machine->provider}};

	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
		if (strcmp(name, tags[i].name) == 0)
			*tags[i].member = arena_string(&machines->arena, value);
}

const char *
cloud_field(struct cloud *cloud, const char *name)
{
	const char *text = place_string(&cloud->fields, name, NEED_OPTIONAL, &cloud->arena);

	return text && *text ? text : NULL;
}
