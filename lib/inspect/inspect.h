/* SPDX-License-Identifier: Apache-2.0
 *
 * Inspects documents for what only the installation can tell: plugins' fields, scripts; and macros in requests.
 */
#ifndef INSPECT_INSPECT_H
#define INSPECT_INSPECT_H

#include <stddef.h>

struct catalogue;
struct fields_check;
struct findings;
struct place;

/* Adds to the place's problems what would fail once a cluster is made of the document, and to check->warnings what has no effect. Documents
 * of kinds other than provider, service and request pass; place must be well-formed. */
void inspect_document(struct fields_check *check, const char *kind, const struct place *place);

/* Does the same for the fields of a request alone. */
void inspect_fields(struct fields_check *check, const struct place *request);

/* Adds what is found in all entities of the catalogue at path: plugins that are not here, fields, scripts, and services that are
 * started and cannot be asked whether they are healthy; returns how many these are. */
size_t inspect_catalogue(const char *path, const struct catalogue *catalogue, struct findings *findings);

#endif
