/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person has stopped stays so, also where it is set up anew, on a new machine or on one that stays: until it is started.
 */
#ifndef PLAN_STOPPED_H
#define PLAN_STOPPED_H

struct dependencies;
struct error;
struct layout;
struct plan_parameters;

/* Names in the layout's nodes the services that stay stopped there: of those that are set up, each of which instances were stopped and none
 * runs, and each that stands nowhere yet where all of the cluster was stopped; and what a start or a stop is about on machines
 * that do not answer, as if it had been done. Returns 0, or -1: EX_NO if the parameters name what is not there. */
int stopped_mark(struct layout *layout, const struct dependencies *dependencies, const struct plan_parameters *parameters, struct error *err);

#endif
