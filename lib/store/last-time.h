/* SPDX-License-Identifier: Apache-2.0
 *
 * Records when the installation did something last, by name: "reconcile".
 */
#ifndef STORE_LAST_TIME_H
#define STORE_LAST_TIME_H

#include <stdint.h>

struct error;
struct store;

/* Records, durably, that it was done at at_ms (wall clock). An earlier time than the recorded one changes nothing. */
int last_time_record(struct store *store, const char *name, int64_t at_ms, struct error *err);

/* Sets *at_ms to the time at which it was done last; 0: never. */
int last_time_read(struct store *store, const char *name, int64_t *at_ms, struct error *err);

#endif
