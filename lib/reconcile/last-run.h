/* SPDX-License-Identifier: Apache-2.0
 *
 * When coopr reconcile made its last round, for coopr doctor: where nothing calls it, no lease ends and nothing is settled.
 */
#ifndef RECONCILE_LAST_RUN_H
#define RECONCILE_LAST_RUN_H

#include <stdint.h>

/* Notes one that ends now. Where that cannot be written it is only not noted. */
void last_run_record(void);

/* When the last one ended, wall clock; 0: none is noted. */
int64_t last_run_ms(void);

#endif
