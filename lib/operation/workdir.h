/* SPDX-License-Identifier: Apache-2.0
 *
 * The folders in which the commands of an operation work, as files that anybody can read:
 *
 *	STATE/clusters/ID/     one for each cluster; locked while a command works on it. The kernel releases the lock when the
 *	                       process ends, however it ends
 *	    cluster.ndjson     the present layout, with the facts of its nodes
 *	    known_hosts        the host keys of its nodes, for ssh
 *	    JOB/               one for each operation:
 *	        command        that was typed
 *	        was.ndjson     the layout before
 *	        request.json   what the cluster shall be
 *	        layout.ndjson  the answer of coopr-solve
 *	        measured.ndjson  how long tasks took before, for coopr-plan
 *	        plan.ndjson    the plan of coopr-plan
 *	        events.ndjson  what happened when: there once the job is over
 *	        work.log       the messages of coopr-work, of all tries
 *
 * The store is the truth; these folders are for people and for ssh, and can be removed.
 */
#ifndef OPERATION_WORKDIR_H
#define OPERATION_WORKDIR_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct holder;
struct operation;
struct store;

struct workdir {
	char *id, *name; /* of the cluster; the name is for messages */
	char *path;
	int fd;     /* of the directory; that of a cluster holds the lock */
};

enum workdir_open_how { WORKDIR_MAKE, WORKDIR_FIND };

/* Opens and locks the folder of the cluster id, to be closed. Fails with EX_NO where WORKDIR_FIND finds none; with EX_TEMPFAIL
 * while another process has it. */
int workdir_open(struct workdir *workdir, const char *id, const char *name, enum workdir_open_how how, struct error *err);

/* Finds the process that has the cluster's folder. Returns false if none does, or none that is visible from here. */
bool workdir_find_holder(const char *id, struct holder *holder);

/* Takes the lock of an open folder of a cluster once more, or gives it away. To take it fails with EX_TEMPFAIL while another process
 * has it, and with EX_NO where the folder was removed meanwhile. */
int workdir_lock(struct workdir *workdir, struct error *err);
void workdir_unlock(struct workdir *workdir);

/* Moves the folder of an operation to a nameless one beside that of its cluster, where nobody else comes across it; and back,
 * in place of what is there by then. */
int workdir_set_aside(struct workdir *operation, struct error *err);
int workdir_put_back(const struct workdir *cluster, const char *job, struct workdir *operation, struct error *err);

/* Makes a nameless folder for a dry run on a cluster that would have that id; workdir_remove removes it. */
int workdir_try(struct workdir *workdir, const char *id, const char *name, struct error *err);

/* Opens the folder of an operation in that of its cluster, made where it is missing; to be closed. */
int workdir_enter(const struct workdir *cluster, const char *job, struct workdir *operation, struct error *err);

/* Opens the folder of an operation that the store has recorded, as above, and writes its command and its plan to it, as
 * recorded: the folder may be another host's, or gone. */
int workdir_restore(const struct workdir *cluster, struct store *store, const struct operation *recorded,
    struct workdir *operation, struct error *err);

void workdir_close(struct workdir *workdir);

bool workdir_has(const struct workdir *workdir, const char *member);

/* Replaces a member of the folder, as file_replace does; the reason names its whole path. */
int workdir_write(const struct workdir *workdir, const char *member, const void *bytes, size_t length, struct error *err);

/* Returns the path of a member, which the caller frees. */
char *workdir_path(const struct workdir *workdir, const char *member);

/* Returns the first line of a member, which the caller frees; NULL with EX_NOINPUT, or EX_DATAERR where it is empty. */
char *workdir_line(const struct workdir *workdir, const char *member, struct error *err);

/* Removes the folder with all that it holds, and closes it. */
int workdir_remove(struct workdir *workdir, struct error *err);

#endif
