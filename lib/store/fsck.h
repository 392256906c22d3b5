/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the store is sound: the database itself, and what its tables say of one another.
 */
#ifndef STORE_FSCK_H
#define STORE_FSCK_H

struct error;
struct store;

/* Calls say with a sentence for each fault. Returns their number, or -1 where it cannot be read at all. */
int store_fsck(struct store *store, void (*say)(const char *fault, void *data), void *data, struct error *err);

#endif
