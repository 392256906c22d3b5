/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person or an administrator has chosen once for all commands: coopr-config(5). Option over environment over
 * the user's file over the system's. The files are read once in a process, by the first who asks.
 */
#ifndef BASE_PREFERENCE_H
#define BASE_PREFERENCE_H

#include <stddef.h>

struct error;

enum preference {
	PREFERENCE_ARCHIVES,
	PREFERENCE_CATALOGUE,
	PREFERENCE_COLOR,
	PREFERENCE_JOBS,
	PREFERENCE_MACHINES,
	PREFERENCE_OUTPUT,
	PREFERENCE_PLUGIN_WRITE,
	PREFERENCE_RESOURCES,
	PREFERENCE_SPOOL,
	PREFERENCE_STALE_AFTER_S,
	PREFERENCE_STATE,
	PREFERENCE_STORE,
	PREFERENCE_TENANT,
	PREFERENCE_COUNT,
};

enum preference_source { PREFERENCE_DEFAULT, PREFERENCE_OPTION, PREFERENCE_ENVIRONMENT, PREFERENCE_USER, PREFERENCE_SYSTEM };

struct preference_entry { /* a line of a file */
	const char *name, *value;
	long line;
};

struct preference_section { /* "[hook chat]" or "[plugin ec2]", and the lines below it */
	const char *kind, *name;
	const char *path; /* of the file */
	long line;
	struct preference_entry *entries;
	size_t count, capacity;
};

/* Reads the files, unless that was done. Fails with EX_CONFIG: "PATH:LINE: ...", or a variable that has a wrong value. */
int preference_read(struct error *err);

/* Returns the value in force, NULL if nothing was chosen. It lives as long as the process. */
const char *preference_value(enum preference which, const char *option);

/* Does the same and tells where the value comes from: source, and *where is the variable's name or "PATH:LINE" ("" for
 * others). */
const char *preference_find(enum preference which, const char *option, enum preference_source *source,
    const char **where);

#define PREFERENCE_JOBS_MAX 100000 /* tasks in parallel */

/* Returns the number chosen for PREFERENCE_JOBS, else otherwise. */
long preference_jobs(long otherwise);

#define PREFERENCE_MACHINES_MAX 1000000 /* of one cluster */

/* Returns how many machines a cluster may have: the number in force, 10000 by default, and no more than the system's file says. */
long preference_machines(void);

#define PREFERENCE_STALE_MAX_S 31536000 /* after which an observation says nothing any more */

/* Returns the sections of both files, the user's in place of the system's of the same kind and name. */
const struct preference_section *preference_sections(size_t *count);

/* Return "catalogue", "COOPR_CATALOGUE", and back from the first; PREFERENCE_COUNT if there is none. */
const char *preference_name(enum preference which);
const char *preference_variable(enum preference which);
enum preference preference_of(const char *name);

#endif
