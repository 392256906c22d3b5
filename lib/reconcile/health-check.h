/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at clusters from inside: which of them are not as they are wanted, and what their machines and services say when they
 * are asked. What changed meanwhile is left out.
 */
#ifndef RECONCILE_HEALTH_CHECK_H
#define RECONCILE_HEALTH_CHECK_H

struct account;
struct drift_list;
struct error;
struct reconcile_scope;
struct reconcile_options;

/* Adds what is found of the clusters that were listed, to what was found so far: machines that vanished come first in that.
 * Those are asked, too, where they would be replaced. 0, or the code of the worst that went wrong, which was told; -1. */
int health_check(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope, struct drift_list *drift,
    struct error *err);

#endif
