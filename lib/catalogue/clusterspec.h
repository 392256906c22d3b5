/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cluster shall be, as a file says it: coopr-clusterspec(5).
 */
#ifndef CATALOGUE_CLUSTERSPEC_H
#define CATALOGUE_CLUSTERSPEC_H

#include <stdint.h>

#include "base/memory.h"
#include "json/place.h"
#include "model/request.h"

struct document;

struct clusterspec { /* strings live in the arena; NULL, or empty: nothing is said of it */
	struct arena arena;
	const char *name, *template, *provider, *hardwaretype, *imagetype, *dns_suffix, *owner, *group, *description;
	int64_t machines_min, machines_max; /* 0: nothing is said */
	int64_t lease_ms;                   /* 0: for ever; negative: nothing is said */
	struct string_list services;        /* sorted */
	struct instances instances;         /* of services */
	struct string_list settings;        /* "PATH=VALUE", for config_set */
	jv config; /* in place of another; borrowed from source; invalid: nothing is said */
	jv source; /* owned: what it says and nothing else, so that two which say the same are the same */
};

extern const struct document clusterspec_table;

/* Adds to place->problems all that is wrong with it; release it in any case. */
void clusterspec_parse(const struct place *place, struct clusterspec *spec);

/* Returns its text; the caller frees it. */
char *clusterspec_text(const struct clusterspec *spec);

void clusterspec_release(struct clusterspec *spec);

#endif
