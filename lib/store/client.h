/* SPDX-License-Identifier: Apache-2.0
 *
 * From where a command comes: what the kernel knows of the login, and what the environment says of the connection.
 */
#ifndef STORE_CLIENT_H
#define STORE_CLIENT_H

#include <stdint.h>

#include "base/toolbox.h"

/* The variable in which coopr-serve tells a command who has asked for it. */
#define CLIENT_ASKER "COOPR_ASKER"
/* And this the address from which, by TCP, and what was shown: "192.0.2.7 token 12"; by a Unix socket "uid:1000 session 3"; else "-". */
#define CLIENT_ASKER_FROM TOOLBOX_ASKER_FROM
/* And this the request, where it may be sent again: its key, and what it asks for, as SHA-256, and a number of this run of it, in
 * hexadecimal, with blanks between; "- -" and that number, where it may not. */
#define CLIENT_ASKER_REQUEST "COOPR_ASKER_REQUEST"
/* And this, where the change has a condition, the number of the newest record of the audit log when that was looked at. */
#define CLIENT_ASKER_SEEN "COOPR_ASKER_SEEN"

struct client {
	char login[256];  /* who has logged in, whatever sudo(8) has made of them; else the real user */
	char host[256];   /* of this machine */
	char address[64]; /* of the ssh client, as the environment says; "": not known */
	char via[256];    /* the processes that have started this one, its parent first, as the kernel names them: "bash, sudo, bash, sshd" */
};

/* Returns the user who has asked a server for this command (borrowed); NULL: nobody. */
const char *client_asker(void);

enum { CLIENT_RUN_SIZE = 17 };

/* Writes the number of a run of a request, which no other has. */
void client_make_run(char run[static CLIENT_RUN_SIZE]);

/* Returns the request of a server for which this command runs, as CLIENT_ASKER_REQUEST has it (borrowed); NULL: there is none. */
const char *client_request(void);

/* Returns the number that CLIENT_ASKER_SEEN has; -1: there is no condition. */
int64_t client_seen(void);

/* Fills in what is known. */
void client_find(struct client *client);

#endif
