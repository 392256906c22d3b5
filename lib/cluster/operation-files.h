/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of operations: what each stage gave (the command, the plan, the events once it is over), as text under a name.
 * operation_begin and operation_end keep those that they are given in their own transaction.
 */
#ifndef CLUSTER_OPERATION_FILES_H
#define CLUSTER_OPERATION_FILES_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct operation_file;
struct store;

/* Keeps files of an operation, in place of those of the same names, inside the caller's transaction. */
int operation_files_add(struct store *store, int64_t cluster, int64_t number, const struct operation_file *files, size_t count,
    struct error *err);

/* Appends the content of a file to out (NULL: only finds it): 1, 0 where there is none of that name, -1. */
int operation_file_get(struct store *store, int64_t cluster, int64_t number, const char *name, struct buffer *out,
    struct error *err);

#endif
