/* SPDX-License-Identifier: Apache-2.0
 *
 * Which services of a cluster have data, where their definitions in it say nothing of that, since they are of an earlier time: as
 * the catalogue says today.
 */
#ifndef CLUSTER_STATEFUL_H
#define CLUSTER_STATEFUL_H

#include "json/json.h"

struct cluster;
struct error;
struct store;

/* Sets names to a list of the services whose definition in the cluster says nothing, and which have data as the catalogue says
 * today: the store, or the folder in which the cluster's request (NULL: none) found its entities. An entity that is not there
 * any more, or cannot be read, says nothing. The caller frees names. */
int stateful_today(struct store *store, const struct cluster *cluster, const char *request, jv *names, struct error *err);

#endif
