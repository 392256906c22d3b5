/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan, coopr-plan(5): a job record, the cluster and its nodes, then tasks and milestones in a topological
 * order. A milestone does no work; it stands for "all of these".
 */
#ifndef MODEL_PLAN_H
#define MODEL_PLAN_H

#include "base/memory.h"
#include "json/place.h"
#include "model/action.h"

struct buffer;
struct document;

#define EXPECT_MAX_S 1e12 /* of an expected time */

struct service;
struct service_action;

struct step { /* a task or a milestone */
	const char *id;        /* "t17", "m2" */
	bool is_milestone;
	const char *name;      /* a milestone's: "started: zk" */
	const char *node;      /* a task's node id */
	enum action action;
	const char *service;   /* NULL for a hardware action */
	const char *type;      /* the plugin: an automator, or the provider's type */
	const char *fields;    /* canonical JSON text of the action's fields; "{}" or NULL where there are none */
	const char *scripts;   /* the digest under which the scripts to use were kept; NULL: those of today */
	const char *of;        /* the origin of the service's definition, model/take/origin.h; NULL: it has no mark */
	const char *archive;   /* the id of what a restore puts back; or NULL */
	struct string_list after; /* ids of what must be done before */
	int64_t timeout_s, retries;
	int64_t patience_s;    /* so long temporary failures are tried again */
	double expect_s, rank; /* seconds; rank (milestones too): the longest expected way from its start to the job's end */
	double p90_s;          /* where runs > 0: the 90th percentile of what was measured, as expect_s is the median of it */
	int64_t runs;          /* how often such a task was measured; 0: never, and expect_s is a hint by which tasks are ordered */
	const char *without;     /* canonical JSON text: {"app":["00000042-1000"]}, instances that its configuration leaves out; or NULL */
	struct string_list undo; /* actions that take back what it did and lead to a new attempt: ["delete","create"] for confirm */
};

struct job {
	const char *id;      /* NULL: coopr-queue put gives it */
	const char *cluster, *tenant;
	const char *action;  /* "cluster_create" */
	size_t tasks;
	double critical_path_s;
	int64_t runs;                /* how often each of its tasks was measured at least; 0: some were not */
	double expected_s, expected_p90_s; /* where runs > 0: the median and the 90th percentile of the expected duration */
	int64_t unmeasured;          /* tasks that were never measured; 0: all were, or nobody looked */
	int64_t slots;               /* expected_s is that with so many tasks in parallel; 0: any number */
	bool rolling;                /* what is done to a service in place is done to a few nodes at a time */
	const char *max_unavailable; /* "2", "25%": on so many nodes at most it is down at a time; NULL: any number */
	bool has_scope;              /* it is known what was asked for: */
	const char *scope_action;    /* "restart"; NULL: the whole difference */
	struct string_list scope_nodes, scope_services; /* empty: all */
	const char *scope_max_unavailable; /* of an action on what stands, also where none of it is changed; NULL: any number */
	bool scope_graceful;         /* services are stopped and removed before their node is deleted */
	struct string_list dead;     /* nodes whose machines do not answer */
	const char *without;         /* as that of a task, for all tasks of other services that have none of their own; or NULL */
};

extern const struct document job_table, step_table; /* a step is a task or a milestone */

/* Each appends its canonical record, with a newline. */
void job_print(const struct job *job, struct buffer *out);
void step_print(const struct step *step, struct buffer *out);

/* Fills in of a task what its service, and the action that does it, say; but not the fields, which a plan has as text. */
void step_take_service(struct step *step, const struct service *service, const struct service_action *does);

/* And back. Strings live in the arena. */
void job_parse(const struct place *place, struct arena *arena, struct job *job);
void step_parse(const struct place *place, struct arena *arena, struct step *step);

#endif
