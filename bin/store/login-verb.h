/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-user and coopr-token.
 */
#ifndef BIN_STORE_LOGIN_VERB_H
#define BIN_STORE_LOGIN_VERB_H

int user_verb_list(int argc, char **argv);
int user_verb_add(int argc, char **argv);
int user_verb_code(int argc, char **argv);
int user_verb_password(int argc, char **argv);
int user_verb_delete(int argc, char **argv);

int token_verb_create(int argc, char **argv);
int token_verb_list(int argc, char **argv);
int token_verb_delete(int argc, char **argv);

#endif
