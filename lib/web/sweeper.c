/* SPDX-License-Identifier: Apache-2.0 */
#include "web/sweeper.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "event/supervise.h"

enum { SWEEPER_EVERY_MS = 30 * 1000 };

struct sweeper {
	struct supervisor *supervisor;
	struct child child;
	bool runs;
	int64_t due_ms;
	char *argv[3];
};

struct sweeper *
sweeper_open(struct supervisor *supervisor)
{
	struct sweeper *sweeper = memory_zeroed(1, sizeof *sweeper);
	char since[24];

	snprintf(since, sizeof since, "%" PRId64, clock_boottime_ms());
	setenv("COOPR_SERVING_SINCE", since, 1);
	sweeper->supervisor = supervisor;
	sweeper->due_ms = clock_monotonic_ms() + SWEEPER_EVERY_MS;
	sweeper->argv[0] = location_installed("libexec/coopr/provisioner");
	sweeper->argv[1] = memory_string("sweep");
	return sweeper;
}

int64_t
sweeper_turn(struct sweeper *sweeper)
{
	int64_t now = clock_monotonic_ms();
	struct error err;

	if (sweeper->due_ms > now)
		return sweeper->due_ms - now;
	sweeper->due_ms = now + SWEEPER_EVERY_MS;
	if (sweeper->runs)
		return SWEEPER_EVERY_MS;
	sweeper->child = (struct child){.argv = sweeper->argv, .environment = environ, .session = true, .timeout_ms = SWEEPER_EVERY_MS};
	if (supervise_start(sweeper->supervisor, &sweeper->child, &err) == 0)
		sweeper->runs = true;
	else
		message("%s", err.text);
	return SWEEPER_EVERY_MS;
}

bool
sweeper_has_ended(struct sweeper *sweeper, const struct child *child)
{
	if (!sweeper || child != &sweeper->child)
		return false;
	child_release(&sweeper->child);
	sweeper->runs = false;
	return true;
}

void
sweeper_close(struct sweeper *sweeper)
{
	if (!sweeper)
		return;
	free(sweeper->argv[0]);
	free(sweeper->argv[1]);
	free(sweeper);
}
