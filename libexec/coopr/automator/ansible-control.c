/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/ansible-control: ansible-playbook on this host, for one node, coopr-automators(7). It enters the node as all tasks do, with the key of its
 * cluster and the pinned host keys, and no other. What it runs are programs of this host, so that only the installation's services have it.
 *
 * Exit code and status: as of automator/ansible; 77 also for a service that a tenant has written.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "automator/automator.h"
#include "automator/playbook.h"
#include "automator/tool.h"
#include "base/file.h"
#include "confine/confine.h"
#include "event/tail.h"
#include "exec/plugin.h"
#include "model/take/origin.h"
#include "ssh/payload.h"
#include "ssh/shell-words.h"
#include "ssh/sockets.h"
#include "ssh/ssh.h"

enum { FACTS_BYTES = 1024 * 1024 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator ansible-control\",\"type\":\"object\",\"of\":\"installation\",\"status\":true,"
    "\"required\":[\"playbook\"]," PLAYBOOK_RESOURCES ",\"properties\":{" PLAYBOOK_PROPERTIES("installation") ","
    TOOL_PROPERTIES "}}";

struct control { /* a run */
	const struct task *task;
	struct arena arena;
	struct automator_work work;
	struct ssh ssh;
	const char *folder;   /* private, with the folder work in it */
	struct tail said;
};

static volatile sig_atomic_t stopped;

static void
control_stop(int signal)
{
	stopped = signal;
}

/* --- what is played --- */

/* Adds the program that ansible takes for ssh: it knows the host keys of the node alone. */
static int
control_add_ssh(struct control *control, struct error *err)
{
	const struct machine *machine = &control->task->machine;
	char *known_hosts = memory_printf("%s/work/coopr-known-hosts", control->folder);
	struct buffer text = {0};
	int result = ssh_prepare_by(machine, known_hosts, &control->ssh, err);

	free(known_hosts);
	if (result == 0) {
		ssh_print_known_hosts(machine, &text);
		result = bundle_put(&control->work.bundle, "coopr-known-hosts", BUNDLE_FILE, text.data, text.length, err);
		buffer_clear(&text);
	}
	if (result == 0) {
		buffer_text(&text, "#!/bin/sh\nexec");
		for (size_t i = 0; i < control->ssh.argv.count; i++) {
			buffer_byte(&text, ' ');
			shell_words_quote(control->ssh.argv.list[i], &text);
		}
		buffer_text(&text, " \"$@\"\n");
		result = bundle_put(&control->work.bundle, "coopr-ssh", BUNDLE_PROGRAM, text.data, text.length, err);
	}
	buffer_release(&text);
	return result;
}

static int
control_prepare(struct control *control, struct error *err)
{
	if (playbook_prepare(control->task, true, &control->arena, &control->work, err) < 0)
		return -1;
	return control->task->action == ACTION_BOOTSTRAP ? 0 : control_add_ssh(control, err);
}

/* --- where --- */

static bool
control_is_in_memory(const char *path)
{
	struct statfs system;

	return statfs(path, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

/* Makes the private folder, in memory where the worker's own is: behind a dot, so that it is no socket of a connection. */
static int
control_make_folder(struct control *control, struct error *err)
{
	const char *above = sockets_keep(), *temporary = getenv("TMPDIR");
	char *path, *work, *whole;
	int result = 0;

	above = above ? above : temporary && *temporary ? temporary : "/tmp";
	if (tool_stays_in_memory(control->task) && !control_is_in_memory(above))
		return error_set(err, EX_CONFIG, "%s is not in memory (tmpfs), and secrets are written to no disk; see the field secrets in coopr-automators(7)", above);
	whole = realpath(above, NULL); /* the short name of a long one is of our process, of which what is confined knows nothing */
	path = arena_printf(&control->arena, "%s/.coopr-play.XXXXXX", whole ? whole : above);
	free(whole);
	if (!mkdtemp(path))
		return error_errno(err, EX_CANTCREAT, "%s", path);
	control->folder = path;
	work = memory_printf("%s/work", path);
	if (mkdir(work, 0700) < 0)
		result = error_errno(err, EX_CANTCREAT, "%s", work);
	free(work);
	return result;
}

static int
control_write_files(const struct control *control, struct error *err)
{
	const struct bundle *bundle = &control->work.bundle;
	int result = 0;

	for (size_t i = 0; i < bundle->count && result == 0; i++) {
		const struct bundle_file *file = &bundle->list[i];
		char *path = memory_printf("%s/work/%s", control->folder, file->name);

		if (file->is_folder)
			result = mkdir(path, 0700) < 0 && errno != EEXIST ? error_errno(err, EX_CANTCREAT, "%s", path) : 0;
		else
			result = file_replace(AT_FDCWD, path, file->content.data ? file->content.data : "", file->content.length, file->executable ? 0700 : 0600, err);
		free(path);
	}
	return result;
}

/* --- run --- */

static void
control_add_variable(void *context, const char *name, const char *value)
{
	struct arguments *environment = context;

	arguments_printf(environment, "%s=%s", name, value ? value : "");
}

static void
control_set_environment(const struct control *control, struct arguments *environment)
{
	const char *path = getenv("PATH");

	arguments_printf(environment, "PATH=%s", path ? path : "/usr/local/bin:/usr/bin:/bin");
	arguments_push(environment, "LC_ALL=C.UTF-8");
	arguments_push(environment, "COOPR_CONTROL=yes");
	arguments_printf(environment, "COOPR_DIR=%s/work", control->folder);
	arguments_printf(environment, "HOME=%s", control->folder);
	arguments_printf(environment, "TMPDIR=%s", control->folder);
	payload_each_variable(control->task, control_add_variable, environment);
}

/* Passes what it says on to the task's log, until it says no more. */
static void
control_read(struct control *control, int fd)
{
	char bytes[16384];
	ssize_t length;

	while ((length = read(fd, bytes, sizeof bytes)) > 0 || (length < 0 && errno == EINTR))
		if (length > 0) {
			file_write_all(STDERR_FILENO, bytes, (size_t)length);
			tail_append(&control->said, bytes, (size_t)length);
		}
}

/* Confines what is run: coopr's own are out of its reach, but for the folder and what opens the node. */
static const struct confinement *
control_confine(const struct control *control, struct confined *confined)
{
	const struct machine *machine = &control->task->machine;
	const char *const reads[] = {machine->identityfile, machine->passphrasefile, machine->passwordfile, machine->bastion.identityfile};

	return confine_program(confined, "ansible-control", control->folder, reads, sizeof reads / sizeof *reads);
}

/* Runs it. Returns its exit code, or -1. */
static int
control_run(struct control *control, struct error *err)
{
	struct arguments argv = {0}, environment = {0};
	char *folder = memory_printf("%s/work", control->folder);
	struct confined confined;
	struct process process = {.in = PROCESS_NULL, .folder = folder, .die_with_us = true, .confinement = control_confine(control, &confined)};
	int status = -1, pipe[2], started = -1;

	if (pipe2(pipe, O_CLOEXEC) < 0) {
		confine_release(&confined);
		free(folder);
		return error_errno(err, EX_OSERR, "pipe");
	}
	arguments_push_all(&argv, "/bin/sh", "./ansible.sh", NULL);
	for (size_t i = 0; i < control->work.words.count; i++)
		arguments_push(&argv, control->work.words.list[i]);
	control_set_environment(control, &environment);
	process.argv = argv.list;
	process.environment = environment.list;
	process.out = process.err = pipe[1];
	started = process_start(&process, err);
	close(pipe[1]);
	if (started == 0) {
		control_read(control, pipe[0]);
		status = process_wait(&process, err);
	}
	close(pipe[0]);
	confine_release(&confined);
	arguments_release(&environment);
	arguments_release(&argv);
	free(folder);
	return status;
}

/* Takes the facts that were kept, each "NAME=VALUE" up to a NUL. */
static void
control_take_facts(const struct control *control, struct outcome *outcome)
{
	char *path = memory_printf("%s/facts", control->folder);
	struct buffer text = {0};
	struct error ignored; /* there are none */

	outcome->facts = jv_object();
	if (file_read(AT_FDCWD, path, FACTS_BYTES, &text, &ignored) == 0)
		for (const char *at = buffer_string(&text); at < text.data + text.length; at += strlen(at) + 1) {
			const char *equals = strchr(at, '=');
			char *name = equals ? memory_substring(at, (size_t)(equals - at)) : NULL;

			if (name)
				json_set_string(&outcome->facts, name, equals + 1);
			free(name);
		}
	tool_take_facts(outcome->facts, outcome);
	buffer_release(&text);
	free(path);
}

static void
control_play(struct control *control, struct outcome *outcome)
{
	struct error *err = &outcome->error, ignored;
	int status = -1;
	char *last;

	if (control_make_folder(control, err) == 0 && control_prepare(control, err) == 0 && control_write_files(control, err) == 0)
		status = control_run(control, err);
	if (status >= 0)
		control_take_facts(control, outcome);
	last = tail_last_line_with(&control->said, control->work.complaint);
	if (stopped)
		error_set(err, EX_TEMPFAIL, "stopped by %s", strsignal(stopped));
	else if (status > 0)
		error_set(err, status, "node %s: ansible %s on this host exited with %d: %s", control->task->machine.id,
		    control->work.args ? control->work.args : "", status, *last ? last : "it printed nothing");
	free(last);
	if (control->folder)
		file_remove_tree(AT_FDCWD, control->folder, &ignored);
}

static void
control_act(const struct task *task, struct outcome *outcome)
{
	const struct sigaction action = {.sa_handler = control_stop};
	struct control control = {.task = task};

	if (!task->machine.id || !task->machine.hostname || !task->machine.address)
		error_set(&outcome->error, EX_DATAERR, "the task names no machine with a name and an address");
	else if (origin_is_tenants(task))
		error_set(&outcome->error, EX_NOPERM, "the automator ansible-control runs programs on this host: only services that a superadmin has stored have it");
	if (outcome->error.code)
		return;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	control_play(&control, outcome);
	tail_release(&control.said);
	ssh_release(&control.ssh);
	bundle_release(&control.work.bundle);
	arguments_release(&control.work.words);
	arena_release(&control.arena);
}

int
main(int argc, char **argv)
{
	static const struct plugin plugin = {.name = "automator/ansible-control", .schema = schema, .act = control_act,
	    .wants = CONFINE_WHOLE | CONFINE_LOGIN};

	return plugin_main(&plugin, argc, argv);
}
