/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in force around programs that read what others have written: a Landlock domain and a filter of system calls, for the
 * program itself and for all that it will ever start. The table in coopr-security(7) says who has which. Where the kernel has
 * neither, and under sanitizers and valgrind, which do more than the program does, nothing is in force and nothing is said.
 */
#ifndef CONFINE_CONFINE_H
#define CONFINE_CONFINE_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/process.h"
#include "confine/calls.h"

/* Confines this process, which from now on reads only these files (as operands: "-" and NULL are standard input, which is open), writes
 * to none, starts no program and has no network. Where somebody has asked a server for what it does, it has the bounds of a request, too: an operation that
 * has begun it has none. */
void confine_filter(const char *const *files, size_t count);

/* Confines this process, which talks to a server: it reads what the C library and TLS need, starts no program, and changes nothing, but
 * files in a folder for temporary ones (NULL: none). */
void confine_client(const char *temporary);

/* Confines this process, which makes files of what others have written: it reads these files (NULL: none) and what the C library needs, and
 * changes what is at these paths, or what is nearest above them where that is not there yet; it starts no program and has no network. */
void confine_restorer(const char *const *reads, size_t read_count, const char *const *changes, size_t change_count);

/* The bounds of a request to a server. */
enum { CONFINE_ASKED_MEMORY = 2047 << 20, CONFINE_ASKED_SECONDS = 120 };

/* Bounds the memory that this process takes, and the seconds of a processor, at the end of which it is killed. Bounds that are narrower stay. */
void confine_bounds(size_t bytes, unsigned seconds);

/* Bounds another process in the same way, which we have just started. */
void confine_bound_process(pid_t pid, size_t bytes, unsigned seconds);

/* Confines this process, which reads what is open at reads, changes the folder that is open at changes, starts no program, and has no
 * network. */
void confine_unpacker(int reads, int changes);

enum confine_want {
	CONFINE_HOST = 1,      /* reads and runs whatever its user may, but nothing that coopr keeps */
	CONFINE_TEMPORARY = 2, /* changes files in folders for temporary ones */
	CONFINE_LOGIN = 4,     /* logs in to machines: coopr's own keys, and those that are in memory for a task */
	CONFINE_STREAM = 8,    /* does the tasks of many jobs, and appends to their logs */
	CONFINE_WHOLE = 16,    /* is not confined */
	CONFINE_KEYS = 32,     /* reads keys that are in memory for a task */
};

/* The surroundings of a plugin, each member optional. */
struct confine_plugin {
	unsigned wants;
	const char *const *state; /* folders in the state folder that it changes, up to NULL */
	const char *changes;      /* a folder that it changes */
	const char *reads[3];     /* files or folders of coopr's that it reads */
};

/* Confines this process, a plugin of the installation. */
void confine_as_plugin(const struct confine_plugin *plugin);

struct confined { /* how a child is started */
	struct confinement confinement;
	struct calls calls;
	struct sock_fprog program;
};

/* Prepares the start of the plugin at path, as "/home/me/plugins/provider/ec2", by the settings: [plugin ec2]. Plugins of the
 * installation confine themselves. plugin is NULL where it is only asked what it is (describe). Returns what struct process and struct
 * child take: NULL where nothing is to be in force. */
const struct confinement *confine_start(struct confined *confined, const char *path, const struct confine_plugin *plugin);
void confine_release(struct confined *confined);

/* Prepares the start of a program that the installation's plugin of that name runs here for a task, and whose work others than coopr describe: it
 * reads and runs what its user may, but of what coopr keeps only these files (NULL: none); changes the folder and memory that programs share by
 * name; has what the section [plugin NAME] says; and has the network, but no socket of this host. Returns as confine_start does. */
const struct confinement *confine_program(struct confined *confined, const char *name, const char *changes, const char *const *reads, size_t count);

/* Does process_run with the plugin argv[0], which is only asked what it is. */
int confine_run(char *const *argv, struct buffer *out, struct buffer *log, size_t limit, struct error *err);

/* Returns whether the plugin at path would be confined by confine_start. */
bool confine_is_for(const char *path);

/* Tells what the kernel has: the version of Landlock, 0 for none, and whether it filters system calls. */
void confine_available(int *landlock, bool *filters);

#endif
