/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose command this is: the variables of the environment, the home, and the files of settings. Nothing here depends on what
 * these files say; that is preference.h.
 */
#ifndef BASE_HOME_H
#define BASE_HOME_H

/* Returns the value of an environment variable; NULL if it is unset or empty. */
const char *home_variable(const char *name);

/* The same, but NULL if it is not an absolute path: the XDG specification tells to ignore others. */
const char *home_folder_variable(const char *name);

/* Returns $HOME, else what the user database says; the caller's to free. */
char *home_path(void);

/* Return the paths of a file of settings: the system's, in /etc/coopr, and the user's, in $XDG_CONFIG_HOME/coopr, which is
 * the stronger. The caller's to free. */
char *home_system_config(const char *name);
char *home_user_config(const char *name);

#endif
