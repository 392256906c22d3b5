/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks that doctor.c makes, by what they look at. Each adds one finding or more.
 */
#ifndef ADMIN_DOCTOR_CHECK_H
#define ADMIN_DOCTOR_CHECK_H

#include <stdbool.h>

#include "admin/doctor-report.h"

void doctor_check_programs(struct doctor_report *report); /* ssh, and the programs that sandbox nodes need */
void doctor_check_confinement(struct doctor_report *report); /* what holds plugins and filters back */
void doctor_check_sandbox(struct doctor_report *report);  /* the kernel and the rights of the user */
void doctor_check_plugins(struct doctor_report *report);
void doctor_check_places(struct doctor_report *report);   /* folders, their rights, room on the disk */
void doctor_check_contents(struct doctor_report *report); /* catalogue, spool, store */
void doctor_check_restore(struct doctor_report *report);  /* a restore that was interrupted */
void doctor_check_data(struct doctor_report *report);     /* clusters that say nothing of their data */
void doctor_check_identity(struct doctor_report *report); /* an installation that came from a backup */
void doctor_check_definitions(struct doctor_report *report); /* clusters with missing scripts; passwords in clear */
void doctor_check_passwords(struct doctor_report *report); /* what one costs on this machine */
void doctor_check_modes(struct doctor_report *report);    /* files that nobody else may read */
void doctor_check_activity(struct doctor_report *report); /* workers, coopr reconcile, the clock */

/* Returns false if a stopped process holds a lock for which others wait. */
bool doctor_check_locks(struct doctor_report *report);

#endif
