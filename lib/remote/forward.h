/* SPDX-License-Identifier: Apache-2.0
 *
 * Which commands act through a server, where one is meant: the one table that the caller and the server go by.
 */
#ifndef REMOTE_FORWARD_H
#define REMOTE_FORWARD_H

#include <stdbool.h>
#include <stddef.h>

enum forward {
	FORWARD_SERVER, /* the server does it */
	FORWARD_HERE,   /* a filter: it runs where it is */
	FORWARD_CLUSTER, /* with a cluster the server does it, else it is a filter: see forward_names_cluster */
	FORWARD_LOGIN,  /* it logs in from here, through the server */
	FORWARD_NEVER,  /* it is of the machine of the server alone */
};

/* Returns where the command of these words is done: argv[0] is its name without "coopr-". A command that is not of the installation
 * runs where it is. */
enum forward forward_find(char *const *argv);

/* Returns whether the first operand of such a command, or NULL, is a cluster, and no file that is here. */
bool forward_names_cluster(char *const *argv, const char *operand);

/* Returns the first of the words that may be an option of the command no more: behind so many operands the words are of another
 * command, that of "coopr exec CLUSTER COMMAND"; SIZE_MAX: all may. */
size_t forward_operands(const char *command);

#endif
