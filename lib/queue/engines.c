/* SPDX-License-Identifier: Apache-2.0
 *
 * The engines there are: the one file that knows them. A further one is a row here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/location.h"
#include "queue/engine.h"
#include "queue/spool/local.h"

static const struct {
	const char *scheme; /* how its queues are named: SCHEME://...; NULL: any other name, as that of a folder */
	const struct queue_engine *engine;
} engines[] = {
	{NULL, &local_engine}, /* the last one */
};

/* Returns the engine that serves the queue of that name. */
static const struct queue_engine *
engines_find(const char *where)
{
	const char *end = strstr(where, "://");
	size_t i = 0;

	while (engines[i].scheme && !(end && strlen(engines[i].scheme) == (size_t)(end - where) &&
	    strncmp(where, engines[i].scheme, (size_t)(end - where)) == 0))
		i++;
	return engines[i].engine;
}

int
queue_check_plan(struct record_reader *plan, struct problems *problems, struct error *err)
{
	return local_engine.check_plan(plan, problems, err);
}

struct queue *
queue_open(const char *spool, enum queue_mode mode, struct error *err)
{
	char *where = location_spool(spool);
	const struct queue_engine *engine = engines_find(where);
	struct queue *queue = NULL;

	if (*where)
		queue = engine->open(where, mode, err);
	else
		error_set(err, EX_USAGE, "the spool: its name is empty; name a folder, or leave out --spool");
	if (queue)
		queue->engine = engine;
	free(where);
	return queue;
}
