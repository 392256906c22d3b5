/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one of our commands as a person would: from a file of the operation's folder to another. Its messages are told as
 * ours: the user has not typed its name.
 */
#ifndef OPERATION_RUN_COMMAND_H
#define OPERATION_RUN_COMMAND_H

#include "base/process.h"

struct buffer;
struct error;
struct workdir;

/* Starts an argument vector with one of our commands ("coopr-solve"), by the path that it has beside ours. */
void run_command_init(struct arguments *arguments, const char *program);

/* Runs the command from the member input (NULL: nothing) to the member output, which is whole afterwards, or is what it was.
 * An exit code other than 0 is an error with that code and the last of its messages. */
int run_command_in_workdir(const struct arguments *arguments, const struct workdir *workdir, const char *input,
    const char *output, struct error *err);

/* Does the same without a folder: appends what the command prints to out; input may be NULL. */
int run_command_in_memory(const struct arguments *arguments, const struct buffer *input, struct buffer *out,
    struct error *err);

#endif
