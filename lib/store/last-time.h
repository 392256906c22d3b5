/* SPDX-License-Identifier: Apache-2.0
 *
 * When the installation did something last, by name: "reconcile".
 */
#ifndef STORE_LAST_TIME_H
#define STORE_LAST_TIME_H

#include <stdint.h>

struct error;
struct store;

/* Records that it was done at that time (wall clock, ms), durably. */
int last_time_record(struct store *store, const char *name, int64_t at_ms, struct error *err);

/* Sets *at_ms to when it was done last, 0: never. */
int last_time_read(struct store *store, const char *name, int64_t *at_ms, struct error *err);

#endif
