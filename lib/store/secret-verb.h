/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-secret.
 */
#ifndef STORE_SECRET_VERB_H
#define STORE_SECRET_VERB_H

int secret_verb_set(int argc, char **argv);
int secret_verb_list(int argc, char **argv);
int secret_verb_delete(int argc, char **argv);

#endif
