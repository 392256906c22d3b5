/* SPDX-License-Identifier: Apache-2.0
 *
 * Has the provider's plugin do a task that is in no plan, coopr-plugins(7): about a machine of no cluster, or a volume.
 */
#ifndef OPERATION_PROVIDER_TASK_H
#define OPERATION_PROVIDER_TASK_H

#include "json/json.h"

struct error;

struct provider_task { /* values are borrowed */
	const char *action, *tenant;
	jv provider;         /* its entity */
	const char *subject; /* "machine" or "volume": */
	jv about;            /* ... its record */
	const char *name;    /* what messages are about */
};

/* Does it. Fails with EX_NO where the plugin answers with no (status 1 to 63), which is the reason, else with EX_UNAVAILABLE. */
int provider_task_do(const struct provider_task *task, struct error *err);

#endif
