/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the archives of services are kept: an executable of the installation, which the setting "archives" names with its first
 * arguments, coopr-config(5). It is called with "put KEY" (reads what is to be kept), "get KEY" (prints it), "list" (prints the keys, one
 * a line) or "delete KEY", and sees archives only encrypted. The default is libexec/coopr/archives/folder, which keeps them in a folder.
 */
#ifndef ARCHIVE_STORAGE_H
#define ARCHIVE_STORAGE_H

#include <stdbool.h>

#include "archive/seal.h"
#include "base/process.h"

struct error;
struct store;

/* Tells whether text can be the key of an archive: a name of at most 200 characters that begins with a letter or a digit. */
bool storage_is_key(const char *text);

/* Keeps what is read from in, encrypted with the key of the store's secrets, which is made where there is none. It is kept as a whole,
 * durably, when this returns 0. Where the process that has started this one ends before in does, it fails. EX_TEMPFAIL where it may be
 * tried again, else EX_IOERR. */
int storage_put(struct store *store, const char *key, int in, struct seal *seal, struct error *err);

/* Writes what was kept to out (-1: nowhere); see seal_open for what a failure means. */
int storage_get(struct store *store, const char *key, int out, struct error *err);

/* Adds the keys of all that is kept. */
int storage_list(struct arguments *keys, struct error *err);

/* Deletes one; nothing is there is fine. */
int storage_delete(const char *key, struct error *err);

/* Returns the first word of the setting, as messages name it; the caller's to free. */
char *storage_name(void);

#endif
