/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan as a document, coopr-plan(5): what a stream of records holds, as it stands there.
 */
#ifndef MODEL_PLAN_DOCUMENT_H
#define MODEL_PLAN_DOCUMENT_H

#include "model/layout.h"
#include "model/plan.h"

struct record_reader;

struct plan_document {
	struct layout layout; /* its arena holds the strings of the rest too */
	bool has_job;
	struct job job;
	struct step *steps; /* in the order of the stream */
	size_t *records;    /* of each step: the number of its record, from 0 */
	size_t count, capacity;
};

/* Reads to the end of the stream. What is wrong inside records goes to problems. Returns 0, or -1 where the stream
 * itself is broken. The document is to be released in any case. */
int plan_document_read(struct record_reader *reader, struct plan_document *document, struct problems *problems,
    struct error *err);

/* The same record by record, for a zeroed document: record->index is its number. Kinds that a plan has not are
 * skipped. At the end the nodes are put in order; what makes a plan a plan may still be missing. */
void plan_document_take(struct plan_document *document, const struct place *record);
void plan_document_end(struct plan_document *document, struct problems *problems);

void plan_document_release(struct plan_document *document);

#endif
