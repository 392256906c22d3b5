/* SPDX-License-Identifier: Apache-2.0
 *
 * Erases tenants: whatever an installation has of them, but for the audit log, and looks at each place once more. First the tenant is
 * deleted, so that nobody adds anything; then goes what is kept outside of the store; last, in one transaction, what the store has. Killed
 * in between, the same command finds the deleted tenant, and does the rest.
 */
#ifndef TENANT_ERASE_H
#define TENANT_ERASE_H

#include <stddef.h>
#include <stdint.h>

struct account;
struct error;

struct erase_line { /* a place that was looked at */
	const char *tenant, *place; /* "table cluster", "jobs", "archives" */
	int64_t removed, left;
};

struct erase_proof { /* zero-initialise; release it */
	struct erase_line *list;
	size_t count, capacity;
};

/* Erases tenants of these names, and all that were deleted before and had such a name. EX_NO where there is none of a name, or one has
 * clusters or always exists: then none is deleted. proof gets a line for each tenant and place, also where something fails. */
int erase_tenants(struct account *account, char *const *names, struct erase_proof *proof, struct error *err);

/* Returns how much is left, of all places. */
int64_t erase_left(const struct erase_proof *proof);

void erase_proof_release(struct erase_proof *proof);

#endif
