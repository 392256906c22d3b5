/* SPDX-License-Identifier: Apache-2.0
 *
 * What a claimed machine is known by, whatever it is called: its addresses and its host keys. No two nodes have the same.
 */
#ifndef STORE_CLAIM_MARKS_H
#define STORE_CLAIM_MARKS_H

#include "json/place.h"

struct error;
struct sql;

enum claim_mark { MARK_ADDRESS, MARK_HOST_KEY };

/* Marks the values as the node's, inside a transaction. Returns 1; 0 where another node has one of them; -1. */
int claim_marks_add(struct sql *db, const char *node, enum claim_mark kind, const struct string_list *values, struct error *err);

/* Adds the addresses of claims that were made before there were marks; path is not used. For the migration. */
int claim_marks_bring(struct sql *db, const char *path, struct error *err);

#endif
