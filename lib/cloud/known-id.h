/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of things of a cloud that were looked up, as documents call them, and what they stand for: kept until the process ends.
 */
#ifndef CLOUD_KNOWN_ID_H
#define CLOUD_KNOWN_ID_H

struct arena;
struct known_id; /* a list of them begins as NULL; it is under the lock of cloud/stop.h, which these functions take */

/* Returns what is kept of the name of that kind ("image"), in the arena; NULL where it was not looked up. */
const char *known_id_find(struct known_id *const *list, const char *kind, const char *name, struct arena *arena);

/* Keeps what the name stands for. */
void known_id_keep(struct known_id **list, const char *kind, const char *name, const char *id);

#endif
