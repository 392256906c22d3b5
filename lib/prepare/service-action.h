/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that have one action done to services of a cluster: start, stop, restart, backup and restore.
 */
#ifndef PREPARE_SERVICE_ACTION_H
#define PREPARE_SERVICE_ACTION_H

struct action_parameters;
struct command;
struct front;
struct target_options;

/* Does the action of the parameters, whose nodes and services the operands say: the first is CLUSTER[/NODE|/@SERVICE][/SERVICE], and those
 * behind it are services. Returns the exit code; exits with 64 where the operands make no sense. */
int service_action(const struct command *command, const struct front *front, const struct target_options *chosen,
    struct action_parameters *parameters, char **operands);

#endif
