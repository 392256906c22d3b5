/* SPDX-License-Identifier: Apache-2.0
 *
 * The differences between the machines and the store, as coopr reconcile reports them.
 */
#ifndef PROBE_DRIFT_H
#define PROBE_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct output;
struct probe_finding;

enum drift_what { /* in the order of the report */
	DRIFT_FAILED,      /* the cluster's last operation has failed */
	DRIFT_EXPIRED,     /* its lease has ended, and it is kept because of its data */
	DRIFT_VANISHED,    /* the store has the machine, its provider does not */
	DRIFT_UNREACHABLE, /* the machine is there, and does not answer */
	DRIFT_STOPPED,     /* a service says that it does not run */
	DRIFT_UNKNOWN,     /* a machine or a service could not be asked */
	DRIFT_UNSAVED,     /* a service whose backup is due, and has failed */
	DRIFT_UNRESTORED,  /* a service on a machine that has replaced a lost one, whose data is not restored */
	DRIFT_ORPHANED,     /* the provider has a machine of no cluster in the store */
	DRIFT_ORPHANED_VOLUME, /* the provider has a volume that the store does not know; node is its id */
};

enum drift_stage { /* how far its repair is */
	DRIFT_LEFT,          /* nothing repairs it */
	DRIFT_IN_PROGRESS,   /* a job does, */
	DRIFT_REPAIRED,      /* ... did, */
	DRIFT_REPAIR_FAILED, /* ... or could not */
};

struct drift { /* strings live in the list's arena; NULL where there is nothing to say */
	enum drift_what what;
	int64_t cluster;     /* its number; 0: none of the store */
	int64_t operation;   /* the number of its last, when this was found */
	const char *tenant, *name; /* of the cluster */
	const char *node, *service;
	const char *message; /* the reason, or a detail */
	const char *waits_for; /* of a service that has stopped: one that it needs, which is not healthy */
	bool starts_not;     /* of a service that has stopped: it has no action start, so that no operation repairs it */
	int64_t since_ms;    /* of one that does not answer; 0: not known */
	bool answers;        /* of one that vanished: it answers all the same */
	const char *record;  /* of an orphaned machine: as its provider lists it */
	const char *provider; /* the same: its provider's entity, JSON, */
	const char *provider_name; /* ... and its name */
	bool revives;        /* its provider says that the machine will never run again, and all data is on volumes, which the new one gets */
	bool restores;       /* its data is restored once its machine is replaced */
	const char *keeps;   /* the services with data that would be lost by a repair; NULL: none */
	const char *repair;  /* the job that repairs it, or "deleted" */
	enum drift_stage stage;
	const char *note;    /* why it was left, where it was to be repaired; or NULL */
};

struct drift_list { /* zero-initialise; release it */
	struct arena arena;
	struct drift *list;
	size_t count, capacity;
};

/* Return "stopped", and "running". */
const char *drift_name(enum drift_what what);
const char *drift_stage_name(enum drift_stage stage);

/* Returns whether only a probe finds drift of that name. */
bool drift_is_probed(const char *name);

/* Sets what, node, service and message from an answer other than PROBE_YES. */
void drift_of_finding(const struct probe_finding *finding, struct drift *drift);

/* Adds one; its strings are copied. */
void drift_add(struct drift_list *list, const struct drift *drift);

/* Replaces what was found in the cluster, and left, by what another look has found there. What only a run over all finds stays. */
void drift_look_again(struct drift_list *list, int64_t cluster, const struct drift_list *found);

/* Sorts by clusters; drift of no cluster comes last. */
void drift_sort(struct drift_list *list);

/* Prints it as a table, or as records of the kind "drift"; nothing where nothing differs. */
void drift_print(const struct drift_list *list, struct output *output);

void drift_release(struct drift_list *list);

#endif
