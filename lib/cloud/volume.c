/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/volume.h"

#include <stdlib.h>

struct cloud_volume *
cloud_volumes_add(struct cloud_volumes *volumes)
{
	ARRAY_ROOM(volumes->list, volumes->count, volumes->capacity);
	volumes->list[volumes->count] = (struct cloud_volume){.state = CLOUD_VOLUME_BUSY};
	return &volumes->list[volumes->count++];
}

void
cloud_volumes_release(struct cloud_volumes *volumes)
{
	arena_release(&volumes->arena);
	free(volumes->list);
	*volumes = (struct cloud_volumes){.list = NULL};
}
