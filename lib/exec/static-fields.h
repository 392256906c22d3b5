/* SPDX-License-Identifier: Apache-2.0
 *
 * What the document of a provider static says, coopr-static(7): its fields as describe prints them, and as a task has them.
 */
#ifndef EXEC_STATIC_FIELDS_H
#define EXEC_STATIC_FIELDS_H

#include <stdbool.h>

#include "exec/machines.h"

struct arena;
struct error;
struct task;

struct static_fields {
	const char *file; /* that lists the machines; NULL: list does */
	jv list;          /* borrowed */
	const char *where; /* the machines are listed, for messages */
	const char *user, *identityfile; /* or NULL */
	struct machine_login login;
	jv bastion;  /* through which all machines are reached, owned; or invalid */
	bool hosts;  /* the nodes' names are written to the machines */
	bool admits; /* the cluster's key is, where there is only a password */
};

extern const char static_fields_schema[];

/* Reads the fields of the task; strings live in the arena. Fails with EX_CONFIG. */
int static_fields_read(const struct task *task, struct arena *arena, struct static_fields *fields, struct error *err);

/* Reads the machines that the fields name, as machines_read does. */
int static_fields_machines(const struct static_fields *fields, struct machines *machines, struct error *err);

#endif
