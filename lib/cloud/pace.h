/* SPDX-License-Identifier: Apache-2.0
 *
 * When the next request of a client may be sent: so many a second at most, and none before the instant that the cloud has asked to wait for.
 */
#ifndef CLOUD_PACE_H
#define CLOUD_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "cloud/stop.h"

struct pace { /* under the lock of cloud/stop.h */
	double interval_ms;  /* between two requests; 0: no bound */
	double next_ms;      /* monotonic; of the request after those that have their turn */
	double shift_ms;     /* by so much those who waited meanwhile come later, because others went first */
	double first_ms;     /* the intervals of all that went first */
	int64_t closed_ms;   /* none before that */
};

void pace_init(struct pace *pace, double per_second);

/* Waits for a turn; first: before all who wait already, each of whom comes one turn later. Fails as stop_wait does, and the turn is lost. */
int pace_wait(struct pace *pace, bool first, const struct stop *stop, struct error *err);

/* Has nobody send anything for so long. */
void pace_close(struct pace *pace, int64_t ms);

/* Returns how long to wait before the try of that number, from 1, is repeated: longer each time, and for each who asks another time, so that
 * those who were refused together do not come back together. */
int64_t pace_backoff_ms(unsigned try);

#endif
