/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds what documents of tenants say of the host, by what the plugins say of their fields: model/take/origin.h.
 */
#ifndef INSPECT_HOST_FIELDS_H
#define INSPECT_HOST_FIELDS_H

#include "catalogue/catalogue.h"
#include "inspect/fields.h"
#include "model/take/origin.h"

/* Adds to the place's problems what an entity that a tenant has written must not say. */
void host_fields_check_entity(struct fields_check *check, enum entity_kind kind, const struct place *entity);

/* Adds what an entity of a cluster's request or layout must not say; one without a mark has the origin otherwise. */
void host_fields_check_marked(struct fields_check *check, enum entity_kind kind, const struct place *entity, enum origin otherwise);

#endif
