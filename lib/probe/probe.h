/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the machines of any number of clusters whether they answer, and then the services on each whether they run, by the
 * automators that work on them, many in parallel. Clusters are read one after the other, so that memory holds only a few.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/layout.h"

struct error;

enum { PROBE_TIMEOUT_S = 15 }; /* where nothing else is said */

enum probe_scope { PROBE_NOTHING, PROBE_MACHINE, PROBE_ALL }; /* of a node: its services, too */

enum probe_answer {
	PROBE_YES,
	PROBE_NO,      /* a service that does not run */
	PROBE_SILENT,  /* the machine does not answer; or the service not in time */
	PROBE_UNKNOWN, /* it could not be asked */
};

struct probe_subject { /* a cluster to be asked */
	struct layout layout;           /* owned by whoever gives it, until it is over */
	const enum probe_scope *scopes; /* of each node of it; NULL: all */
	void *owner;                    /* of whoever gives it */
};

struct probe_finding {
	const struct node *node;
	const char *service; /* NULL: the machine */
	enum probe_answer answer;
	const char *message; /* why; NULL where the answer is yes */
};

struct probe_options {
	size_t at_once;     /* so many questions */
	int64_t timeout_s;  /* for each */
	/* Gives the next cluster, which stays where it is: NULL where there is none left. */
	struct probe_subject *(*next)(void *context);
	/* One answer; then, that all have come. */
	void (*found)(void *context, struct probe_subject *subject, const struct probe_finding *finding);
	void (*over)(void *context, struct probe_subject *subject); /* or NULL */
	void *context;
};

/* Asks all. Fails where that is not possible at all, or with 128 + signal where one came: then not all have been asked, and
 * those are not over. */
int probe(const struct probe_options *parameters, struct error *err);

#endif
