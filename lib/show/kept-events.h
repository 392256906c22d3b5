/* SPDX-License-Identifier: Apache-2.0
 *
 * The events that the store keeps of an operation whose job has left the queue. Hides that an event names a task only, and that the
 * plan says where the task was.
 */
#ifndef SHOW_KEPT_EVENTS_H
#define SHOW_KEPT_EVENTS_H

#include "json/place.h"

struct buffer;
struct error;

/* Removes from events, a record a line, those that are not about a task on one of the nodes (ids) and of the service (NULL: of any).
 * plan holds the records of the plan. Fails with EX_DATAERR where either is malformed. */
int kept_events_narrow(struct buffer *events, const struct buffer *plan, const struct string_list *nodes, const char *service,
    struct error *err);

#endif
