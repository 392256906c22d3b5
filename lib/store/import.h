/* SPDX-License-Identifier: Apache-2.0
 *
 * What an import does with entities before they are stored: passwords and keys of providers become secrets, and what will
 * have no effect here is said of each entity.
 */
#ifndef STORE_IMPORT_H
#define STORE_IMPORT_H

#include <stdbool.h>

struct entity_input;
struct error;
struct store;

/* Replaces each password, token or key in the settings of a provider by a reference to the secret PROVIDER.SETTING, and stores
 * that inside the transaction; a secret that exists keeps its value, unless it is replaced. dry_run: stores none. */
int import_credentials(struct store *store, struct entity_input *input, bool replace, bool dry_run, struct error *err);

/* Notes which members of an entity mean nothing here, unless something is noted of these
 * already. */
void import_note_effects(struct entity_input *input);

#endif
