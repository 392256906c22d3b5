/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plugin says of its fields: the JSON Schema that its action describe prints, coopr-plugins(7).
 */
#ifndef EXEC_PLUGIN_SCHEMA_H
#define EXEC_PLUGIN_SCHEMA_H

#include <jv.h>

struct error;
struct task;

/* Asks the plugin, as ("provider", "sandbox"); invalid where it is not here or says nothing. */
jv plugin_schema(const char *kind, const char *type);

/* Asks the task's plugin, if a tenant has written what the task gives to it, and checks the task by that, see model/take/origin.h. */
int plugin_schema_check_task(const struct task *task, struct error *err);

#endif
