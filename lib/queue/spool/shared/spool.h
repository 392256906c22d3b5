/* SPDX-License-Identifier: Apache-2.0
 *
 * Where things are in the spool: its folders, its bell, its names. What is in a job's folder is the open job's
 * to know. coopr-spool(5) has the whole picture.
 */
#ifndef QUEUE_SPOOL_SHARED_SPOOL_H
#define QUEUE_SPOOL_SHARED_SPOOL_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

enum { SPOOL_NUMBER_DIGITS = 9 }; /* of a number at most, leading zeros not counted */

struct spool {
	char *path;   /* absolute */
	bool writable;
	int root;     /* descriptors of the folders: */
	int tmp;      /* being written or removed; nobody looks in here */
	int jobs;     /* JOB/: unfinished */
	int done;     /* JOB/: finished */
	int workers;  /* ID: locked as long as the worker lives */
	int numbers;  /* CLUSTER: the number of its last job */
	char boot[40]; /* id of this boot: */
	int agreed;    /* locked as long as all must agree on it; -1: not */
	bool impatient; /* see queue_set_patient */
};

/* Opens the folders, making them where they are not there and mode is to write. Where it is to read and nothing was ever put, the
 * error says that it is absent. */
int spool_open(struct spool *spool, const char *path, bool writable, struct error *err);
void spool_close(struct spool *spool);

/* Lists a folder (a descriptor, which stays open and as it is); NULL with errno. */
DIR *spool_list(int folder);

/* Opens the folder of a job, wherever it stands; -1 with errno. */
int spool_open_job(const struct spool *spool, const char *job);

/* Tells everyone who watches that something has changed. Needs no space on the disk. */
void spool_notify(const struct spool *spool);

/* Renames a folder, from one folder (a descriptor) to another where none of that name is. 0 or -1 with errno. */
int spool_move(int from, const char *name, int to, const char *id);

/* Opens the locked file numbers/CLUSTER: whoever holds it may bring jobs of the cluster into jobs/. Returns its
 * descriptor, -1 where another holds it (wait is false) or with a reason in err. */
int spool_lock_cluster(const struct spool *spool, const char *cluster, bool wait, struct error *err);

/* Returns whether job is CLUSTER-NUMBER with a number of at most SPOOL_NUMBER_DIGITS digits: one that jobs of the
 * cluster are counted by. */
bool spool_is_numbered(const char *job, const char *cluster, unsigned long *number);

/* The number of the cluster's last job, 0 where it had none; and sets it, durably. fd is of its numbers. */
int spool_number(const struct spool *spool, const char *cluster, int fd, unsigned long *number, struct error *err);
int spool_set_number(const struct spool *spool, const char *cluster, int fd, unsigned long number, struct error *err);

#endif
