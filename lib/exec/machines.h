/* SPDX-License-Identifier: Apache-2.0
 *
 * The machines that exist already, for the provider static: the file that lists them, or the list in its document, coopr-static(7).
 */
#ifndef EXEC_MACHINES_H
#define EXEC_MACHINES_H

#include "base/memory.h"
#include "json/place.h"

struct error;

struct machine_login { /* names of secrets; any may be NULL */
	const char *key, *passphrase, *password;
};

struct static_machine {
	const char *id;      /* "ADDRESS:PORT" */
	const char *address; /* as written, a name or an address */
	const char *bind;    /* to reach it from other nodes; NULL: as address */
	int64_t port;
	const char *hostname, *user, *identityfile, *flavor, *zone; /* any may be NULL */
	struct machine_login login;
	struct string_list host_keys;
};

struct machines {
	struct arena arena;
	const char *path; /* or, of a list in a document, where that is */
	bool is_document; /* logins stand in ssh-auth there, as those of providers do */
	struct static_machine *list;
	size_t count;
};

/* Reads the file: JSON (an array, or objects), or lines "ADDRESS NAME=VALUE...". Returns -1 with EX_CONFIG, which names file and
 * line. The machines are to be released in any case. */
int machines_read(const char *path, struct machines *machines, struct error *err);
void machines_release(struct machines *machines);

/* Takes the list in a document; where says for messages which. No file is named there: a machine is entered with secrets, its own, or, where
 * is_entered says that there is something, what the provider has. Fails and is released as the other. */
int machines_take(jv list, const char *where, bool is_entered, struct machines *machines, struct error *err);

/* Takes the members key, passphrase and password, {"secret": "NAME"}, of an object. What excludes each other, or is none, is a problem. */
void machines_parse_login(const struct place *place, const char *identityfile, struct arena *arena, struct machine_login *login);

/* Returns the machine that has the id; NULL if there is none. */
const struct static_machine *machines_find(const struct machines *machines, const char *id);

#endif
