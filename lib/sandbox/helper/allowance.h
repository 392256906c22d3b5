/* SPDX-License-Identifier: Apache-2.0
 *
 * What root lets those do who come to the helper: a file of lines "name = value", coopr-sandbox(7), which belongs to root alone. Where
 * there is none, machines are of the host's own files, in the default network, without a route out.
 */
#ifndef SANDBOX_HELPER_ALLOWANCE_H
#define SANDBOX_HELPER_ALLOWANCE_H

#include <stddef.h>

#include "base/buffer.h"

struct error;
struct machine;

struct allowance {
	const char *path;   /* borrowed */
	struct buffer text; /* its lines, as "name=value" */
};

/* Reads the file. One that does not exist allows what is allowed without one; one that others than root may change is refused. */
int allowance_read(const char *path, struct allowance *allowance, struct error *err);

/* Returns the folder where the helper keeps machines; the caller frees it. */
char *allowance_state(const struct allowance *allowance);

/* Returns how many machines one user may have. */
size_t allowance_machines(const struct allowance *allowance);

/* Checks what is wanted of the host, and lowers limits that are above those of the file. */
int allowance_admit(const struct allowance *allowance, struct machine *wanted, struct error *err);

void allowance_release(struct allowance *allowance);

#endif
