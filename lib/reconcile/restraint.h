/* SPDX-License-Identifier: Apache-2.0
 *
 * When not to mend: too much is gone at once, so that it is likelier that what tells us is broken; or it was mended, or tried,
 * again and again.
 */
#ifndef RECONCILE_RESTRAINT_H
#define RECONCILE_RESTRAINT_H

#include <stdbool.h>
#include <stddef.h>

struct account;
struct cluster_record;
struct error;
struct reach;

#define RESTRAINT_MARK "reconcile: " /* how the why of each of its operations begins */

struct restraint {
	struct account *account;
	const struct reach *reach;
	const char *max_gone; /* of model/unavailable.h */
};

/* Whether so many of the cluster's machines, and so many of its provider's, may be replaced: 0, or -1 with EX_TEMPFAIL and why not. */
int restraint_on_share(const struct restraint *restraint, const struct cluster_record *cluster, size_t count,
    size_t of_provider, struct error *err);

/* The same for deleting machines at a provider that nobody owns. */
int restraint_on_unowned(const struct restraint *restraint, const char *provider, size_t count, struct error *err);

/* Whether something may be begun on the cluster, or what has failed be gone on with, already again. As above. */
int restraint_on_haste(const struct restraint *restraint, const struct cluster_record *cluster, struct error *err);

#endif
