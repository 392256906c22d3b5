/* SPDX-License-Identifier: Apache-2.0
 *
 * Changing what a cluster was asked to be. The request that a cluster was made from holds all that it is made of: the
 * template, the provider, the types, the services, as they were then. An operation amends that request, so that what
 * became of the entities since does not reach the cluster; coopr-upgrade makes a new one.
 */
#ifndef OPERATION_AMEND_H
#define OPERATION_AMEND_H

#include "base/memory.h"
#include "json/place.h"

struct error;

struct amendment { /* zero-initialise but for config (jv_invalid()): nothing changes */
	const char *machines;          /* "6", "+2", "-1"; NULL: as many as there are */
	int direction;                 /* 1: that has to be more than there are, -1: fewer; 0: any number */
	struct string_list add, remove; /* services */
	struct string_list replace;    /* ids or host names of nodes that leave; others come in their place */
	struct string_list settings;   /* PATH=VALUE, see config_set */
	jv config;                     /* borrowed: in place of the config before; invalid: that one */
	jv members;                    /* borrowed, an object: other members of the request's cluster; null takes one away */
};

/* Lets the request speak of the nodes that are there, as the layout in a file says. */
int amend_nodes(jv *request, const char *layout, struct error *err);

/* Lets the request ask for a new cluster. */
void amend_identity(jv *request, const char *id, const char *name, const char *owner);

/* Makes the changes, after amend_nodes. EX_NO where one is so already, or speaks of what is not there; EX_USAGE where it makes
 * no sense. */
int amend_request(jv *request, const struct amendment *amendment, struct error *err);

/* Takes the definitions that only the other request has, in the list of that name ("services"): of the entity so called, or of all
 * (NULL). */
void amend_definitions(jv *request, jv other, const char *list, const char *name);

#endif
