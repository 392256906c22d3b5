/* SPDX-License-Identifier: Apache-2.0
 *
 * The demands of a request: every member of it that can make it unsatisfiable, with its JSON Pointer and its words.
 * Each can be dropped, which is how a minimal conflict is found.
 */
#ifndef MODEL_ANSWER_DEMAND_H
#define MODEL_ANSWER_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct cluster_template;
struct request;

enum demand_kind {
	DEMAND_MACHINES_MIN, /* of the request; both for one number */
	DEMAND_MACHINES_MAX,
	DEMAND_SIZE_MIN,     /* of the template */
	DEMAND_SIZE_MAX,
	DEMAND_PLACED,       /* index of cluster.services (or of the template's defaults): at least one instance */
	DEMAND_MIN,          /* index of template.constraints: */
	DEMAND_MAX,
	DEMAND_HARDWARETYPES,
	DEMAND_IMAGETYPES,
	DEMAND_MUSTCOEXIST,  /* index of the sets */
	DEMAND_CANTCOEXIST,
	DEMAND_MUTUALLYEXCLUSIVE,
	DEMAND_COUNT_RULE,
	DEMAND_ONEOF,
	DEMAND_SPREAD,
	DEMAND_ZONES,        /* the zones that the provider has */
	DEMAND_AVAILABLE,    /* index of hardwaretypes: */
	DEMAND_CAPACITY,
	DEMAND_CONSUMES,     /* index of services */
	DEMAND_HARDWARETYPE, /* the one type asked for, by the request or the template's defaults */
	DEMAND_IMAGETYPE,
	DEMAND_COMPATIBLE_HARDWARETYPES,
	DEMAND_COMPATIBLE_IMAGETYPES,
	DEMAND_NODES,        /* the present machines stay as they are */
	DEMAND_KINDS,
};

struct demand {
	enum demand_kind kind;
	size_t index;
	bool needed; /* the rest is known not to contradict itself without it */
};

struct demands {
	const struct request *request;
	struct demand *list;
	size_t count, capacity;
	const char *hardware_kept;   /* a type that is not left out though another one is always as good; or NULL */
	bool *dropped[DEMAND_KINDS]; /* of each kind, by index */
	int64_t moves_max;           /* on present machines; 0 */
	bool brief;                  /* words name the first two of a large set, and how many others */
};

/* Collects all demands of a request, none of them dropped, in the order in which conflicts try to do without them. */
void demands_collect(const struct request *request, struct demands *demands);
void demands_release(struct demands *demands);

/* Sorts the demands of each kind by their words, so that the conflict found does not depend on the order of the request's
 * lists. */
void demands_sort(struct demands *demands);

/* Takes a demand out of consideration, or back into it. demand_holds returns whether it is in it. */
void demand_drop(struct demands *demands, const struct demand *demand, bool drop);
bool demand_holds(const struct demands *demands, enum demand_kind kind, size_t index);

/* Takes the demands from to to - 1 of the list out of consideration, or back into it. */
void demands_drop(struct demands *demands, size_t from, size_t to, bool drop);

/* Takes those that are dropped out of the list: they stay dropped. */
void demands_forget_dropped(struct demands *demands);

/* Drops of the demands from to to - 1, none of which is dropped, what is not needed for the rest to contradict itself: one pass makes the rest
 * minimal. contradict returns 1 if those that hold contradict each other, 0 if they do not or that is not known, -1 to end
 * with that; with single, its answer decides about a single demand. Returns 0 or -1. */
int demands_reduce(struct demands *demands, size_t from, size_t to, int (*contradict)(void *context, bool single),
    void *context);

/* Append its JSON Pointer; its words ("zk needs at least 3 instances"). */
void demand_pointer(const struct demands *demands, const struct demand *demand, struct buffer *out);
void demand_words(const struct demands *demands, const struct demand *demand, struct buffer *out);

/* Returns the services that the request asks for: its own list, or else the template's defaults. */
size_t demand_service_count(const struct request *request);
const char *demand_service(const struct request *request, size_t index);
bool demand_on_cluster(const struct request *request, const char *service);

/* Returns the service of which a demand says how many instances there are at least, and sets least to that; NULL if it says so of none. */
const char *demand_least(const struct request *request, const struct demand *demand, int64_t *least);

/* Returns whether a service may have no instance: its own min is 0, or it has none and is one of a choice. */
bool demand_may_be_absent(const struct cluster_template *template, const char *service);

/* Returns which demand it is that the service of a constraint has instances at all (DEMAND_PLACED, or of one of a choice DEMAND_MIN: without
 * its min it could be the one that has none). */
enum demand_kind demand_of_presence(const struct cluster_template *template, const char *service);

/* Returns whether a fixed number of machines is asked for. Then the template's least size is not a demand: as in Coopr,
 * whose answers we keep, it bounds only what is left open. */
bool demand_exact_machines(const struct request *request);

/* Appends the pointer to where the request asks for a service. */
void demand_service_pointer(const struct request *request, const char *service, struct buffer *out);

#endif
