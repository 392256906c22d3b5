/* SPDX-License-Identifier: Apache-2.0
 *
 * Why an operation cannot begin on a cluster that somebody has before us: what they do, and what can be done about it.
 */
#ifndef OPERATION_REFUSAL_H
#define OPERATION_REFUSAL_H

struct error;
struct operation;
struct site;

/* EX_TEMPFAIL: that operation is under way, and of this machine's commands none sees it through. */
int refuse_busy(const struct site *site, const struct operation *operation, struct error *err);

/* EX_TEMPFAIL: somebody has the cluster's folder, as err says already. What for is added where the store knows. */
int refuse_locked(struct site *site, struct error *err);

/* EX_NO: what was to be made is there. */
int refuse_present(const struct site *site, struct error *err);

#endif
