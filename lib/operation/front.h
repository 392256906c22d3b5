/* SPDX-License-Identifier: Apache-2.0
 *
 * The common front of the commands that change clusters: their options, and how they answer.
 */
#ifndef OPERATION_FRONT_H
#define OPERATION_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "json/place.h"
#include "model/show/list.h"
#include "operation/operate.h"

struct front {
	const char *store, *tenant, *user, *why, *spool, *format, *colour;
	const char *save; /* the file for the plan, which is then all there is; or NULL */
	struct option_list secrets;
	const char *secrets_file; /* of several; or NULL */
	long jobs;
	const char *timeout; /* of wait; or NULL */
	bool dry, detach, wait, yes, quiet, discard;
};

#define FRONT_JOBS (-1) /* not given: what the user prefers, else 20 */

/* Options of every command: where, whose, who and why. */
#define FRONT_PLACES(front) \
	OPTION_STRING('T', "tenant", &(front)->tenant, "TENANT", "the cluster's tenant (default: $COOPR_TENANT)"), \
	FRONT_ASKER(front)

/* Options of a command that learns the tenant otherwise: where, who and why. */
#define FRONT_ASKER(front) \
	OPTION_FLAG('y', "yes", &(front)->yes, "do not ask for confirmation"), \
	OPTION_FLAG('q', "quiet", &(front)->quiet, "print neither progress nor result, only errors"), \
	OPTION_STRING('m', "message", &(front)->why, "TEXT", "the reason, for the history"), \
	OPTION_STRING(0, "why", &(front)->why, "TEXT", NULL), \
	OPTION_STRING(0, "as", &(front)->user, "USER", "act as this user (for administrators)"), \
	OPTION_STRING(0, "spool", &(front)->spool, "DIR", "the spool (default: $COOPR_SPOOL)"), \
	OPTION_STRING(0, "store", &(front)->store, "FILE", "the store (default: $COOPR_STORE)")

/* Options of commands that have a job. */
#define FRONT_WORK(front) \
	OPTION_NUMBER('j', "jobs", &(front)->jobs, "N", "run at most N tasks in parallel (default: 20)"), \
	OPTION_FLAG(0, "detach", &(front)->detach, "leave the work to running workers, and do not wait"), \
	OPTION_FLAG(0, "dry-run", &(front)->dry, "show what would be done, and do nothing"), \
	OPTION_FLAG(0, "discard-data", &(front)->discard, "data of services may be lost; -y alone does not permit that"), \
	FRONT_TURN(front)

/* Options of commands whose tasks may be given secrets. */
#define FRONT_SECRETS(front) \
	OPTION_LIST(0, "secret", &(front)->secrets, "NAME[=FILE]", "a secret for its tasks, from FILE or standard input"), \
	OPTION_STRING(0, "secrets", &(front)->secrets_file, "FILE", "secrets for its tasks: an object of names and texts, on one line")

/* Options of commands that need the cluster for themselves. */
#define FRONT_TURN(front) \
	OPTION_FLAG(0, "wait", &(front)->wait, "wait while another operation is in progress on the cluster"), \
	OPTION_STRING(0, "timeout", &(front)->timeout, "TIME", "with --wait: wait at most this long, as 30s or 15m")

/* Options for the answer. */
#define FRONT_ANSWER(front) OUTPUT_OPTIONS(&(front)->format, &(front)->colour, "table|" OUTPUT_RECORDS)

/* Options of commands that make a plan. */
#define FRONT_OPTIONS(front) \
	FRONT_WORK(front), \
	OPTION_STRING(0, "save", &(front)->save, "FILE", "only save the plan, for coopr run; as --dry-run it does nothing"), \
	FRONT_PLACES(front), \
	FRONT_ANSWER(front)

/* Reads the secrets that the operation is given, before anything else is read of standard input. Exits where that fails. */
void front_read_secrets(const struct command *command, const struct front *front);

/* Returns the options of an operation. Exits with 64 where they make no sense. */
struct operation_options front_options(const struct command *command, const struct front *front);

/* Return the cluster: the only operand, or the first. Exit with 64 where there is none. */
char *front_cluster(const struct command *command, char **operands);
char *front_first(const struct command *command, char **operands);

/* Return the operands behind the first, borrowed; front_services exits with 64 where there is none. */
struct string_list front_rest(char **operands);
struct string_list front_services(const struct command *command, char **operands);

/* Returns the milliseconds of "12h", "2d"; 0 for "0". Exits with 64 where the text is no duration; what is the option or operand. */
int64_t front_duration(const struct command *command, const char *what, const char *text);

/* Carries out the request and prints its result; returns the exit code. A request without a command gets one made of options
 * and operands. */
int front_operate(const struct command *command, const struct front *front, struct operation_request *request, char **operands);

/* Does the same by operate_retry. */
int front_retry(const struct command *command, const struct front *front, struct operation_request *anew, char **operands);

#endif
