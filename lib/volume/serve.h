/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a node's volumes, as the store has them: which volumes it gets is decided here, before its provider attaches them, and what
 * a task has done is recorded here. Plugins see only what they are told, coopr-plugins(7).
 */
#ifndef VOLUME_SERVE_H
#define VOLUME_SERVE_H

#include "json/json.h"

struct error;
struct task;

/* Adds the member "volumes" to what the plugin is handed, for an attach, a mount and a delete: a list of objects with id, service, name,
 * path, size_gb, keep, blank and of, sorted by path. Fails where the node cannot get its volumes. */
int volume_serve_begin(struct task *task, struct error *err);

/* Records what the task has done, if its result says that it has; a failure of that becomes the result. */
void volume_serve_end(const struct task *task, jv *result);

#endif
