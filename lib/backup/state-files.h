/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies the state folder into a backup: whatever of it no other part of the backup has.
 */
#ifndef BACKUP_STATE_FILES_H
#define BACKUP_STATE_FILES_H

#include "backup/pack.h"
#include "backup/places.h"

/* Adds the files and folders that places_keeps names, as "state/PATH". scratch is a file for copies of one: those that others write
 * at this moment do not change while they are packed. tell hears of what was left out. */
int state_files_pack(struct pack *pack, const struct places *places, int scratch, void (*tell)(const char *text),
    struct error *err);

#endif
