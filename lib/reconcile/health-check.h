/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks clusters from inside: which of them failed, and what their machines and services answer. A cluster that changes
 * meanwhile is left out.
 */
#ifndef RECONCILE_HEALTH_CHECK_H
#define RECONCILE_HEALTH_CHECK_H

struct account;
struct drift_list;
struct error;
struct reconcile_scope;
struct reconcile_options;

/* Adds the drift of the listed clusters to that found so far, in which machines that vanished come first; those are asked,
 * too, if they are to be replaced. Returns 0, or the code of the worst failure, which got a notice; or -1. */
int health_check(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err);

#endif
