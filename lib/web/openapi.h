/* SPDX-License-Identifier: Apache-2.0
 *
 * The description of the API, OpenAPI 3.1: each route of the table, and what its command takes.
 */
#ifndef WEB_OPENAPI_H
#define WEB_OPENAPI_H

struct buffer;

/* Appends the document. */
void openapi_print(struct buffer *out);

#endif
