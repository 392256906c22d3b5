/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at clusters from inside: which of them are not as they are wanted, and what their machines and services say when they
 * are asked. What changed meanwhile is left out.
 */
#ifndef PROBE_EXAMINE_H
#define PROBE_EXAMINE_H

struct account;
struct drift_list;
struct error;
struct probe_finding;
struct reach;
struct reconcile_wish;
struct drift;

/* Adds what is found of the clusters that were listed, to what was found so far: machines that vanished come first in that.
 * Those are asked, too, where they would be replaced. 0, or the code of the worst that went wrong, which was told; -1. */
int examine(struct account *account, const struct reconcile_wish *wish, const struct reach *reach, struct drift_list *drift,
    struct error *err);

/* What an answer other than yes comes to; all else of the drift is the caller's to fill in. */
void examine_judge(const struct probe_finding *finding, struct drift *drift);

#endif
