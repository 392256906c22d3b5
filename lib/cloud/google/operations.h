/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of Google: that an instance is made or deleted is only begun when the request is answered, and what became of it the operation tells. Those
 * that this process has begun are looked after together, one list for all of a zone; those of volumes one by one.
 */
#ifndef CLOUD_GOOGLE_OPERATIONS_H
#define CLOUD_GOOGLE_OPERATIONS_H

#include "cloud/cloud.h"

enum google_end { GOOGLE_UNDONE, GOOGLE_DONE, GOOGLE_FAILED };

/* Remembers the operation that an answer tells of. tags are those of a machine that is being made, or NULL where it is being deleted. Returns how
 * it has ended already, with the error of one that failed (which is remembered nevertheless), or -1 where the answer tells of none. */
int google_operation_add(const struct cloud *cloud, jv answer, const char *zone, const char *machine, const struct cloud_order *order, struct error *err);

/* Waits until the operation that an answer tells of has ended, or only looks whether it has; what it is about is in the error of one that failed. */
int google_operation_end(const struct cloud *cloud, jv answer, const char *what, bool waits, const struct stop *stop, struct error *err);

/* Asks for all that have not ended. */
int google_operations_refresh(const struct cloud *cloud, const struct stop *stop, struct error *err);

/* Marks those of the machines found whose making has failed, and adds those that are not among them; what has been made is not looked after any more. */
void google_operations_report(const struct cloud *cloud, struct cloud_machines *found);

/* Tells how the deletion of a machine has ended, with the error of one that failed; GOOGLE_DONE where none is under way. What has ended, and its
 * making, is not looked after any more. */
enum google_end google_operations_deletion(const struct cloud *cloud, const char *zone, const char *machine, struct error *err);

#endif
