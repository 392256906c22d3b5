/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/last-run.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/last-time.h"
#include "store/store.h"

int
last_run_record(struct store *store, struct error *err)
{
	return last_time_record(store, "reconcile", clock_wall_ms(), err);
}

int64_t
last_run_ms(void)
{
	struct store *store;
	struct error ignored; /* then it is not known */
	int64_t at_ms = 0;

	if (store_open(&store, NULL, STORE_READ, NULL, &ignored) == 0 && last_time_read(store, "reconcile", &at_ms, &ignored) < 0)
		at_ms = 0;
	store_release(store);
	return at_ms;
}
