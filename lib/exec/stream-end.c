/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin that streams may hold connections to many nodes: it is told that there is nothing more, and closes them.
 */
#include "exec/stream.h"

#include "base/clock.h"

enum { END_MS = 5000 }; /* to end by themselves */

void
streams_end(struct streams *streams)
{
	int64_t until = clock_monotonic_ms() + END_MS;
	struct child *child;

	streams_renew(streams);
	while (streams->supervisor->count > 0) {
		int64_t left = until - clock_monotonic_ms();
		enum supervise_event event = supervise_next(streams->supervisor, left > 0 ? left : -1, &child);

		if (event == SUPERVISE_ENDED || event == SUPERVISE_OUTPUT)
			streams_heard(streams, child, event);
		if (left <= 0 || event == SUPERVISE_TIME || event == SUPERVISE_SIGNAL)
			streams_stop(streams);
	}
}
