/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks that doctor.c makes, by what they look at. Each adds one finding or more.
 */
#ifndef ADMIN_DOCTOR_CHECK_H
#define ADMIN_DOCTOR_CHECK_H

#include <stdbool.h>

#include "admin/doctor.h"

/* Adds a finding; text as printf(3) makes it, remedy NULL or a constant. */
void doctor_say(struct doctor_report *report, const char *check, enum doctor_verdict verdict, const char *remedy,
    const char *format, ...) __attribute__((format(printf, 5, 6)));

void doctor_check_programs(struct doctor_report *report); /* ssh, and what sandbox nodes need */
void doctor_check_sandbox(struct doctor_report *report);  /* what the kernel and our rights allow */
void doctor_check_plugins(struct doctor_report *report);
void doctor_check_places(struct doctor_report *report);   /* folders, their rights, room on the disk */
void doctor_check_contents(struct doctor_report *report); /* catalogue, spool, store */
void doctor_check_modes(struct doctor_report *report);    /* of what nobody else may read */
bool doctor_check_locks(struct doctor_report *report);    /* false where one is held for ever */
void doctor_check_course(struct doctor_report *report);   /* workers, coopr reconcile, the clock */

#endif
