/* SPDX-License-Identifier: Apache-2.0
 *
 * What an entry of somebody's archive may be: a file or a folder, under a name that stays inside. Whoever unpacks one asks here.
 */
#ifndef CONTENT_ENTRY_H
#define CONTENT_ENTRY_H

#include <stdbool.h>

struct archive_entry;

enum { ENTRY_PATH_MAX = 1024 };

/* Returns whether each part of a path is a name: not empty, "." or "..". The last may be empty: then it is a folder. */
bool entry_is_inside(const char *path);

/* Returns whether an entry is a file or a folder: no link, no device, nothing else. */
bool entry_is_plain(struct archive_entry *entry);

#endif
