/* SPDX-License-Identifier: Apache-2.0
 *
 * The data of clusters that no machine may decide to lose: where it is, and the drift that is therefore not repaired by replacing
 * or deleting a machine.
 */
#ifndef RECONCILE_KEPT_DATA_H
#define RECONCILE_KEPT_DATA_H

#include <jv.h>

#include "model/layout.h"

struct account;
struct buffer;
struct drift_list;
struct error;
struct reconcile_options;
struct reconcile_scope;

struct kept_data { /* release it, also where it could not be read */
	struct layout layout;
	jv today; /* see cluster_is_stateful */
};

int kept_data_read(struct kept_data *kept, struct account *account, int64_t cluster, struct error *err);
void kept_data_release(struct kept_data *kept);

/* Appends the services with data on a node, or on any (NULL): "mariadb, redis". Returns whether there is one. */
bool kept_data_on(const struct kept_data *kept, const char *node, struct buffer *text);

/* Notes in the drift which data forbids its repair, and what a person can do; adds the clusters in scope whose lease has ended and
 * which are kept. Returns 0, or the code of the worst failure, which got a notice. */
int kept_data_mark(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift);

#endif
