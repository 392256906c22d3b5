/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a request out of a catalogue and what a person asks for.
 */
#ifndef CATALOGUE_COMPOSE_H
#define CATALOGUE_COMPOSE_H

#include <stdint.h>

#include "json/place.h"
#include "model/request.h"

struct catalogue;
struct error;

struct order { /* what is asked for; NULL and empty: as the template says */
	const char *template;
	const char *name, *tenant;
	const char *id;     /* NULL: drawn from tenant and name */
	const char *owner, *provider, *hardwaretype, *imagetype, *dns_suffix;
	int64_t machines_min, machines_max; /* 0: as many as the template's constraints and objective want */
	bool insists;       /* on that number, also where it is less than the template's least */
	struct string_list services;
	struct instances instances; /* of services */
	jv config;          /* borrowed, an object; invalid: the template's */
	struct string_list changes; /* of the config: see config_set */
	jv nodes;           /* borrowed: records of the nodes that are there; invalid: none */
	int64_t next_nodenum; /* numbers of new nodes begin here at least; 0: anywhere */
	struct string_list replace; /* ids of nodes that are there */
	const char *catalogue; /* absolute path, passed along */
};

/* The request, owned: the template with all its parts merged, the provider, the services chosen (and those on the
 * nodes), the hardware and image types that can be used. Invalid with the reason in err: EX_NO where a name is unknown,
 * EX_DATAERR where the template contradicts itself, EX_USAGE where a change cannot be made. */
jv compose_request(const struct catalogue *catalogue, const struct order *order, struct error *err);

#endif
