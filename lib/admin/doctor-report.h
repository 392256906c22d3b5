/* SPDX-License-Identifier: Apache-2.0
 *
 * The findings of coopr-doctor, in the order in which they were made.
 */
#ifndef ADMIN_DOCTOR_REPORT_H
#define ADMIN_DOCTOR_REPORT_H

#include <stddef.h>

#include "base/memory.h"
#include "model/show/list.h"

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_WARNING, /* something that some do without, as sandbox nodes, or that may be meant to be so */
	DOCTOR_ERROR,   /* coopr does not work */
};

struct doctor_finding { /* strings live in the report's arena */
	const char *check; /* the name of the check: "ssh", "spool" */
	enum doctor_status status;
	const char *text;
	const char *remedy; /* NULL: there is nothing to do */
};

struct doctor_report { /* zero-initialise; release it */
	struct arena arena;
	struct doctor_finding *list;
	size_t count, capacity;
};

/* Adds a finding; format makes its text, which is never empty, as printf(3) does; remedy is NULL, or a string that stays. */
void doctor_say(struct doctor_report *report, const char *check, enum doctor_status status, const char *remedy,
    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Returns the worst status of a finding. */
enum doctor_status doctor_worst(const struct doctor_report *report);

/* Prints the findings: as a table, in which the remedy stands below what was found, or as records. */
void doctor_print(const struct doctor_report *report, struct output *output);

void doctor_report_release(struct doctor_report *report);

#endif
