/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tasks of a job tell of the life of a machine.
 */
#ifndef MODEL_MACHINE_LIFE_H
#define MODEL_MACHINE_LIFE_H

#include <stdint.h>

struct machine_life {
	const char *node;
	int64_t from_ms; /* when it was asked for, wall clock; 0: before the job */
	int64_t to_ms;   /* when it was deleted; 0: it lives on */
};

#endif
