/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes the request of a cluster. It holds all that the cluster was created from: the template, the provider, the types, the
 * services, as they were then. An operation amends that request, so that changes of the entities since do not reach the
 * cluster; coopr-upgrade makes a new one.
 */
#ifndef CATALOGUE_AMEND_H
#define CATALOGUE_AMEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "json/place.h"

struct error;

struct amendment { /* zero-initialise but for config (jv_invalid()): nothing changes */
	const char *machines;          /* "6", "+2", "-1"; NULL: the present number */
	int direction;                 /* 1: there have to be more of them, -1: fewer; 0: any number */
	struct string_list add, remove; /* services */
	struct string_list instances;  /* SERVICE=N|+N|-N|MIN:MAX|auto */
	bool open;                     /* the number of machines, within range; they follow from what is asked for */
	int64_t machines_min, machines_max; /* the range; 0: no bound */
	bool insists;                  /* on fewer machines than the template's least */
	struct string_list replace;    /* ids or host names of nodes that leave; others come in their place */
	struct string_list settings;   /* PATH=VALUE, see config_set */
	jv config;                     /* borrowed: in place of the config before; invalid: that one */
	jv members;                    /* borrowed, an object: other members of the request's cluster; null takes one away */
};

/* Sets the present nodes of the request from the layout in a file. */
int amend_nodes(jv *request, const char *layout, struct error *err);

/* Leaves out the present nodes on which nothing stands: what a change that failed has left of them is not of the cluster. */
void amend_leave_empty(jv *request);

/* Sets the number of machines of the request to that of the layout in a text. */
int amend_settle_machines(jv *request, const char *layout, struct error *err);

/* Lowers the template's least number of machines to that of the request: a cluster that is smaller already is accepted as it is. */
void amend_accept_size(jv *request);

/* Makes the request one for a new cluster. */
void amend_identity(jv *request, const char *id, const char *name, const char *owner);

/* Makes the changes, after amend_nodes. Fails with EX_NO where nothing changes, or a name is unknown; with EX_USAGE where a
 * change makes no sense. */
int amend_request(jv *request, const struct amendment *amendment, struct error *err);

/* Takes the definitions that only the other request has, in the list of that name ("services"): of the named entity, or of all
 * (NULL). */
void amend_definitions(jv *request, jv other, const char *list, const char *name);

#endif
