/* SPDX-License-Identifier: Apache-2.0
 *
 * Passwords and keys in clear: members whose names say that, with a plain value in place of {"secret": "NAME"}. Who may not see
 * them reads "[hidden]".
 */
#ifndef JSON_CREDENTIAL_H
#define JSON_CREDENTIAL_H

#include "json/place.h"

#define CREDENTIAL_HIDDEN "[hidden]"
#define CREDENTIAL_GENERATED "generated_secret"

/* Tells whether a member of that name holds a password or a key, and not the name of one, such as ssh_key_resource and ssh_keypair. */
bool credential_is_name(const char *name);

/* Tells whether a member of that name, with that value (borrowed), is a password or key in clear. */
bool credential_is_clear(const char *name, jv value);

/* Returns the name in {"secret": "NAME"}, or in {"generated_secret": "NAME"}, which is generated for each cluster unless it is set;
 * the caller frees it. NULL if the value is neither. */
char *credential_reference(jv value, bool *is_generated);

/* Adds a problem for each in the place, with what to write instead; returns how many there are. */
size_t credential_check(const struct place *place);

/* Replaces each in the value. */
void credential_hide(jv *value);

/* Returns PATH=VALUE, as options have it, with a password or key replaced; the caller frees it. */
char *credential_hide_assignment(const char *assignment);

/* Adds a problem for each value that was hidden from who wrote the place. */
void credential_check_hidden(const struct place *place);

#endif
