/* SPDX-License-Identifier: Apache-2.0
 *
 * The receipt of a task that moves an archive: libexec/coopr/archive notes in it what it has kept, or given back to its end. So a task whose
 * plugin ends well without having done so is found out. The environment variable RECEIPT_VARIABLE names the file, which is in memory.
 */
#ifndef ARCHIVE_RECEIPT_H
#define ARCHIVE_RECEIPT_H

#include <stdbool.h>

struct error;

#define RECEIPT_VARIABLE "COOPR_ARCHIVE_RECEIPT"

/* Begins a receipt for the processes that are started from now on. Returns its descriptor, or -1. */
int receipt_begin(struct error *err);

/* Notes that the verb was done with the archive; nothing where nobody wants a receipt. */
int receipt_note(const char *verb, const char *key, struct error *err);

/* Tells whether that was noted. */
bool receipt_has(int receipt, const char *verb, const char *key);

#endif
