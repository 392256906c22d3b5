/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands that change clusters have in common: their options, and how they answer.
 */
#ifndef OPERATION_FRONT_H
#define OPERATION_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/option.h"
#include "operation/operate.h"

struct front {
	const char *store, *tenant, *user, *why, *spool, *format, *colour;
	const char *save; /* the file for the plan, which is then all there is; or NULL */
	long jobs;
	bool dry, detach;
};

#define FRONT_JOBS (-1) /* not given: what the user prefers, else 20 */

/* Of every command: where, whose, who and why. */
#define FRONT_PLACES(front) \
	OPTION_STRING('T', "tenant", &(front)->tenant, "TENANT", "whose cluster it is (default: $COOPR_TENANT)"), \
	FRONT_ASKER(front)

/* Of one that is told otherwise whose it is: where, who and why. */
#define FRONT_ASKER(front) \
	OPTION_STRING('m', "why", &(front)->why, "TEXT", "why, for the history"), \
	OPTION_STRING(0, "as", &(front)->user, "USER", "act as that user (for administrators)"), \
	OPTION_STRING(0, "spool", &(front)->spool, "DIR", "the spool (default: $COOPR_SPOOL)"), \
	OPTION_STRING(0, "store", &(front)->store, "FILE", "the store (default: $COOPR_STORE)")

/* Of those that have a job. */
#define FRONT_WORK(front) \
	OPTION_NUMBER('j', "jobs", &(front)->jobs, "N", "do so many tasks at one time (default: 20)"), \
	OPTION_FLAG(0, "detach", &(front)->detach, "leave the work to running workers, and do not wait"), \
	OPTION_FLAG(0, "dry-run", &(front)->dry, "show what would be done, and do nothing")

/* How they answer. */
#define FRONT_ANSWER(front) \
	OPTION_STRING('o', "output", &(front)->format, "table|json", "output format (default: table on a terminal)"), \
	OPTION_STRING(0, "color", &(front)->colour, "auto|always|never", "when to colour (default: auto, on a terminal)")

/* Of those that make a plan. */
#define FRONT_OPTIONS(front) \
	FRONT_WORK(front), \
	OPTION_STRING(0, "save", &(front)->save, "FILE", "only save the plan, for coopr run; as --dry-run it does nothing"), \
	FRONT_PLACES(front), \
	FRONT_ANSWER(front)

/* How it is to be done, as the options say. Exits with 64 where they make no sense. */
struct operation_options front_options(const struct command *command, const struct front *front);

/* The cluster: the only operand, or the first. Exits with 64 where there is none. */
char *front_cluster(const struct command *command, char **operands);
char *front_first(const struct command *command, char **operands);

/* The operands behind the first, borrowed; front_services: at least one. */
struct string_list front_rest(char **operands);
struct string_list front_services(const struct command *command, char **operands);

/* Milliseconds of "12h", "2d"; 0 for "0". Exits with 64 where it is no duration. */
int64_t front_duration(const struct command *command, const char *text);

/* Whether nothing is to be done but to make the plan. */
bool front_is_dry(const struct front *front);

/* Does it, and prints what came of it: the exit code. A command that the order does not have is made of options and operands. */
int front_operate(const struct command *command, const struct front *front, struct operation_request *order, char **operands);

/* operate_retry, which answers so, too. */
int front_retry(const struct command *command, const struct front *front, struct operation_request *anew, char **operands);

#endif
