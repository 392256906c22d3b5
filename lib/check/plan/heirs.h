/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes of a plan that hand their volumes over to new ones, a few at a time: pair by pair the old one leaves, and the new one is set up.
 */
#ifndef CHECK_PLAN_HEIRS_H
#define CHECK_PLAN_HEIRS_H

struct judge;

/* Finds the pairs: judge->heirs, which the judge frees, stays NULL where the plan has none, or cannot have them. */
void heirs_find(struct judge *judge);

/* Requires the order of the pairs, and of all else before and behind them. */
void heirs_check(struct judge *judge);

#endif
