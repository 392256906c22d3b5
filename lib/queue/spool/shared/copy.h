/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy of a spool that is in use. It has the files that coopr-spool(5) calls the truth, and no cache: whoever uses the copy
 * builds those anew. Workers are no part of it.
 */
#ifndef QUEUE_SPOOL_SHARED_COPY_H
#define QUEUE_SPOOL_SHARED_COPY_H

#include <stdbool.h>

#include "queue/queue.h"

struct spool;

/* Do what queue_ids and queue_copy promise. */
int copy_list_ids(const struct spool *spool, struct arguments *ids, struct error *err);
int copy_spool(const struct spool *spool, const struct arguments *jobs, queue_copy_file *file, void *context,
    struct error *err);

/* Returns whether copy_spool makes files, or folders, of that path. */
bool copy_has(const char *path);

#endif
