/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-secret.
 */
#ifndef BIN_STORE_SECRET_VERB_H
#define BIN_STORE_SECRET_VERB_H

int secret_verb_set(int argc, char **argv);
int secret_verb_rotate(int argc, char **argv);
int secret_verb_allow(int argc, char **argv);
int secret_verb_list(int argc, char **argv);
int secret_verb_delete(int argc, char **argv);

#endif
