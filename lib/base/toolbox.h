/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands that the front word "coopr" knows: programs called coopr-NAME, and their man pages. A command
 * that somebody adds to the installation or to PATH is one like the others.
 */
#ifndef BASE_TOOLBOX_H
#define BASE_TOOLBOX_H

struct arguments;

/* The path of coopr-NAME: in the installation's bin, then its libexec/coopr, then PATH. NULL where there is
 * none. The caller frees it. */
char *toolbox_find(const char *name);

/* The path of coopr itself, in the same installation. NULL where it is not there. The caller frees it. */
char *toolbox_front(void);

/* Pushes the names of all commands of the installation, sorted. */
void toolbox_list(struct arguments *names);

/* The path of coopr-NAME's man page in any section (NULL: of coopr's own). NULL where there is none. The caller
 * frees it. */
char *toolbox_page(const char *name);

/* What a command does in a few words, from its man page; "" where there is none. The caller frees it. */
char *toolbox_summary(const char *name);

#endif
