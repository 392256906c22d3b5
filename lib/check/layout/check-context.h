/* SPDX-License-Identifier: Apache-2.0
 *
 * The state that the parts of the judge share, and look-ups in it.
 */
#ifndef CHECK_LAYOUT_CHECK_CONTEXT_H
#define CHECK_LAYOUT_CHECK_CONTEXT_H

#include <stdbool.h>

#include "base/names.h"
#include "check/layout/check.h"
#include "model/answer/demand.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/request.h"

struct check {
	const struct request *request;
	const struct layout *layout;
	const struct demands *demands;
	const struct solution *claims;
	int64_t moves_max;
	struct arena *arena;
	struct fault **last;
	struct names constrained;      /* numbered as the template's constraints are */
	struct names defined, hardware, images; /* as the request's lists */
	struct names before, after;    /* ids of nodes, as those of the request and the layout */
	struct names stood, standing;  /* services that had instances, that have some */
	struct names more, fewer;      /* services of which the cluster asks for more or fewer instances than there were */
	int64_t *instances;            /* of those that have */
	int64_t node_count;            /* nodes that do not leave */
	struct string_list everywhere; /* services of the cluster that no rule names: they stand on every new node */
};

/* Adds a fault; the second one that a demand is broken, unless that is dropped. */
void check_fault(struct check *c, const char *where, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void check_broken(struct check *c, const char *where, enum demand_kind kind, size_t index, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Judges which services there are; one node by itself; what has changed since before; what the layout says of its
 * own worth. */
void check_services(struct check *c);
void check_node(struct check *c, const struct node *node);
void check_change(struct check *c);
void check_claims(struct check *c);

bool check_on_cluster(const struct check *c, const char *service);

/* Set named[N] for each service, by its number, that a rule of the template names: one that may be of several services; any. */
void check_mark_ruled(const struct cluster_template *template, const struct names *services, bool *named);
void check_mark_named(const struct cluster_template *template, const struct names *services, bool *named);

/* Return how many of a set are on the cluster; how many instances a service has; how many placements of unaffected
 * services have changed, nodes replaced included. */
size_t check_chosen(const struct check *c, const struct string_list *set);
int64_t check_instances(const struct check *c, const char *service);
int64_t check_moves(const struct check *c);

/* Returns what the layout is worth: its value by each objective that has one, by name. */
struct amounts check_values(const struct check *c);

/* Returns whether a sum of decimals is more than another number; size: the sum of their magnitudes, of which doubles keep only so many
 * digits. */
bool check_exceeds(long double sum, long double bound, long double size);

/* Return what the request has of that name, or NULL. */
const struct service *check_service_of(const struct check *c, const char *name);
const struct hardware_offer *check_hardware_of(const struct check *c, const char *name);
const struct image_offer *check_image_of(const struct check *c, const char *name);
const struct service_constraint *check_constraint_of(const struct check *c, const char *service);

#endif
