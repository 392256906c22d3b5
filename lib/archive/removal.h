/* SPDX-License-Identifier: Apache-2.0
 *
 * Deletes archives of services: first their record counts no more, then what was kept goes, then the record. What was killed in the
 * middle is done again by whoever comes next.
 */
#ifndef ARCHIVE_REMOVAL_H
#define ARCHIVE_REMOVAL_H

#include <stdbool.h>

struct account;
struct archive;
struct error;
struct store;

/* Deletes the archive of that id. The last one of a service of a living cluster goes only with discard_data: EX_USAGE. EX_NO where there
 * is none that the account may see. */
int removal_ask(struct account *account, const char *id, bool discard_data, struct error *err);

/* Deletes one. Where that fails after it has begun, removal_finish ends it. */
int removal_do(struct store *store, const struct archive *archive, struct error *err);

/* Ends all deletions that have begun; fails with the reason of the last that could not be ended. */
int removal_finish(struct store *store, struct error *err);

#endif
