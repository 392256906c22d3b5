/* SPDX-License-Identifier: Apache-2.0
 *
 * One stage of a chain, as the process that a person would start: one of our commands, from a file in the cluster's
 * folder to a file in the cluster's folder. What it says on stderr goes where ours goes.
 */
#ifndef OPERATION_RUN_COMMAND_H
#define OPERATION_RUN_COMMAND_H

#include "base/process.h"

struct buffer;
struct error;
struct workdir;

/* Starts an argument vector with one of our commands ("coopr-solve"), by the path it has beside ours. */
void run_command_init(struct arguments *arguments, const char *program);

/* Runs it from the member input (NULL: nothing) to the member output, which is there whole afterwards, or is what it
 * was. A command that exits with another code than 0 is an error with that code. */
int run_command_in_workdir(const struct arguments *arguments, const struct workdir *folder, const char *input,
    const char *output, struct error *err);

/* The same without a folder: appends what it prints to out; input may be NULL. */
int run_command_in_memory(const struct arguments *arguments, const struct buffer *input, struct buffer *out,
    struct error *err);

#endif
