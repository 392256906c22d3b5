/* SPDX-License-Identifier: Apache-2.0
 *
 * The clusters of the store, as the account that asks may see them; what is done to them is in operations.h. What has to be
 * listed stands in columns, the documents apart.
 */
#ifndef CLUSTER_CLUSTERS_H
#define CLUSTER_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "cluster/lifecycle.h"
#include "cluster/observation.h"
#include "json/json.h"

struct account;
struct error;
struct store;

enum { CLUSTER_ID_SIZE = 24 };

struct cluster_record { /* strings live in the list's arena; NULL where there is nothing to say: group, template, provider, message */
	int64_t id;
	const char *tenant, *name, *owner, *group, *template, *provider, *message;
	enum lifecycle_status status;
	int64_t created_ms, changed_ms;
	int64_t expires_ms;                  /* 0: never */
	int64_t lease_max_ms, lease_step_ms; /* from its creation; at a time. 0: no limit */
	bool lease_discards_data;            /* at the end of the lease its data is lost; else it is stopped, and kept */
	int64_t nodes;
	double cost;           /* of an hour */
	const char *resources; /* JSON: {"cpu":8} */
	int64_t revision;      /* another one: its layout may be another */
	int64_t operation;     /* the number of the last; 0: none */
	int64_t instances, ready; /* of services, as far as anybody has looked: all, and those that are healthy */
	enum condition condition; /* as it was seen last; unknown where that is too long ago */
	int64_t observed_ms;      /* ... when that was; 0: never */
};

struct cluster_list { /* zero-initialise; release it */
	struct arena arena;
	struct cluster_record *list;
	size_t count, capacity;
};

struct cluster_filter { /* zero-initialise: all of the account's tenant that are not terminated, by name */
	const char *status;   /* names with commas between; "all": terminated ones too */
	const char *owner, *template;
	const char *search;   /* a part of the name */
	bool everywhere;      /* of all tenants: where the account is a superadmin's */
	bool by_number;       /* in the order of the ids */
	const char *after;    /* only those behind that name or id; an id is exact, also where names are not unique */
	int64_t expired_ms;   /* only those whose lease has ended at that time */
	bool unhealthy;       /* only those that are not both active and healthy */
	bool unreminded;      /* only those whose lease ends without anybody having been reminded of that */
	int64_t limit;        /* at most so many; 0: all */
};

/* Fails with EX_USAGE where the filter names a status that does not exist; the store is not needed for that. */
int cluster_filter_check(const struct cluster_filter *filter, struct error *err);

/* Adds them. EX_USAGE where there is no such status. */
int clusters_list(struct account *account, const struct cluster_filter *filter, struct cluster_list *list, struct error *err);

/* Returns how many there are, whatever the limit; -1. */
int64_t clusters_count(struct account *account, const struct cluster_filter *filter, struct error *err);

/* Counts those of all tenants that are not terminated. */
int clusters_count_living(struct store *store, int64_t *count, struct error *err);

/* Adds the cluster of that name or id (eight digits or more). The name of a terminated one is free, and found no more;
 * its id is. A superadmin finds those of other tenants by id. EX_NO: no cluster named "x", a near name included. */
int clusters_find(struct account *account, const char *name, struct cluster_list *list, struct error *err);

/* The same by number. */
int clusters_find_id(struct account *account, int64_t id, struct cluster_list *list, struct error *err);

/* "00000042"; returns text. */
char *cluster_id_text(int64_t id, char text[CLUSTER_ID_SIZE]);

/* The number that such a text says; 0 where it is none. No name of a cluster is one. */
int64_t cluster_id_of(const char *text);

struct cluster_documents { /* zero-initialise; release it */
	char *request; /* JSON; NULL: none yet */
	char *layout;  /* coopr-layout(5), what is really there; "" while nothing is */
};

int clusters_documents(struct account *account, int64_t id, struct cluster_documents *documents, struct error *err);
void cluster_documents_release(struct cluster_documents *documents);

/* Parses the request of the cluster that messages call name. Fails with EX_NO where there is none yet. */
int cluster_documents_request(const struct cluster_documents *documents, const char *name, jv *request, struct error *err);

/* Returns a number for a new cluster, which was never given before and will not be again, durably; or -1. */
int64_t clusters_allot(struct account *account, struct error *err);

/* Returns 1 if the number was allotted and no cluster ever had it, whoever may see that; else 0, or -1. */
int clusters_is_free(struct account *account, int64_t id, struct error *err);

/* Renames a cluster, at once; that is recorded as an operation without a job. Fails with EX_NO where the status or the
 * name forbids it. */
int clusters_rename(struct account *account, int64_t id, const char *name, struct error *err);

/* Sets when it expires (0: never), in the bounds of its lease; beyond: an admin may leave them; discards_data: also with the data of
 * its services. EX_NO where it is out of bounds. */
int clusters_set_lease(struct account *account, int64_t id, int64_t expires_ms, bool beyond, bool discards_data, struct error *err);

/* Records that somebody was reminded of the end of the lease. */
int clusters_set_reminded(struct account *account, int64_t id, int64_t expires_ms, struct error *err);

void cluster_list_release(struct cluster_list *list);

#endif
