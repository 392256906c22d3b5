/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a layout in which what one demand is about has changed places with what another is about: where they are alike, it shows of the one
 * what was shown of the other.
 */
#ifndef CHECK_LAYOUT_CHECK_EXCHANGE_H
#define CHECK_LAYOUT_CHECK_EXCHANGE_H

#include <stdbool.h>

struct arena;
struct demand;
struct demands;
struct exchange;
struct layout;

/* Reads what tells services apart. The demands are borrowed; some of them may be dropped later. */
struct exchange *check_exchange_new(const struct demands *demands);
void check_exchange_free(struct exchange *exchange);

/* Returns whether a layout that keeps all demands that hold but a shows of itself that another one keeps all but b, if none keeps all of them:
 * each is about one service, that of b takes as much or more of each resource, and nothing else tells the two apart. */
bool check_exchange_is_safe(const struct exchange *exchange, const struct demand *a, const struct demand *b);

/* Sets to, which borrows the rest of from, if the two demands are of one kind, and each about a service or about a hardware type. Returns
 * whether they are. */
bool check_exchange(const struct exchange *exchange, const struct layout *from, const struct demand *a, const struct demand *b,
    struct arena *arena, struct layout *to);

#endif
