/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "queue/queue.h"

int
queue_turn(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	struct error refused;
	int recorded = count > 0 ? queue_finish(queue, results, count, answers, &refused) : 0;

	if (queue_take(queue, want, batch, err) < 0)
		return -1;
	if (recorded < 0)
		*err = refused;
	return recorded;
}
