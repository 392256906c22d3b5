/* SPDX-License-Identifier: Apache-2.0
 *
 * One attempt at one task: its plugin is found, given the take record, watched, and ended where it takes too long.
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

/* The command line of the task's plugin, pushed to argv. Returns 0, or -1 with EX_CONFIG: there is no such
 * plugin, or it is no executable. */
int run_command(const struct task *task, struct arguments *argv, struct error *err);

/* Does it and gives the result record (owned), whatever became of it. quiet: the log is not shown on stderr as well.
 * What the plugin says of the secrets is replaced, in log and result. -1 only where nothing could be done: the log
 * cannot be opened, the system is out of something. SIGTERM, SIGINT, SIGHUP, and nobody reading our stdout any more, end
 * the plugin; the result says so. */
int run_task(const struct task *task, struct redaction *secrets, bool quiet, jv *result, struct error *err);

#endif
