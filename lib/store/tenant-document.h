/* SPDX-License-Identifier: Apache-2.0
 *
 * The document of the tenant that a store is open for, as a superadmin wrote it: for those who work for it, whoever asks.
 */
#ifndef STORE_TENANT_DOCUMENT_H
#define STORE_TENANT_DOCUMENT_H

#include <jv.h>

struct error;
struct store;

/* Owned. */
int tenant_document(struct store *store, jv *document, struct error *err);

#endif
