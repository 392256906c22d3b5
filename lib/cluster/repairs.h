/* SPDX-License-Identifier: Apache-2.0
 *
 * The repairs of a cluster by coopr reconcile, each node and each service on it by itself: how often in a row, and how the last
 * ended.
 */
#ifndef CLUSTER_REPAIRS_H
#define CLUSTER_REPAIRS_H

#include <stdint.h>

#include "cluster/operations.h"

struct error;
struct store;

struct repair_record {
	int64_t round;     /* so often in a row, without any operation of others in between */
	int64_t operation; /* the last of them, */
	int64_t begun_ms, ended_ms;
	enum operation_status status;
};

/* Reads the last repair of the node (service "": it was replaced), or of the service on it. A machine that has replaced another counts
 * with that. mark is how the messages of such operations begin. Returns 1, 0 where there was none, or -1. */
int repairs_last(struct store *store, int64_t cluster, const char *node, const char *service, const char *mark,
    struct repair_record *last, struct error *err);

/* Records that an operation repairs it, for the round-th time in a row; durably. */
int repairs_record(struct store *store, int64_t cluster, const char *node, const char *service, int64_t operation, int64_t round,
    struct error *err);

#endif
