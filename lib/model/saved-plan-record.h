/* SPDX-License-Identifier: Apache-2.0
 *
 * The first and the last record of a saved plan, coopr-run(1): what the plan is of and what it was made from, and its seal.
 */
#ifndef MODEL_SAVED_PLAN_RECORD_H
#define MODEL_SAVED_PLAN_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "json/place.h"

struct arena;
struct document;

struct saved_plan_record {
	const char *action, *verb, *name, *tenant, *owner, *group, *why;
	const char *command, *at, *by;   /* the command that planned it; when, and who */
	const char *cluster;             /* its id */
	const char *status, *recorded;   /* of the cluster then, and the digest of its layout; NULL: it is to be made */
	int64_t operation;               /* the number of its last operation then, 0: it is to be made */
	int64_t lease_ms;                /* of one that is to be made; 0: for ever, -1: as its template says */
	bool discard_data;               /* data may be lost */
	jv basis;                        /* borrowed: what its preview was printed with; invalid: not known */
};

extern const struct document saved_plan_table, seal_table;

/* Fills the record from the document; strings live in the arena. */
void saved_plan_record_parse(const struct place *place, struct arena *arena, struct saved_plan_record *record);

#endif
