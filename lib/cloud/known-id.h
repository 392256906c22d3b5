/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of things of a cloud, as documents call them, and what they stand for: each is looked up once, however many threads want it, and kept until
 * the process ends.
 */
#ifndef CLOUD_KNOWN_ID_H
#define CLOUD_KNOWN_ID_H

struct arena;
struct cloud;
struct error;
struct known_id; /* a list of them begins as NULL; it is under the lock of cloud/stop.h, which known_id takes */
struct stop;

/* Looks up a name of that kind ("image"). Returns what it stands for, in the arena; NULL with an error. */
typedef const char *known_id_search(const struct cloud *cloud, const char *kind, const char *name, const struct stop *stop, struct arena *arena,
    struct error *err);

/* Returns what the name stands for, in the arena: one thread searches, and those that want the same name meanwhile take its answer, also where that
 * is an error. Where only the one who searched had to end, another searches anew. NULL with an error. */
const char *known_id(struct known_id **list, known_id_search *search, const struct cloud *cloud, const char *kind, const char *name,
    const struct stop *stop, struct arena *arena, struct error *err);

#endif
