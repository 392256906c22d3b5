/* SPDX-License-Identifier: Apache-2.0
 *
 * The archives of services, for people and for programs.
 */
#ifndef SHOW_KEPT_ARCHIVES_H
#define SHOW_KEPT_ARCHIVES_H

struct account;
struct error;
struct output;

/* Prints the archives of a cluster, by its name or id, or of all clusters (NULL) that the account may see, the newest first. EX_NO where
 * there is no such cluster. */
int kept_archives_print(struct account *account, const char *cluster, struct output *output, struct error *err);

#endif
