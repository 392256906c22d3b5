/* SPDX-License-Identifier: Apache-2.0
 *
 * The nodes and services that a plan is about: those the user names, and the services drawn in by them. Stopping a
 * service stops those that need it, starting one starts those it needs: neither would work without.
 */
#ifndef PLAN_SELECTION_H
#define PLAN_SELECTION_H

#include <stdbool.h>

#include "json/place.h"

struct dependencies;
struct error;
struct layout;

struct plan_parameters { /* what the user asks for */
	const char *action;          /* "restart"; NULL: whatever makes of what was what shall be */
	struct string_list nodes;    /* ids or hostnames; empty: all */
	struct string_list services; /* empty: all */
	bool graceful;               /* stop and remove the services of a node before it is deleted */
	const char *max_unavailable; /* roll: a service is down on so many nodes at a time, see model/unavailable.h, or "auto"; or NULL */
	struct string_list dead;     /* nodes whose machines do not answer: nothing can be done on them */
	struct string_list archives; /* "NODE/SERVICE=ID": what a restore of that instance puts back; node ids */
};

enum part {
	PART_NONE,
	PART_CHOSEN,   /* by name, or because none is named */
	PART_DRAWN_IN, /* stopped or started along with it */
	PART_ASSURED,  /* started, which changes nothing where it runs, for a service that is started again */
};

struct selection {
	bool *nodes;         /* of each node: it is chosen */
	enum part *services; /* of each definition */
};

/* Chooses the nodes and services that the parameters name. If they name no service, it chooses those that among (by
 * definition) says, or all if that is NULL. Returns 0, or -1 (EX_NO) for a name that the cluster does not have. */
int selection_init(struct selection *selection, const struct layout *layout, const struct dependencies *dependencies,
    const struct plan_parameters *parameters, const bool *among, struct error *err);

/* Draws in all services that have to be stopped, or started, or both along with those that are chosen. */
void selection_draw_in(struct selection *selection, const struct layout *layout, const struct dependencies *dependencies,
    bool stops, bool starts);

/* Sets found[node] for each node that is wanted by id or hostname. Returns 0, or -1 (EX_NO) for one that is not there. */
int selection_find_nodes(bool *found, const struct layout *layout, struct string_list wanted, struct error *err);

void selection_release(struct selection *selection);

#endif
