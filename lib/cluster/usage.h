/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums up the hours that nodes have lived and volumes have been there, and their cost, of the clusters that an account sees, deleted ones included.
 */
#ifndef CLUSTER_USAGE_H
#define CLUSTER_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "cluster/period.h"

struct account;
struct error;

enum usage_by { USAGE_TENANT, USAGE_USER, USAGE_CLUSTER, USAGE_TEMPLATE, USAGE_HARDWARETYPE, USAGE_BY_COUNT };

enum { USAGE_ROWS_MAX = 1000000 };

struct usage_question { /* zero-initialise but now_ms: all that was ever, as one sum */
	int64_t now_ms;   /* what now means, wall clock */
	int64_t start_ms; /* 0: since the first node */
	int64_t end_ms;   /* 0, or what is to come: now */
	enum period period;
	bool by[USAGE_BY_COUNT];
	const char *user, *cluster, *template; /* only theirs; a cluster by name or id. NULL: of all */
	bool everywhere;                       /* of all tenants: where the account is a superadmin's */
};

struct usage_row {
	int64_t start_ms, end_ms;
	const char *values[USAGE_BY_COUNT]; /* of what it was asked by; NULL: of others, or there is none */
	const char *cluster_id;
	double node_hours, volume_gb_hours;
	double cost; /* of both */
	int64_t nodes; /* that lived at its end */
};

struct usage { /* zero-initialise; release it */
	struct arena arena;
	struct usage_row *rows; /* by time, then by values */
	size_t count, capacity;
	int64_t start_ms, end_ms;
};

/* Fails with EX_USAGE where there would be more than USAGE_ROWS_MAX rows. */
int usage_ask(struct account *account, const struct usage_question *question, struct usage *usage, struct error *err);
void usage_release(struct usage *usage);

/* "tenant"; and back, USAGE_BY_COUNT where there is none. */
const char *usage_by_name(enum usage_by by);
enum usage_by usage_by_of(const char *name);

#endif
