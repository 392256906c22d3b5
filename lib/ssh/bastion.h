/* SPDX-License-Identifier: Apache-2.0
 *
 * A bastion: the host through whose sshd machines are reached that have no address here, as ProxyJump(5) of ssh does it. It is logged in to with a
 * key and a host key of its own, and passes on bytes: the connection to the machine is encrypted between here and there. Whoever connects to a
 * machine asks here first; nobody connects to the address of one that has a bastion.
 */
#ifndef SSH_BASTION_H
#define SSH_BASTION_H

#include <stdbool.h>
#include <stdint.h>

#include "json/place.h"

struct arguments;
struct buffer;
struct error;
struct machine;
struct tail;

/* The member "ssh-auth" of the fields of a provider that has a bastion; "of" is who may write it, or "". */
#define BASTION_MEMBER(of) \
	"\"bastion\":{\"type\":\"object\"," of "\"required\":[\"host\",\"hostkey\",\"key\"],\"additionalProperties\":false," \
	"\"description\":\"The host through whose sshd machines are reached\",\"properties\":{" \
	"\"host\":{\"type\":\"string\",\"description\":\"Its name or address; of a tenant's, an address of the public network\"}," \
	"\"hostkey\":{\"type\":\"string\",\"description\":\"Its host key, as in known_hosts without the name\"}," \
	"\"key\":{\"type\":\"object\",\"required\":[\"secret\"],\"additionalProperties\":false,\"properties\":{\"secret\":{\"type\":\"string\"}}," \
	"\"description\":\"A secret that is the private key it admits\"}," \
	"\"port\":{\"type\":\"integer\",\"description\":\"The port of its sshd; the default is 22\"}," \
	"\"user\":{\"type\":\"string\",\"description\":\"The user to log in as; the default is root\"}}}"

/* Reads the member bastion of the object ssh-auth of a provider's fields, as facts.ssh-auth.bastion has it. Returns it owned; invalid where there is
 * none, or with problems. public_only: a tenant has written it, and its host is to be an address of the public network, in numbers. */
jv bastion_read(const struct place *auth, bool public_only);

/* Fails where the machine has a bastion whose key was not handed over: another one is never tried there. */
int bastion_check(const struct machine *machine, struct error *err);

/* Pushes the command that passes bytes on from its streams to the machine's sshd, through the bastion; known_hosts is a file as ssh_config(5) has it,
 * and has the bastion's key. */
void bastion_push(const struct machine *machine, const char *known_hosts, struct arguments *argv);

/* Pushes the option by which ssh reaches the machine; nothing where it has no bastion. */
void bastion_push_proxy(const struct machine *machine, const char *known_hosts, struct arguments *argv);

/* Appends the value of that option, a command of the shell. */
void bastion_print_proxy(const struct machine *machine, const char *known_hosts, struct buffer *out);

/* Appends the line of known_hosts for the bastion, if there is one. */
void bastion_add_known_host(const struct machine *machine, struct buffer *lines);

/* Returns a hash with what is of the bastion behind it. */
uint64_t bastion_hash(const struct machine *machine, uint64_t hash);

/* Tells whether an ssh that said so ended because of its bastion, and will again. */
bool bastion_is_at_fault(const struct tail *said);

/* Explains why the machine could not be reached, if that was its bastion's affair: -1 with EX_NOPERM or EX_TEMPFAIL; else 0. name is as ssh_name has
 * it. */
int bastion_explain(const struct machine *machine, const char *name, const struct tail *said, struct error *err);

#endif
