/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on clusters. An operation begins in one transaction, which refuses what the cluster's status or its
 * tenant's quota forbids and holds what the cluster may come to need; it ends in another, which says what is really
 * there. In between lies work that takes minutes: a cluster has one operation at a time. Both are durable when they
 * return. What happened stays.
 */
#ifndef CLUSTER_OPERATIONS_H
#define CLUSTER_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "store/secrets.h"

struct account;
struct applied;
struct arguments;
struct cluster_record;
struct error;
struct observations;
struct outbox_message;
struct store;

enum operation_status {
	OPERATION_PLANNED,  /* begun; its job may not be in the spool yet */
	OPERATION_RUNNING,
	OPERATION_COMPLETE, /* from here on it has ended */
	OPERATION_FAILED,
	OPERATION_CANCELLED,
	OPERATION_ROLLEDBACK,
	OPERATION_STATUS_COUNT,
};

enum { JOB_ID_SIZE = 48 };

struct operation { /* strings live in the list's arena */
	int64_t cluster, number; /* numbers of a cluster are 1, 2, 3, ... */
	const char *action, *user;
	const char *why, *message, *template; /* or NULL */
	const char *job;     /* "00000042-007"; NULL: it was done at once, without one */
	int64_t begun_ms, ended_ms; /* 0: not yet */
	enum operation_status status;
	bool is_revision; /* the cluster can go back to what it was then, see revision.h */
};

struct operation_list { /* zero-initialise; release it */
	struct arena arena;
	struct operation *list;
	size_t count, capacity;
};

struct operation_file { /* what a stage of an operation gave */
	const char *name; /* "plan.ndjson" */
	const char *text;
	size_t length;
};

struct operation_secret { /* "operation/NAME" in documents, for the tasks of the operation alone */
	const char *name;
	struct secret_value value;
};

struct operation_spec { /* zero-initialise */
	const char *action; /* of lifecycle_transitions, one with a job */
	int64_t cluster;    /* for create: the number that clusters_allot gave */
	int64_t number;     /* that it has to get: one more than cluster_record.operation. 0: any */
	int64_t revision;   /* that the cluster has to be at (cluster_record.revision); -1: any */
	const char *request;  /* JSON; the cluster's when the operation is complete. NULL: as it is */
	const char *wanted;   /* the layout that is wanted, NDJSON: also of what leaves */
	const char *prices;   /* prices_of; NULL: nothing costs anything */
	const char *address;  /* that it is to have; NULL: as it is */
	bool address_shared;  /* the provider is the installation's */
	double volume_cost;   /* of an hour, of all volumes that it makes */
	const char *template; /* the cluster's when the operation is complete. NULL: as it is */
	const struct operation_file *files; /* kept with it; none where NULL */
	size_t file_count;
	const struct operation_secret *secrets; /* that it is given; none where NULL */
	size_t secret_count;
	struct { /* of a create only */
		const char *name, *owner, *group, *provider; /* owner NULL: who asks */
		int64_t expires_ms, lease_max_ms, lease_step_ms;
		bool lease_discards_data; /* at the end of the lease */
		const struct applied *applied; /* what coopr apply is to remember of it; NULL: nothing. cluster, revision: do not matter */
	} create;
};

/* Begins it: planned. Adds it to the list. EX_TEMPFAIL where another is under way (the text names its job and the way out),
 * or number or revision are others; EX_NO where status or quota forbid it, the name is taken, or there is no such cluster;
 * EX_NOPERM for a group one is not in. */
int operation_begin(struct account *account, const struct operation_spec *spec, struct operation_list *list,
    struct error *err);

/* Checks that it could begin now, as operation_begin does, and begins nothing. A new cluster may lack its number: 0. */
int operation_admit(struct account *account, const struct operation_spec *spec, struct error *err);

/* Sets secrets of an operation, inside a transaction. */
int operation_secrets_set(struct store *store, int64_t cluster, int64_t number, const struct operation_secret *secrets, size_t count,
    struct error *err);

/* The cluster's last operation with a job, which failed or was cancelled, goes on under its number, where status and quota
 * allow it. EX_NO where it is not the last, or has not failed. */
int operation_reopen(struct account *account, int64_t cluster, int64_t number, struct error *err);

/* Its job is in the spool. Nothing where that was said before, or it has ended. */
int operation_running(struct account *account, int64_t cluster, int64_t number, struct error *err);

struct operation_outcome {
	enum operation_status status; /* complete, failed, cancelled or rolledback */
	const char *message;          /* one sentence, or NULL */
	int64_t ended_ms;             /* when its job had ended, which may be noticed later; wall clock; 0: now */
	const char *layout; /* as coopr-queue show --layout prints it: a node whose "was" is null is not there. NULL: as before */
	const struct machine_life *lives; /* of those that came or went: what else comes has come at its beginning, what goes at its end */
	size_t life_count;
	const struct observations *seen; /* each machine and instance in that layout; NULL: what was seen before stays */
	const struct operation_file *files; /* kept with the operation; none where NULL */
	size_t file_count;
	const struct outbox_message *messages; /* to hooks; none where NULL */
	size_t message_count;
};

/* Ends it: 1; 0 where it has ended already, and nothing changes; -1. */
int operation_end(struct account *account, int64_t cluster, int64_t number, const struct operation_outcome *outcome,
    struct error *err);

/* Adds operations of a cluster, the newest first: those before number before (0: all), at most limit (0: all). */
int operations_list(struct account *account, int64_t cluster, int64_t before, int64_t limit, struct operation_list *list,
    struct error *err);

/* Returns whether the last operation of an incomplete cluster was of its creation: it neither deletes it nor brings it back. */
bool operation_is_of_creation(const struct operation *last);

/* Adds the last one that had a job: 1, or 0 where there is none, or -1. */
int operation_last(struct account *account, int64_t cluster, struct operation_list *list, struct error *err);

/* Adds one. EX_NO where there is none. */
int operation_find(struct account *account, int64_t cluster, int64_t number, struct operation_list *list,
    struct error *err);

/* Adds those that are under way, on all clusters that the account sees (a superadmin: everywhere). */
int operations_open(struct account *account, struct operation_list *list, struct error *err);

/* Pushes the jobs of all that are under way, of all tenants. */
int operations_open_jobs(struct store *store, struct arguments *jobs, struct error *err);

struct operation_documents { /* zero-initialise; release it. NULL: none */
	char *request, *before, *wanted, *prices;
};

/* Reads the documents of an operation. EX_NO where there are none. */
int operation_documents(struct account *account, int64_t cluster, int64_t number, struct operation_documents *documents,
    struct error *err);
void operation_documents_release(struct operation_documents *documents);

/* Return "running", and the status of that name: OPERATION_STATUS_COUNT where there is none. */
const char *operation_status_name(enum operation_status status);
enum operation_status operation_status_of(const char *name);

/* Writes "00000042-007"; returns text. */
char *operation_job(int64_t cluster, int64_t number, char text[JOB_ID_SIZE]);

void operation_list_release(struct operation_list *list);

#endif
