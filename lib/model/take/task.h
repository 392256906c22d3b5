/* SPDX-License-Identifier: Apache-2.0
 *
 * The take record, coopr-plugins(7): one task with all that a plugin needs to do it. What coopr-queue
 * take prints, coopr-exec reads and hands on, and a plugin reads.
 */
#ifndef MODEL_TAKE_TASK_H
#define MODEL_TAKE_TASK_H

#include "base/memory.h"
#include "json/place.h"
#include "model/action.h"

struct error;

struct bastion { /* through whose sshd a machine is reached, facts.ssh-auth.bastion */
	const char *host;         /* its name or address; NULL: there is none, and the machine is reached from here */
	const char *user;
	const char *identityfile; /* the private key that it admits; NULL: it was not handed over */
	const char *host_key;     /* "ssh-ed25519 AAAA..." */
	int64_t port;
};

struct machine { /* the node of the task, with the facts known so far */
	const char *id;
	int64_t nodenum;
	const char *hostname, *zone, *flavor; /* any may be NULL */
	const char *sshuser;      /* or NULL */
	const char *address;      /* to reach it from here, or from its bastion: access_v4, access_v6, bind_v4 or bind_v6; NULL: none known yet */
	const char *user;         /* facts.ssh-auth.user, else sshuser, else "root" */
	const char *identityfile; /* facts.ssh-auth.identityfile, or NULL */
	const char *passphrasefile; /* facts.ssh-auth.passphrasefile, what opens that, or NULL */
	const char *passwordfile; /* facts.ssh-auth.passwordfile, for where no key is admitted yet, or NULL */
	int64_t port;             /* facts.ssh-auth.port, else 22 */
	struct bastion bastion;
	struct string_list host_keys; /* "ssh-ed25519 AAAA...", as pinned; sorted by algorithm */
	const char *providerid;   /* facts.providerid, or NULL */
	bool names_in_hosts;      /* facts.names is "hosts": its /etc/hosts is to have the names of the cluster's nodes */
};

struct task {
	struct arena arena;
	jv source; /* owned: the whole record */
	jv handed; /* owned: what the plugin reads in its place; invalid: the record itself */

	const char *job, *id;  /* job may be NULL */
	int64_t attempt;
	enum action action;
	const char *service;   /* NULL for a hardware action */
	const char *type;      /* the plugin's name */
	jv fields;             /* borrowed: what parametrises its plugin; an object, or invalid. For an automator the fields of the
	                        * service's action, for a provider the "provisioner" object of its entity */
	int64_t timeout_s;
	const char *scripts;   /* the digest under which the scripts to use were kept; NULL: those of today */
	const char *archive;   /* the id of what a restore puts back; or NULL */
	const char *log;       /* path, or NULL */
	const char *token;     /* "JOB:TASK" */
	const char *nodes;     /* path of the list of all nodes, or NULL */

	const char *cluster, *cluster_id; /* any may be NULL */
	const char *catalogue;
	const char *installation; /* the id by which a provider tells our machines from those of others; NULL: there is no store */
	jv config;             /* borrowed: expanded; invalid where absent */
	jv unexpanded;         /* borrowed: [{"pointer","text"}]; invalid where absent */
	struct string_list secrets; /* JSON pointers into the record: where the values of secrets are */
	jv provider;           /* borrowed: the whole entity; invalid where absent */
	struct machine machine;
};

/* Reads the one take record on fd to its end. 0, or -1: EX_NOINPUT where there is none, EX_DATAERR for more
 * than one or another kind. What is wrong inside it goes to problems. The task is to be released in any
 * case. */
int task_read(int fd, const char *name, struct task *task, struct problems *problems, struct error *err);
void task_release(struct task *task);

/* Does the same with a record that was read already. */
int task_take(jv record, const char *name, struct task *task, struct problems *problems, struct error *err);

/* Fills machine from a node record, as a plugin knows it; strings live in the arena. */
void machine_parse(const struct place *node, struct arena *arena, struct machine *machine);

/* Returns whether the value of a secret stands at the pointer, or below it. */
bool task_has_secret(const struct task *task, const char *pointer);

/* Frees the record, which is most of it, and all values that are borrowed from it; the strings stay. */
void task_release_record(struct task *task);

/* Returns the folder of the plugin that does such tasks: "provider" or "automator". */
const char *task_plugin_kind(enum action action);

#endif
