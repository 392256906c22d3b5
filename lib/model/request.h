/* SPDX-License-Identifier: Apache-2.0
 *
 * A request, coopr-request(5): the stdin of coopr-solve. One object: the cluster that is wanted, the
 * entities it may be made of, and the nodes that are there already.
 */
#ifndef MODEL_REQUEST_H
#define MODEL_REQUEST_H

#include "base/memory.h"
#include "model/entity.h"
#include "model/node.h"

/* Tells whether text can be a cluster's id: a name of at most 32 characters, as it is part of every host name. */
bool cluster_id_is_valid(const char *text);

struct instance_bounds { /* how many instances of a service are asked for, beside what the template says */
	const char *service;
	int64_t min, max; /* where absent 0 and INT64_MAX */
};

struct instances { /* zero-initialise */
	struct instance_bounds *list;
	size_t count;
};

struct cluster_request {
	const char *id;       /* default "00000001" */
	const char *name;
	const char *tenant;   /* default "default" */
	int64_t machines_min, machines_max; /* equal where numMachines is one number; 1 and INT64_MAX where absent */
	bool machines_given;
	bool machines_kept;   /* given only in that nodes are to be replaced: as many as there are */
	int64_t min_machines; /* the template's least number is at most that, since a person insists; INT64_MAX where absent */
	int64_t next_nodenum; /* numbers of new nodes begin here at least */
	struct instances instances; /* each is a rule behind the template's counts, too */
	struct string_list services; /* sorted, each once; empty: the template's defaults */
	size_t *service_indexes;     /* of each, in the document's own list */
	const char *hardwaretype, *imagetype; /* or NULL */
	const char *dns_suffix;               /* or NULL */
	jv config; /* borrowed; invalid where absent */
	jv source; /* owned: the "cluster" object */
};

struct names;

struct request {
	struct arena arena;
	struct cluster_request cluster;
	struct cluster_template template;
	struct provider provider;
	struct hardwaretype *hardwaretypes;
	size_t hardwaretype_count;
	struct imagetype *imagetypes;
	size_t imagetype_count;
	struct service *services;
	size_t service_count;
	struct node *nodes; /* the present layout, empty on create; sorted by nodenum */
	size_t node_count;
	jv source; /* owned: the whole document */
};

extern const struct document request_table;

/* Fills request; all that is malformed goes to problems. The request is to be released in any case. */
void request_parse(jv document, struct request *request, struct problems *problems);
void request_release(struct request *request);

/* Fills instances from {"apache": 3, "mysql": {"min": 1, "max": 2}}, or nothing, at place; what is malformed goes to
 * place->problems. */
void request_parse_instances(const struct place *place, struct arena *arena, struct instances *instances);

/* Returns the number of the first new node: none that a node of the cluster ever had is given again. */
int64_t request_next_nodenum(const struct request *request);

/* Gives a new node the id and the host name that follow from its number. */
void request_name_node(const struct request *request, struct node *node, struct arena *arena);

/* Returns the index of a service in the document's list: that of the cluster, or of the template's defaults if that is empty.
 * SIZE_MAX if the list does not hold it. */
size_t request_service_index(const struct request *request, const char *service);

/* Returns the bounds that the cluster, not its template, makes a rule on counts, by its index; NULL for one of the template. */
const struct instance_bounds *request_instances_rule(const struct request *request, size_t rule);

/* Adds the services of which there have to be more or fewer instances than are present, since the cluster asks for so many; also
 * those that must coexist with them. What stands on a node to be replaced is present, but not too much: it goes anyway. */
void request_find_scaled(const struct request *request, struct names *more, struct names *fewer);

#endif
