/* SPDX-License-Identifier: Apache-2.0
 *
 * The addresses of a tenant's own machines, which its providers list: the members that a plugin's description marks with
 * "of": "address" (model/take/origin.h). What is stored of them are numbers, so that nothing a name stands for later is of any account.
 */
#ifndef INSPECT_OWN_ADDRESSES_H
#define INSPECT_OWN_ADDRESSES_H

#include "inspect/fields.h"

/* Replaces each name, and each other spelling, by the address in numbers that it stands for now, of several the first; what
 * stands for any address that is in none of the ranges, or for none, stays as it is. The provider's document is the caller's. */
void own_addresses_pin(struct fields_check *check, jv *provider, const struct string_list *ranges);

/* Adds to the place's problems each that is no address in numbers in one of the ranges. */
void own_addresses_check(struct fields_check *check, const struct place *provider, const struct string_list *ranges);

#endif
