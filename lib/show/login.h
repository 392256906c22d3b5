/* SPDX-License-Identifier: Apache-2.0
 *
 * How to log in to the nodes of a cluster.
 */
#ifndef SHOW_LOGIN_H
#define SHOW_LOGIN_H

#include "base/memory.h"
#include "model/take/task.h"

struct arguments;
struct buffer;
struct error;
struct node;
struct cluster_status;
struct login_files;

/* Finds the machine of a node; its strings live in the arena. Fails with EX_DATAERR if its record makes no sense. */
int login_machine(const struct node *node, struct arena *arena, struct machine *machine, struct error *err);

/* Does the same for one that is to be logged in to, and fails with EX_NOPERM where the account may only read: keys and passwords that
 * are secrets are in files of logins, as long as that is open. */
int login_machine_to_enter(const struct cluster_status *status, const struct node *node, struct login_files *logins,
    struct arena *arena, struct machine *machine, struct error *err);

/* Looks again whether the account of a status, which stays as it is, may enter the cluster's machines. Returns 0; -1 where it may not any
 * more, or the cluster is gone. */
int login_check(const struct cluster_status *status, struct error *err);

/* Adds to the audit log that who has asked a server for this command enters the node; nothing where nobody has. */
int login_record(const struct cluster_status *status, const struct node *node, struct error *err);

/* Returns the name that people use: the host name without the domain, else the id; in the arena. */
const char *login_name(const struct node *node, struct arena *arena);

/* Brings the file known_hosts in the cluster's folder up to date with the keys of its nodes. Returns the file's path, the
 * caller's to free; NULL with a reason. */
char *login_known_hosts(const struct cluster_status *status, struct error *err);

/* Appends the name of a file as the value of an option: to ssh a blank ends it, and % begins a token. */
void login_file(const char *path, struct buffer *out);

/* Pushes an option of ssh(1) whose value is the name of a file: -o OPTION=PATH. */
void login_push_file(const char *option, const char *path, struct arguments *argv);

/* Pushes the words of an ssh(1) that logs in to the machine; known_hosts is the path of that file. Fails with
 * EX_TEMPFAIL if no address of it is known, EX_NOPERM if none of its host keys is. */
int login_command(const struct machine *machine, const char *known_hosts, struct arguments *argv, struct error *err);

/* Pushes a command as ssh takes it: one word is a line for the remote shell, several are quoted for it. */
void login_words(char *const *words, struct arguments *argv);

#endif
