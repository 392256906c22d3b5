/* SPDX-License-Identifier: Apache-2.0
 *
 * Trying everything: whether a small request has a layout, found out with nothing but the judge of layouts.
 */
#ifndef CHECK_LAYOUT_EXHAUST_H
#define CHECK_LAYOUT_EXHAUST_H

struct demands;

enum exhausted {
	EXHAUST_NONE,  /* every layout was tried, and breaks a demand */
	EXHAUST_FOUND, /* one keeps all of them */
	EXHAUST_MANY,  /* there are too many to try, or nodes are present */
};

/* Demands that are dropped do not count. */
enum exhausted exhaust(const struct demands *demands);

#endif
