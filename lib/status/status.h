/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster as it is now, for commands that only look: the store's record of it and, while an operation runs, the queue's. An
 * operation that is over is finished first, unless another process does that.
 */
#ifndef STATUS_STATUS_H
#define STATUS_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "account/accounts.h"
#include "base/option.h"
#include "cluster/clusters.h"
#include "cluster/operations.h"
#include "model/layout.h"
#include "model/show/list.h"
#include "queue/queue.h"

struct drift_list;
struct error;

struct status_options { /* of every command that looks */
	const char *store, *tenant, *user, *spool, *format, *colour;
};

#define STATUS_PLACES(options) \
	OPTION_STRING('T', "tenant", &(options)->tenant, "TENANT", "the cluster's tenant (default: $COOPR_TENANT)"), \
	OPTION_STRING(0, "as", &(options)->user, "USER", "act as that user (for administrators)"), \
	OPTION_STRING(0, "spool", &(options)->spool, "DIR", "the spool (default: $COOPR_SPOOL)"), \
	OPTION_STRING(0, "store", &(options)->store, "FILE", "the store (default: $COOPR_STORE)")
#define STATUS_FORMATS(options, words) OUTPUT_OPTIONS(&(options)->format, &(options)->colour, words)

struct state_line;

struct cluster_status { /* release it, also where it could not be opened */
	const struct status_options *options;
	struct account account;
	struct cluster_list clusters;
	const struct cluster_record *cluster;
	char id[CLUSTER_ID_SIZE];
	struct operation_list operations;
	const struct operation *last; /* that had a job; NULL: there was none */
	bool under_way;               /* last has not ended */
	struct queue *queue;          /* NULL: there is no spool */
	bool has_job;                 /* the queue knows the job of last: */
	struct queue_job job;
	char *text;                   /* after status_layout: coopr-layout(5), "" where nothing is there */
	struct layout layout;         /* and the same in C */
};

/* Opens the store for one who looks: 1, or 0 where there is none yet and none was asked for; -1. */
int status_account(struct account *account, const struct status_options *options, struct error *err);

/* Opens the spool to look; NULL where there is none. */
struct queue *status_queue(const struct status_options *options);

/* Finds the cluster. EX_NO where there is none of that name or id that the account may see. */
int status_open(struct cluster_status *status, const struct status_options *options, const char *cluster, struct error *err);

/* Looks again: something may have changed. */
int status_again(struct cluster_status *status, struct error *err);

/* Reads the nodes that are there, and those that are being made. */
int status_layout(struct cluster_status *status, struct error *err);

/* Returns the folder of the cluster's files, the caller's to free. */
char *status_folder(const struct cluster_status *status);

/* Returns its row of a list. */
struct state_line status_state_line(const struct cluster_status *status);

/* Asks the machines whether they answer, so many at once, and the services on them whether they run; adds what does not. The
 * layout has been read. As probe() fails. */
int status_probe(struct cluster_status *status, size_t at_once, struct drift_list *drift, struct error *err);

/* Waits until nothing is under way any more; EX_TEMPFAIL where that takes longer than timeout_ms (negative: it may). */
int status_wait(struct cluster_status *status, int64_t timeout_ms, struct error *err);

void status_release(struct cluster_status *status);

#endif
