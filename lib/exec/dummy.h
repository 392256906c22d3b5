/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that is not done: it takes its time and fails now and then, as its fields and a seed say. The same
 * task with the same seed does the same, on any machine.
 */
#ifndef EXEC_DUMMY_H
#define EXEC_DUMMY_H

#include <stdint.h>

#define DUMMY_PROPERTIES \
	"\"delay_ms\":{\"type\":[\"number\",\"string\"],\"default\":0,\"description\":\"How long a task takes on average: half of it at least, one and a half at most\"}," \
	"\"fail_percent\":{\"type\":[\"number\",\"string\"],\"default\":0,\"description\":\"How many of a hundred attempts fail\"}," \
	"\"fail_status\":{\"type\":[\"number\",\"string\"],\"default\":1,\"description\":\"Their status\"}," \
	"\"seed\":{\"type\":[\"number\",\"string\"],\"default\":0,\"description\":\"Another seed, other durations and failures\"}"

#define DUMMY_START_PROPERTIES \
	"\"ready_ms\":{\"type\":[\"number\",\"string\"],\"default\":0,\"description\":\"How long after its start a service is healthy on average\"}," \
	"\"never_ready_percent\":{\"type\":[\"number\",\"string\"],\"default\":0,\"description\":\"How many of a hundred starts are never followed by that\"}"

struct call;
struct outcome;
struct server;
struct task;

/* Draws how long the task takes and how it ends. Returns 0, or -1 with the reason in outcome if it is to fail. */
int dummy_draw(const struct task *task, double *delay_ms, struct outcome *outcome);

/* Draws how many milliseconds after its start a service is healthy; -1: it never is. Returns 0, or -1 with the reason in
 * outcome. */
int dummy_draw_readiness(const struct task *task, int64_t *ready_ms, struct outcome *outcome);

/* Waits so long. */
void dummy_wait(double delay_ms);

/* Draws the call of a service, and has it be due once its time is over. */
void dummy_begin(struct server *server, struct call *call);

#endif
