/* SPDX-License-Identifier: Apache-2.0
 *
 * One attempt at one task: its plugin is found, given the take record, watched, and ended if it takes too long.
 * Every line that it says goes to the task's log as it comes.
 */
#ifndef EXEC_RUN_H
#define EXEC_RUN_H

#include <stdbool.h>

#include "json/json.h"

struct arguments;
struct error;
struct redaction;
struct task;

/* Pushes the command line of the task's plugin to argv. Fails with EX_CONFIG if there is no such plugin, or if it is not
 * executable. */
int run_command(const struct task *task, struct arguments *argv, struct error *err);

/* Does the task, and gives the result record (owned), whatever became of it. Shows the log on stderr as well, unless quiet. Replaces
 * secrets in log and result. Returns -1 only if nothing could be done: the log cannot be opened, the system is out of something.
 * SIGTERM, SIGINT, SIGHUP, and the end of the reader of our stdout, end the plugin; the result says so. */
int run_task(const struct task *task, struct redaction *secrets, bool quiet, jv *result, struct error *err);

#endif
