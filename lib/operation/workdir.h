/* SPDX-License-Identifier: Apache-2.0
 *
 * The folders in which clusters keep what each stage of their operations gave, as files that anybody can read:
 *
 *	STATE/clusters/ID/     one for each cluster; locked while somebody is at work on it. The kernel lets go of the lock
 *	                       when the process ends, however it ends
 *	    cluster.ndjson     the layout as it is, with the facts of its nodes
 *	    known_hosts        the host keys of its nodes, for ssh
 *	    JOB/               one for each operation:
 *	        command        what was asked for
 *	        was.ndjson     the layout before
 *	        request.json   what shall be
 *	        layout.ndjson  what coopr-solve answered
 *	        plan.ndjson    what coopr-plan made of it
 *	        events.ndjson  what happened when: there once it is over
 *	        work.log       what coopr-work had to say
 *
 * The store is the truth; what is here is for people, for ssh, and for an operation that goes on after a crash.
 */
#ifndef OPERATION_WORKDIR_H
#define OPERATION_WORKDIR_H

#include <stdbool.h>

struct error;

struct workdir {
	char *id, *name; /* of the cluster; the name is for messages */
	char *path;
	int fd;     /* of the directory; that of a cluster holds the lock */
};

enum workdir_open_how { WORKDIR_MAKE, WORKDIR_FIND };

/* Opens and locks the folder of the cluster id. EX_NO where WORKDIR_FIND finds none; EX_TEMPFAIL while another process has
 * it. To be closed. */
int workdir_open(struct workdir *folder, const char *id, const char *name, enum workdir_open_how how, struct error *err);

/* One of nobody's, for what is only tried: workdir_remove takes it away. Its cluster would have that id. */
int workdir_try(struct workdir *folder, const char *id, const char *name, struct error *err);

/* Opens the folder of an operation, made where it is missing, in that of its cluster. To be closed. */
int workdir_enter(const struct workdir *cluster, const char *job, struct workdir *operation, struct error *err);
void workdir_close(struct workdir *folder);

bool workdir_has(const struct workdir *folder, const char *member);

/* The path of a member; the caller frees it. */
char *workdir_path(const struct workdir *folder, const char *member);

/* The first line of a member, which the caller frees; NULL with EX_NOINPUT or EX_DATAERR (it is empty). */
char *workdir_line(const struct workdir *folder, const char *member, struct error *err);

/* Removes it with all that it holds, and closes it. */
int workdir_remove(struct workdir *folder, struct error *err);

#endif
