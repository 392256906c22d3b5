/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/doctor.h"

#include "admin/doctor-check.h"

void
doctor_check(struct doctor_report *report)
{
	doctor_check_programs(report);
	doctor_check_confinement(report);
	doctor_check_sandbox(report);
	doctor_check_plugins(report);
	doctor_check_places(report);
	doctor_check_restore(report);
	doctor_check_modes(report);
	doctor_check_passwords(report);
	/* Whoever looks into what a stopped process has locked would wait for it. */
	if (doctor_check_locks(report)) {
		doctor_check_contents(report);
		doctor_check_activity(report);
		doctor_check_identity(report);
		doctor_check_data(report);
		doctor_check_definitions(report);
	}
}
