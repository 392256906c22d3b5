/* SPDX-License-Identifier: Apache-2.0
 *
 * The audit log: who has changed what, and from where, a record for each change, in the transaction that makes it. Every record
 * has the hash of itself and of the one before, so that one which was altered, removed or put between is found; the database
 * refuses to alter and to remove them. Who can write the database can make the whole chain anew: the hash of the last record,
 * kept elsewhere, shows that.
 *
 * A record also has the request of a server that asked for the change (store/client.h), and within a day no other run of a request
 * with that key, by the same user, changes anything: so what is sent again is done once. Nor does a request with a condition, where
 * another has changed something of the same kind, a cluster or whatever is none, since that was looked at.
 */
#ifndef STORE_AUDIT_H
#define STORE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct error;
struct store;

enum { AUDIT_HASH_SIZE = 65 }; /* SHA-256 in hexadecimal, with its NUL */

struct audit_event {
	int64_t tenant;     /* 0: that of the store */
	const char *action; /* "put", "delete", "create" */
	const char *kind;   /* of the object: "service", "secret", "cluster", "member" */
	const char *name;
	int64_t cluster, version; /* 0: none */
};

struct audit_record { /* strings live in the list's arena */
	int64_t id, at_ms;
	const char *tenant, *user;                      /* as whom it was done */
	const char *login, *host, *address, *program;   /* who had logged in, where; the address is NULL if it is not known */
	const char *via;                                /* the processes that have started it; NULL: an earlier version has not asked */
	const char *action, *object, *cluster, *reason; /* the last two may be NULL */
	const char *request; /* as CLIENT_ASKER_REQUEST has it; or NULL */
	const char *hash;
};

struct audit_filter { /* NULL and 0: all */
	int64_t tenant, start_ms, end_ms;
	const char *cluster; /* its id, or the name that it had */
	const char *user;
	int64_t limit; /* the newest so many */
};

struct audit_list { /* zero-initialise; release it */
	struct arena arena;
	struct audit_record *list; /* the oldest first */
	size_t count, capacity;
};

/* What is said of a change that is refused since another was made after its condition was looked at, with EX_TEMPFAIL. */
#define AUDIT_LATE "something else was changed meanwhile"

/* Sets *id to the number of the newest record, 0 where there is none. */
int audit_newest(struct store *store, int64_t *id, struct error *err);

/* Adds a record of what is done inside the transaction, by store_by and for the reason store_why. Fails with EX_CANTCREAT where it was
 * asked for by a request whose key another run has changed something with. */
int audit_add(struct store *store, const struct audit_event *event, struct error *err);

/* Does the same in a transaction of its own, before it is done: of a request this says nothing. */
int audit_add_alone(struct store *store, const struct audit_event *event, struct error *err);

/* Adds the records that the filter lets through. */
int audit_list(struct store *store, const struct audit_filter *filter, struct audit_list *list, struct error *err);

/* Adds the records of what the requests of a user with that key have changed within the last day. */
int audit_find_request(struct store *store, const char *user, const char *key, struct audit_list *list, struct error *err);

void audit_list_release(struct audit_list *list);

/* Computes the chain anew, and tells each fault as a sentence. head is a hash that a record must have, or NULL. Returns the number
 * of faults, or -1; last is the hash of the last record, "" if there is none. */
int audit_verify(struct store *store, const char *head, void (*say)(const char *fault, void *data), void *data,
    char last[AUDIT_HASH_SIZE], struct error *err);

#endif
