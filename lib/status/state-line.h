/* SPDX-License-Identifier: Apache-2.0
 *
 * Clusters and operations as rows of a list: what coopr list, show, status and history print of them. A column of
 * "coopr list" or "coopr history", or a member of their records, is one row of the tables in state-line.c.
 */
#ifndef STATUS_STATE_LINE_H
#define STATUS_STATE_LINE_H

#include <stdbool.h>

#include "cluster/clusters.h"
#include "model/show/list.h"

struct operation;
struct queue_job;

/* The table of clusters has the column of tenants if output.when has this, or is wide. */
enum { STATE_LINE_TENANT = LIST_OWN };

struct state_line { /* a row of clusters_list */
	struct cluster_record cluster;     /* its strings are borrowed */
	const struct operation *operation; /* the one that is under way; NULL: none */
	const struct queue_job *job;       /* its job; NULL: the queue does not know it */
	bool idle;                         /* no worker takes tasks of that job */
	const char *folder;                /* the folder of the cluster's files; NULL: the record does not have it */
};

/* Rows are struct state_line. Names are ids if the context is not NULL. */
extern const struct list state_line_clusters;

/* Rows are struct operation; the context is NULL, or the struct queue_job of the row's job. */
extern const struct list state_line_operations;

/* Appends what is under way and how far it is, "expand 12/41, paused"; nothing if nothing is under way. */
void state_line_progress(const struct state_line *line, struct buffer *out);

/* Return the styles of a cluster's state, and of its condition. */
enum terminal_style state_line_condition_style(const struct cluster_record *cluster);
enum terminal_style state_line_style(const struct cluster_record *cluster);

#endif
