/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the judge share: the layout, the request, and how to look things up in them.
 */
#ifndef SOLVE_CHECK_CONTEXT_H
#define SOLVE_CHECK_CONTEXT_H

#include <stdbool.h>

#include "base/names.h"
#include "model/layout.h"
#include "model/request.h"
#include "solve/check.h"

struct check {
	const struct request *request;
	const struct layout *layout;
	struct arena *arena;
	struct fault **last;
	struct names constrained;      /* services with constraints, numbered as these are */
	struct string_list everywhere; /* services of the cluster that no rule names: they stand on every new node */
};

/* Adds a fault. */
void check_fault(struct check *c, const char *where, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Judges one node by itself. */
void check_node(struct check *c, const struct node *node);

bool check_listed(const struct string_list *list, const char *name);
bool check_on_cluster(const struct check *c, const char *service);
bool check_in_sets(const struct service_sets *sets, const char *service);

/* How many of a set are on the cluster. */
size_t check_chosen(const struct check *c, const struct string_list *set);

/* NULL where there is none. */
const struct service *check_service_of(const struct check *c, const char *name);
const struct hardware_offer *check_hardware_of(const struct check *c, const char *name);
const struct image_offer *check_image_of(const struct check *c, const char *name);
const struct service_constraint *check_constraint_of(const struct check *c, const char *service);

#endif
