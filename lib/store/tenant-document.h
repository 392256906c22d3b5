/* SPDX-License-Identifier: Apache-2.0
 *
 * The document of the tenant that a store is open for, as a superadmin wrote it, whoever asks.
 */
#ifndef STORE_TENANT_DOCUMENT_H
#define STORE_TENANT_DOCUMENT_H

#include <jv.h>

struct error;
struct store;

/* Sets *document, owned. EX_NO if the tenant was deleted meanwhile. */
int tenant_document(struct store *store, jv *document, struct error *err);

#endif
