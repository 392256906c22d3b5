/* SPDX-License-Identifier: Apache-2.0
 *
 * What a machine is: the file "machine" in its folder, a line "name=value" for each member that is set. The
 * plugin writes it, the machine's init reads it and becomes what it says.
 */
#ifndef SANDBOX_RECORD_H
#define SANDBOX_RECORD_H

#include <stddef.h>
#include <sys/types.h>

#include "base/memory.h"

struct error;

struct machine { /* members not known are NULL */
	struct arena arena;
	const char *name;     /* of its folder; what is called its providerid */
	const char *token;    /* idempotency token of its creation */
	const char *provider; /* the provider entity's name */
	const char *cluster;  /* id of its cluster */
	const char *node;     /* id of the node that it is */
	const char *hostname;
	const char *network;  /* "10.213.0.0/16" */
	const char *address;
	const char *table;    /* of its cluster's routes: a number; NULL: it is on a bridge, as machines once were */
	const char *route;    /* "yes": it has a route out of this host */
	const char *resolvers; /* the ones that it asks over its route, spaces between */
	const char *image;    /* "host", or an absolute path, image/image.h */
	const char *tree;     /* of an image that was packed: the digest of its tree */
	const char *files;    /* of the image "host": the copy of host files, hostfiles.h */
	const char *shares;   /* directories of the host it may read, colons between */
	const char *masks;    /* directories of the host it must not see, colons between */
	const char *ids;      /* the first of its user and group ids on the host; NULL: it has the host's own */
	const char *nested;   /* "yes": it is made by a user who is not root, in a user namespace of that user, world/world.h */
	const char *unconfined; /* "yes": it shall have the host's own */
	const char *cpu;      /* processors, as "0.5"; what is NULL has no limit */
	const char *memory;   /* MiB */
	const char *processes;
	const char *disk;     /* MiB that it may write */
	const char *pid;      /* of its init, once it stands */
	const char *access, *port; /* where the host reaches its sshd, if not at address; not in the file */
	const char *host_key; /* "ssh-ed25519 AAAA..." */
	const char *login;    /* the public key that may log in; NULL: that of the installation */
};

/* Returns where a machine has the member of that name (length bytes of it); NULL: there is no such member. */
const char **machine_value(struct machine *machine, const char *name, size_t length);

/* Returns the names of all members, in the order of the file; ends with NULL. */
const char *const *machine_members(void);

/* Returns the name of the machine that token makes for node: "NODE-0123456789ab". */
const char *machine_name(const char *node, const char *token, struct arena *arena);

/* Reads the file of the folder dir (name is not in it). Fails with EX_NO if there is none, with EX_DATAERR if it is not one of
 * ours. Strings live in machine's arena. */
int machine_read(int dir, struct machine *machine, struct error *err);

int machine_write(int dir, const struct machine *machine, struct error *err);

void machine_release(struct machine *machine);

#endif
