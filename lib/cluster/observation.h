/* SPDX-License-Identifier: Apache-2.0
 *
 * What was seen last of a cluster: each of its machines, and each instance of a service on it. Whoever looks records it: a job
 * that has ended, a probe, a reconciliation. From these rows follow the numbers that stand with the cluster: instances, those
 * that are ready, and its condition.
 */
#ifndef CLUSTER_OBSERVATION_H
#define CLUSTER_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/names.h"

struct error;
struct store;

enum observation_answer {
	OBSERVATION_HEALTHY,
	OBSERVATION_UNHEALTHY,   /* a service that is not ready, whether it failed or was stopped */
	OBSERVATION_UNREACHABLE, /* the machine does not answer */
	OBSERVATION_GONE,        /* its provider does not have the machine */
	OBSERVATION_UNKNOWN,     /* nobody has looked, or it could not be asked */
	OBSERVATION_COUNT,
};

#define OBSERVATION_STOPPED "it was stopped" /* the message of an instance that shall not run */

enum condition {
	CONDITION_UNKNOWN,  /* nobody has looked for a while */
	CONDITION_HEALTHY,  /* all is */
	CONDITION_DEGRADED, /* something is not */
	CONDITION_DOWN,     /* no instance is */
	CONDITION_STOPPED,  /* all that can be stopped was, and the rest is healthy */
	CONDITION_COUNT,
};

struct observation { /* strings live in the list's arena */
	const char *node, *service; /* service "": the machine itself */
	enum observation_answer answer;
	const char *message;  /* why it is not healthy; or NULL */
	int64_t observed_ms;  /* wall clock; 0: nobody has looked yet */
	int64_t since_ms;     /* the answer is the same since then */
	const char *by;       /* who has looked: "job", "probe", "reconcile"; "" before anybody has */
};

struct observations { /* zero-initialise; release it. One of each instance */
	struct arena arena;
	struct names keys;
	struct observation *list;
	size_t count, capacity;
};

/* Adds an observation, or replaces that of the same instance; its strings are copied. since_ms does not matter. */
void observations_set(struct observations *list, const struct observation *observation);

/* Returns the observation of an instance; NULL where there is none. */
const struct observation *observations_find(const struct observations *list, const char *node, const char *service);

/* Returns whether the machine of a node was seen to be gone. */
bool observations_is_gone(const struct observations *list, const char *node);

/* Adds what is recorded of the cluster, by node and service. */
int observations_read(struct store *store, int64_t cluster, struct observations *list, struct error *err);

/* Records what was seen of a cluster that is at that revision: of one at another, or of machines that it does not have, nothing is
 * recorded. What was seen later than that stays. */
int observations_record(struct store *store, int64_t cluster, int64_t revision, const struct observations *seen, struct error *err);

/* Records, in a transaction of the caller, that the cluster consists of exactly these instances. Of one that nobody has looked at
 * now, what was known stays; other rows go. */
int observations_replace(struct store *store, int64_t cluster, const struct observations *list, struct error *err);

/* Returns "healthy". */
const char *observation_answer_name(enum observation_answer answer);

/* Return "degraded", and the condition of that name: CONDITION_UNKNOWN where there is none. */
const char *condition_name(enum condition condition);
enum condition condition_of(const char *name);

/* Return from when on an observation is not too old, now less the setting stale_after_s; and until when it is believed. What lies
 * further ahead was seen while a clock was wrong: it says nothing, and whatever is seen next takes its place. */
int64_t observation_fresh_ms(void);
int64_t observation_latest_ms(void);

void observations_release(struct observations *list);

#endif
