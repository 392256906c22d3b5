/* SPDX-License-Identifier: Apache-2.0
 *
 * The document of the tenant that a store is open for, as a superadmin wrote it, whoever asks, and what it says.
 */
#ifndef STORE_TENANT_DOCUMENT_H
#define STORE_TENANT_DOCUMENT_H

#include <jv.h>

#include "json/place.h"

struct arena;
struct error;
struct store;

/* Sets *document, owned. EX_NO if the tenant was deleted meanwhile. */
int tenant_document(struct store *store, jv *document, struct error *err);

/* Sets *ranges, in the arena, to the addresses that machines of the tenant's own may have; there may be none. */
int tenant_addresses(struct store *store, struct arena *arena, struct string_list *ranges, struct error *err);

#endif
