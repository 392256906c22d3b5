/* SPDX-License-Identifier: Apache-2.0
 *
 * Records when coopr reconcile ran last, for coopr doctor: where nothing calls it, no lease ends and no operation is finished.
 */
#ifndef RECONCILE_LAST_RUN_H
#define RECONCILE_LAST_RUN_H

#include <stdint.h>

struct error;
struct store;

/* Records that a run ends now. */
int last_run_record(struct store *store, struct error *err);

/* Returns when the last run ended, wall clock; 0: none is recorded. */
int64_t last_run_ms(void);

#endif
