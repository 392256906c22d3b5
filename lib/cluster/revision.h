/* SPDX-License-Identifier: Apache-2.0
 *
 * Revisions of a cluster: what it was after each change that is complete and left it whole. A revision's number is that of its
 * operation. Its documents are those that the store keeps of operations.
 */
#ifndef CLUSTER_REVISION_H
#define CLUSTER_REVISION_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

struct account;
struct arguments;
struct buffer;
struct cluster_record;
struct error;

/* SQL: whether a row of operation, joined with that of its cluster, made a revision. What follows an operation tells what it left:
 * the status that the next one began with. */
#define REVISION_IS "(operation.status = 'complete' AND operation.job IS NOT NULL AND operation.action <> 'delete' AND EXISTS " \
	"(SELECT 1 FROM operation_document AS its WHERE its.cluster = operation.cluster AND its.number = operation.number AND " \
	"its.wish IS NOT NULL) AND coalesce((SELECT was FROM operation AS next WHERE next.cluster = operation.cluster AND " \
	"next.number > operation.number AND next.job IS NOT NULL ORDER BY next.number LIMIT 1), cluster.status) = 'active')"

struct revision { /* release it */
	int64_t number;
	char *request; /* JSON: what the cluster was to be */
	char *layout;  /* coopr-layout(5): what it was, with the facts of that time */
};

/* Reads a revision: the one of that number, or, where number is 0, the newest (of a cluster that is not whole), or the newest one
 * whose request is not the present one (of a cluster that is active). EX_NO where there is none. */
int revision_find(struct account *account, const struct cluster_record *cluster, int64_t number, struct revision *revision,
    struct error *err);

/* Appends the layout that the cluster of that name is brought back to, from the present one (NULL: none): with what is known of the
 * machines that are there. Adds to dead those that were made only in part, on which nothing can be done. Fails with EX_NO where one
 * of them is to stay. */
int revision_target(const struct revision *revision, const char *name, const char *present, struct buffer *layout,
    struct arguments *dead, struct error *err);

/* Parses the revision's request, for the cluster under the name that it has now; the caller frees it. */
int revision_request(const struct revision *revision, const char *name, jv *request, struct error *err);

void revision_release(struct revision *revision);

#endif
