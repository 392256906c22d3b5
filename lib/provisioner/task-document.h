/* SPDX-License-Identifier: Apache-2.0
 *
 * A task as the workers of Coopr's provisioners know it, coopr-provisioners(7), made of a take record.
 */
#ifndef PROVISIONER_TASK_DOCUMENT_H
#define PROVISIONER_TASK_DOCUMENT_H

#include <stdint.h>

#include "json/json.h"

/* Returns the id that such a task has there, which the caller frees: no two attempts at any tasks have the same. */
char *task_document_id(const char *job, const char *task, int64_t attempt);

/* Returns the task of a take record, owned; nodes has the records of all nodes, one a line. */
jv task_document(jv record, const char *nodes);

/* Returns what a plugin would have answered (coopr-result(5)) of the result that a worker sends, owned. */
jv task_document_answer(jv result);

#endif
