/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands that the front word "coopr" knows: programs called coopr-NAME. A command that somebody adds to the installation or to PATH is one like the others.
 */
#ifndef BASE_TOOLBOX_H
#define BASE_TOOLBOX_H

#include <stdbool.h>

struct arguments;

/* Returns the path of coopr-NAME: in the installation's bin, then its libexec/coopr, then PATH. NULL where there is
 * none. The caller frees it. */
char *toolbox_find(const char *name);

/* The same, or that of libexec/coopr/NAME, which only the server runs. */
char *toolbox_find_internal(const char *name);

/* Returns the path of coopr itself, in the same installation; NULL if it is missing. The caller frees it. */
char *toolbox_front(void);

/* The variable that is set where a command is done by a server, for somebody who has asked it. */
#define TOOLBOX_ASKER_FROM "COOPR_ASKER_FROM"

/* Returns whether a variable of the environment ("NAME=TEXT") tells a command of the one who has asked a server for it. What the
 * installation itself runs (hooks, plugins) is not done for that one, and does not get it. */
bool toolbox_is_of_asker(const char *variable);

/* Pushes env(1) and its options, behind which a program runs without such variables. */
void toolbox_push_unasked(struct arguments *argv);

/* Becomes the program that has the command done by a server, if one may be meant: by --server, $COOPR_SERVER, or a context. all: options
 * may stand behind operands. Exits where that program is missing; and with EX_NOPERM where a server itself does the command, and words name
 * another: that one, or the same one, would take whoever has asked for the user whom the server runs as. */
void toolbox_ask_server(char **argv, bool all);

/* Pushes the names of all commands of the installation, sorted. */
void toolbox_list(struct arguments *names);

#endif
