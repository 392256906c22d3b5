/* SPDX-License-Identifier: Apache-2.0
 *
 * How long archives of services are kept. While a cluster lives, the newest archive of each of its instances is never deleted, however
 * old it is, nor is the newest one of a service.
 */
#ifndef RECONCILE_RETENTION_H
#define RECONCILE_RETENTION_H

struct account;
struct error;
struct reconcile_options;
struct reconcile_scope;

/* Deletes the archives in scope that are to be kept no longer, and ends deletions that have begun. Returns 0, or the code of the worst
 * failure, which got a notice; -1 where nothing could be done. */
int retention_apply(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct error *err);

#endif
