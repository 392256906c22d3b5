/* SPDX-License-Identifier: Apache-2.0
 *
 * The identity of an installation: a random id, by which providers of clouds tell its machines from those of others. A store that came
 * from a backup takes a new one, and keeps that of before as the former until a person has said whether the installation of which the
 * backup was made is gone: its machines carry the former id, and two installations with one id would delete each other's machines.
 */
#ifndef STORE_INSTALLATION_H
#define STORE_INSTALLATION_H

#include "store/sql/installation-id.h"

struct error;
struct store;

struct installation {
	char id[INSTALLATION_ID_SIZE];     /* "" where only installation_need gives it one */
	char former[INSTALLATION_ID_SIZE]; /* "" where there is none */
};

/* Reads the ids, and changes nothing. */
int installation_find(struct store *store, struct installation *installation, struct error *err);

/* Does the same after it has given a store that came from a backup a new id, which is durable then. The store is open for writing, if it
 * came from one. */
int installation_need(struct store *store, struct installation *installation, struct error *err);

/* Says that the other installation is gone: the former id is ours. Or that it lives on: the former id is its own. Fails with EX_NO where
 * there is no former id. */
int installation_confirm(struct store *store, struct error *err);
int installation_separate(struct store *store, struct error *err);

#endif
