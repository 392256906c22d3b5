/* SPDX-License-Identifier: Apache-2.0
 *
 * Instances that stop for a while in a rolling plan are taken out where they are looked up, batch by batch: a round of tasks
 * configures and reloads what looks them up without the next batch, and with the batch before. What is stopped and stays so,
 * while other instances run, is taken out likewise, until it is started.
 */
#ifndef PLAN_ROUNDS_H
#define PLAN_ROUNDS_H

struct builder;

/* Adds the rounds, each behind the batch before it and before its own batch. What has no reload is left alone, and so is a
 * service of which no instance would be left. */
void rounds_add(struct builder *builder);

#endif
