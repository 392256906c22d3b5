/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys and passwords for ssh that are secrets. What a machine is logged in to with stands in facts.ssh-auth by its name:
 *
 *	"key": {"secret": "NAME"}          a private key
 *	"key": "ssh-ed25519 AAAA..."       the private half of this public one, a key of the cluster (store/login-key.h)
 *	"passphrase": {"secret": "NAME"}   of that key, or of an identityfile
 *	"password": {"secret": "NAME"}
 *	"bastion": {"key": {"secret": "NAME"}, ...}
 *
 * For a task they become files (identityfile, passphrasefile, passwordfile) of the mode 0600 in memory, which are there as long as a task
 * needs them; the next process sweeps those of one that was killed. A secret is the tenant's; if the machine's provider is
 * the installation's, also one of the tenant superadmin, which comes first.
 */
#ifndef WORKER_LOGIN_FILES_H
#define WORKER_LOGIN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"
#include "ssh/memory-folder.h"

struct buffer;
struct error;
struct login_file;
struct task;

struct login_files { /* zero-initialise */
	struct memory_folder folder; /* opened for the first login */
	struct login_file *first;
	bool lasting; /* the caller's: the files are for other programs, and stay */
};

/* Names the files of the login in a take record, of which machine and cluster are needed only. *used is NULL if it names no secret; else
 * it is to be left. EX_CONFIG where a secret, its key or the store is not there. */
int login_files_fill(struct login_files *files, jv *record, struct login_file **used, struct error *err);

/* Does the same for a record as canonical text, which it replaces. */
int login_files_fill_text(struct login_files *files, struct buffer *record, struct login_file **used, struct error *err);

/* Gives the creation of a machine, whose provider puts a key in place (cluster_key in its description), the public half of the cluster's
 * key, cluster.key. Nothing is given for a cluster that the store does not know. */
int login_files_add_key(const struct task *task, jv *record, struct error *err);

/* Does the same for a record as canonical text, which it replaces, of a creation whose provider wants the key. */
int login_files_add_key_text(struct buffer *record, struct error *err);

/* Ends a use; the last one removes the files. NULL is allowed. */
void login_files_leave(struct login_file *used);

/* Removes what is left; all uses have ended. */
void login_files_close(struct login_files *files);

/* Returns whether a take record, as canonical text, may name such secrets. */
bool login_files_mentioned(const char *record, size_t length);

#endif
