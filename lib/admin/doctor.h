/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong with an installation, and how to mend it. Each check looks at one thing and says one thing of it; what
 * other commands of coopr can judge (the spool, the store, the catalogue), they are asked.
 */
#ifndef ADMIN_DOCTOR_H
#define ADMIN_DOCTOR_H

#include <stddef.h>

#include "base/memory.h"

enum doctor_verdict {
	DOCTOR_FINE,
	DOCTOR_DOUBT, /* something that is there for some will not work: sandbox nodes, for one */
	DOCTOR_FAULT,
};

struct doctor_finding { /* strings live in the report's arena */
	const char *check; /* what was looked at: "ssh", "spool" */
	enum doctor_verdict verdict;
	const char *text;
	const char *remedy; /* NULL where nothing is to be done */
};

struct doctor_report { /* zero-initialise; release it */
	struct arena arena;
	struct doctor_finding *list;
	size_t count, capacity;
};

/* Makes all checks. */
void doctor_examine(struct doctor_report *report);
void doctor_report_release(struct doctor_report *report);

/* "ok", "doubt", "fault". */
const char *doctor_verdict_name(enum doctor_verdict verdict);

#endif
