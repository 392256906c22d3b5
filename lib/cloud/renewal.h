/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cloud gives for a while only, as tokens and keys are: one thread asks for it before it ends, and the others wait for that.
 */
#ifndef CLOUD_RENEWAL_H
#define CLOUD_RENEWAL_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct stop;

struct renewal { /* zero-initialised: there is none yet; under the lock of cloud/stop.h, as below */
	int64_t until_ms; /* monotonic; 0 has it asked for anew */
	bool asked;       /* a thread is asking for it */
};

struct renewal_calls {
	/* Asks for another one, without the lock, and leaves it in the context. */
	int (*ask)(void *context, const struct stop *stop, struct error *err);
	/* Takes it from there for all threads. Returns for how long it is good. */
	int64_t (*take)(void *context);
	int64_t shortest_ms; /* it is used at least so long, however soon it ends */
};

/* Sees to it that there is one that is good for RENEWAL_MS more. Fails as ask does, or where the task is to end. */
int renewal_await(struct renewal *renewal, const struct renewal_calls *calls, void *context, const struct stop *stop, struct error *err);

enum { RENEWAL_MS = 5 * 60 * 1000 };

#endif
