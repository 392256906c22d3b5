/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures how well a job used its time: the critical path as it really was, beside the time that passed.
 */
#ifndef OPERATION_EFFICIENCY_H
#define OPERATION_EFFICIENCY_H

#include <stdint.h>

struct error;

struct efficiency {
	int64_t passed_ms; /* from the instant the job was put to the last task's end */
	int64_t path_ms;   /* the longest time that tasks which had to wait for one another took together */
};

/* Measures the job whose plan and events are in these files. */
int efficiency_measure(const char *plan, const char *events, struct efficiency *efficiency, struct error *err);

#endif
