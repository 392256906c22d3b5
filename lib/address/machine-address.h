/* SPDX-License-Identifier: Apache-2.0
 *
 * The addresses of machines that exist already, as what they are and not as they are spelled: "10.1", "0xa000001", "167772161",
 * "::ffff:10.0.0.1" and a name that resolves to it are all the machine 10.0.0.1.
 */
#ifndef ADDRESS_MACHINE_ADDRESS_H
#define ADDRESS_MACHINE_ADDRESS_H

#include <stdbool.h>

#include "base/memory.h"
#include "json/place.h"

struct error;

/* Tells whether the name of a machine is "HOST:PORT". */
bool machine_address_is_one(const char *machine);

/* Fills list with every "ADDRESS:PORT" of the machine "HOST:PORT", numeric and in one spelling, each once; a name is resolved. Of a
 * machine that is called otherwise, with its name. Strings live in the arena. Returns -1 with EX_TEMPFAIL where the name does
 * not resolve. */
int machine_address_resolve(const char *machine, struct arena *arena, struct string_list *list, struct error *err);

/* Checks that each "ADDRESS:PORT" of the machine, as machine_address_resolve has them, is in one of the ranges, address/range.h; a machine
 * that is called otherwise has none. Fails with EX_NOPERM, and says who gives ranges. */
int machine_address_check(const char *machine, const struct string_list *list, const struct string_list *ranges, struct error *err);

#endif
