/* SPDX-License-Identifier: Apache-2.0
 *
 * The engines there are: the one file that knows them. A further one is a row here.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/location.h"
#include "queue/engine.h"
#include "queue/spool/local.h"

static const struct {
	const char *scheme; /* how its queues are named: SCHEME://...; NULL: as a folder */
	const struct queue_engine *engine;
} engines[] = {
	{NULL, &local_engine},
};

/* Returns the engine that serves the queue of that name. */
static const struct queue_engine *
engines_find(const char *where, struct error *err)
{
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
		if (location_has_scheme(where, engines[i].scheme))
			return engines[i].engine;
	error_set(err, EX_UNAVAILABLE, "%s: no engine serves such a spool; name a folder", where);
	return NULL;
}

int
queue_check_plan(struct record_reader *plan, struct problems *problems, struct error *err)
{
	return local_engine.check_plan(plan, problems, err);
}

bool
queue_copy_has(const char *spool, const char *path)
{
	char *where = location_spool(spool);
	struct error ignored; /* queue_open reports it */
	const struct queue_engine *engine = engines_find(where, &ignored);

	free(where);
	return engine && engine->copy_has && engine->copy_has(path);
}

struct queue *
queue_open(const char *spool, enum queue_mode mode, struct error *err)
{
	char *where = location_spool(spool);
	const struct queue_engine *engine = *where ? engines_find(where, err) : NULL;
	struct queue *queue = engine ? engine->open(where, mode, err) : NULL;

	if (!*where)
		error_set(err, EX_USAGE, "the spool: its name is empty; name a folder, or leave out --spool");
	if (queue)
		queue->engine = engine;
	free(where);
	return queue;
}
