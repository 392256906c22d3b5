/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at a script before anything is made with it: is it there, and does its own shell understand it?
 */
#ifndef INSPECT_SCRIPT_H
#define INSPECT_SCRIPT_H

struct error;

/* Returns 0 where the script can be found and, if sh or bash would run it, "sh -n" has nothing to say of it; else -1 with EX_CONFIG. catalogue
 * and plugin, whose folders there are searched, too ("automator/shell"), may be NULL. */
int script_check(const char *catalogue, const char *plugin, const char *name, struct error *err);

/* Does the same for each of the words of a line, which are files and folders that a script needs: they need only be there. */
int script_check_files(const char *catalogue, const char *plugin, const char *line, struct error *err);

#endif
