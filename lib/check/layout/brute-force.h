/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out whether a small request has a layout by trying all there can be, with nothing but the judge of layouts.
 */
#ifndef CHECK_LAYOUT_BRUTE_FORCE_H
#define CHECK_LAYOUT_BRUTE_FORCE_H

struct demands;

enum brute_force_result {
	BRUTE_FORCE_NONE,  /* every layout was tried, and breaks a demand */
	BRUTE_FORCE_FOUND, /* one keeps all of them */
	BRUTE_FORCE_MANY,  /* there are too many to try, or nodes are present */
};

/* Demands that are dropped do not count. */
enum brute_force_result brute_force(const struct demands *demands);

#endif
