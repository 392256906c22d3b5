/* SPDX-License-Identifier: Apache-2.0
 *
 * What a worker is configured with, coopr-work(1): how many tasks at once, whose, and what its plugins find in their
 * environment. From files, which it can be told to read again.
 */
#ifndef WORKER_WORK_CONFIG_H
#define WORKER_WORK_CONFIG_H

#include <stddef.h>

#include "base/memory.h"

struct error;

struct work_config {
	struct arena arena;
	size_t slots;
	const char *const *tenants, *const *providers; /* lists that end with NULL; NULL: any */
	char **environment; /* of plugins, whole */
};

/* Reads the file, or, where that is NULL, the system's and the user's, of which either may be missing and the user's is
 * the stronger, member by member. -1 with EX_CONFIG and all that is wrong; the configuration is empty then. */
int work_config_read(const char *file, struct work_config *config, struct error *err);
void work_config_release(struct work_config *config);

#endif
