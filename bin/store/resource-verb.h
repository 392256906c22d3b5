/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-resource.
 */
#ifndef BIN_STORE_RESOURCE_VERB_H
#define BIN_STORE_RESOURCE_VERB_H

#include <stddef.h>

#include "store/resources.h"

struct command;
struct output;

int resource_verb_upload(int argc, char **argv);
int resource_verb_list(int argc, char **argv);
int resource_verb_get(int argc, char **argv);
int resource_verb_diff(int argc, char **argv);
int resource_verb_stage(int argc, char **argv);
int resource_verb_recall(int argc, char **argv);
int resource_verb_delete(int argc, char **argv);
int resource_verb_sync(int argc, char **argv);

/* Reads an operand; exits with 64 where it is none. Strings live until the exit. */
struct resource_name resource_verb_name(const struct command *command, const char *operand, int least);

/* Prints versions. */
void resource_verb_print(const struct resource *list, size_t count, struct output *output);

#endif
