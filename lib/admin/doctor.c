/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "admin/doctor-check.h"
#include "base/buffer.h"

void
doctor_say(struct doctor_report *report, const char *check, enum doctor_verdict verdict, const char *remedy,
    const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	ARRAY_ROOM(report->list, report->count, report->capacity);
	report->list[report->count++] = (struct doctor_finding){check, verdict, arena_string(&report->arena, text), remedy};
	free(text);
}

const char *
doctor_verdict_name(enum doctor_verdict verdict)
{
	static const char *const names[] = {"ok", "doubt", "fault"};

	return names[verdict];
}

void
doctor_examine(struct doctor_report *report)
{
	doctor_check_programs(report);
	doctor_check_sandbox(report);
	doctor_check_plugins(report);
	doctor_check_places(report);
	doctor_check_modes(report);
	/* Who looks into what a stopped process has locked would wait for it. */
	if (doctor_check_locks(report)) {
		doctor_check_contents(report);
		doctor_check_course(report);
	}
}

void
doctor_report_release(struct doctor_report *report)
{
	free(report->list);
	arena_release(&report->arena);
	*report = (struct doctor_report){0};
}
