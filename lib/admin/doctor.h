/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out what is wrong with an installation, and how to repair it. Each check looks at one thing and says one thing of it;
 * what other parts of coopr can judge (the queue, the store, the catalogue), they are asked.
 */
#ifndef ADMIN_DOCTOR_H
#define ADMIN_DOCTOR_H

#include "admin/doctor-report.h"

/* Makes all checks. */
void doctor_check(struct doctor_report *report);

#endif
