/* SPDX-License-Identifier: Apache-2.0
 *
 * Which server acts for a command, and how it is reached: --server over $COOPR_SERVER over the context in use, coopr-remote(7).
 */
#ifndef REMOTE_DESTINATION_H
#define REMOTE_DESTINATION_H

struct context;
struct error;

struct destination { /* release it */
	char *name;   /* as it was called, for messages; NULL: no server is meant */
	char *url;    /* "https://host:8443": without a slash at its end */
	char *socket; /* of a Unix socket; or NULL */
	char *ca;     /* the file of those who may have signed its certificate; NULL: those of the system */
	char *token;  /* or NULL */
};

/* Finds it. option is the value of --server, or NULL. EX_USAGE where it is none that may be used, EX_CONFIG where a context or the token is
 * missing, or others could read it. */
int destination_find(struct destination *destination, const char *option, struct error *err);

/* Returns in destination the server of a context, whose token it leaves aside. */
int destination_of(struct destination *destination, const struct context *context, struct error *err);

/* Returns whether text is the address of a server: https://, http:// of this machine, unix:PATH. */
int destination_check(const char *text, struct error *err);

void destination_release(struct destination *destination);

#endif
