/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder where the front keeps a cluster: what each stage of its making gave, as files
 * anybody can read. It is locked as long as it is open, so that two fronts never work on one cluster;
 * the kernel lets go of the lock when the process ends, however it ends.
 *
 *	request.json   what was asked for
 *	layout.ndjson  what coopr-solve answered
 *	plan.ndjson    what coopr-plan made of it
 *	job            the id that coopr-queue put gave
 *	events.ndjson  what happened when: there once everything was made
 *	known_hosts    the host keys of its nodes, for ssh
 *	cluster.ndjson the layout with the facts of its nodes: there once everything was made
 *	command        the command that asked for it
 *	delete-*       layout.ndjson, plan.ndjson and job for taking it down
 *	work.log       what coopr-work had to say
 */
#ifndef CLUSTER_FOLDER_H
#define CLUSTER_FOLDER_H

#include <stdbool.h>

struct error;

struct folder {
	char *name; /* of the cluster */
	char *path; /* STATE/clusters/NAME */
	int fd;     /* of the directory; holds the lock */
};

enum folder_open { FOLDER_MAKE, FOLDER_FIND };

/* Opens and locks the folder of a cluster. EX_USAGE for a name that cannot be one; EX_NO where FOLDER_FIND finds
 * none; EX_TEMPFAIL while another process has it. To be closed. */
int folder_open(struct folder *folder, const char *name, enum folder_open how, struct error *err);
void folder_close(struct folder *folder);

bool folder_has(const struct folder *folder, const char *member);

/* The path of a member; the caller frees it. */
char *folder_path(const struct folder *folder, const char *member);

/* The first line of a member, which the caller frees; NULL with EX_NOINPUT or EX_DATAERR (it is empty). */
char *folder_line(const struct folder *folder, const char *member, struct error *err);

/* Removes it with all that it holds, and closes it. */
int folder_remove(struct folder *folder, struct error *err);

/* The id of the next cluster, "00000042": each is given out once, whoever asks. The caller frees it; NULL with a reason. */
char *folder_next_id(struct error *err);

#endif
