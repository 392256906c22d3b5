/* SPDX-License-Identifier: Apache-2.0
 *
 * What is different between two layouts of a cluster.
 */
#ifndef STATUS_LAYOUT_DIFF_H
#define STATUS_LAYOUT_DIFF_H

#include <stddef.h>

struct buffer;
struct layout;

/* Appends a line for each difference; returns how many there are:
 *	+ node 00000042-1004 shop42-1004.local small: nginx
 *	- node 00000042-1002 shop42-1002.local small: php-fpm
 *	~ node 00000042-1000 + memcached - varnish
 *	~ node 00000042-1001 hardwaretype small -> large
 *	~ config /nginx/workers 2 -> 4
 */
size_t layout_diff_print(const struct layout *before, const struct layout *after, struct buffer *out);

#endif
