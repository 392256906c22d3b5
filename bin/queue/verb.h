/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-queue. Each is a command of its own: it parses its options, acts, prints, and returns the exit
 * code. argv[0] is the subcommand's name.
 */
#ifndef BIN_QUEUE_VERB_H
#define BIN_QUEUE_VERB_H

#include "base/option.h"
#include "queue/queue.h"

int verb_put(int argc, char **argv);
int verb_take(int argc, char **argv);
int verb_done(int argc, char **argv);
int verb_fail(int argc, char **argv);
int verb_ls(int argc, char **argv);
int verb_show(int argc, char **argv);
int verb_wait(int argc, char **argv);
int verb_pause(int argc, char **argv);
int verb_resume(int argc, char **argv);
int verb_cancel(int argc, char **argv);
int verb_retry(int argc, char **argv);
int verb_skip(int argc, char **argv);
int verb_limit(int argc, char **argv);
int verb_stats(int argc, char **argv);
int verb_watch(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_fsck(int argc, char **argv);
int verb_gc(int argc, char **argv);

/* Opens the spool that --spool (or the environment) names; exits with a message where that fails. */
struct queue *verb_open(const char *spool, enum queue_mode mode);

/* Records in the store's audit log, if there is a store, what is about to be done: to a job, for whose cluster's tenant, or to a limit of
 * the tenant (NULL: of none). Where that fails it warns: the queue can be put right without the store. */
void verb_audit_job(const char *action, const char *job);
void verb_audit_limit(const char *limit, const char *tenant);

/* Exits with 64 where there are fewer or more operands; max 0: any number. Returns how many there are. */
size_t verb_operands(const struct command *command, char *const *operands, size_t min, size_t max);

/* Exits with 64 where there is an operand. */
void verb_no_operands(const struct command *command, char *const *operands);

#define VERB_SPOOL(variable) OPTION_STRING(0, "spool", variable, "DIR", "the spool (default: $COOPR_SPOOL)")

#endif
