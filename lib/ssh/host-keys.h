/* SPDX-License-Identifier: Apache-2.0
 *
 * The host keys that a machine shows, to be pinned where nobody could tell them beforehand.
 */
#ifndef SSH_HOST_KEYS_H
#define SSH_HOST_KEYS_H

#include "json/json.h"
#include "json/place.h"

struct arena;
struct error;
struct machine;

/* Asks the machine for its keys (ssh-keyscan): "ssh-ed25519 AAAA...", at least one, in the arena. Returns -1 with EX_TEMPFAIL
 * if it shows none. */
int host_keys_scan(const struct machine *machine, struct arena *arena, struct string_list *keys, struct error *err);

/* Returns the keys as facts.ssh_host_keys has them, {"ed25519":"ssh-ed25519 AAAA..."}, owned. */
jv host_keys_pin(const struct string_list *keys);

#endif
