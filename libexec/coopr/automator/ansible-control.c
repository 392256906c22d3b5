/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/ansible-control: ansible-playbook on this host, for one node, coopr-automators(7). It enters the node as all tasks do, with the key of its
 * cluster and the pinned host keys, and no other. What it runs are programs of this host, so that only the installation's services have it. As long
 * as it plays, the node is held: what it has begun there ends with this process, or before another attempt begins.
 *
 * Exit code and status: as of automator/ansible; 77 also for a service that a tenant has written.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "automator/automator.h"
#include "automator/hold.h"
#include "automator/playbook.h"
#include "automator/tool.h"
#include "base/file.h"
#include "confine/confine.h"
#include "event/supervise.h"
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
	struct supervisor supervisor;
	struct hold hold;     /* of the node */
	struct child child;   /* what plays */
	bool plays;
	const char *folder;   /* private, with the folder work in it */
	struct tail said;
};

/* --- what is played --- */

/* Prints the program that ansible takes for ssh. It knows the host keys of the node alone, and what it runs there ends with the hold; without a
 * command it is given something with -O to say to a connection. */
static void
control_print_ssh(const struct control *control, struct buffer *text)
{
	struct buffer entry = {0};

	hold_print_entry(&control->hold, &entry);
	buffer_text(text, "#!/bin/sh\nleft=$# entry=");
	shell_words_quote(buffer_string(&entry), text);
	buffer_text(text, "\nfor word; do\n\tshift\n\t[ \"$word\" != -O ] || entry=\n\tleft=$((left - 1))\n"
	    "\t[ $left -gt 0 ] || word=$entry$word\n\tset -- \"$@\" \"$word\"\ndone\nexec");
	for (size_t i = 0; i < control->ssh.argv.count; i++) {
		buffer_byte(text, ' ');
		shell_words_quote(control->ssh.argv.list[i], text);
	}
	buffer_text(text, " \"$@\"\n");
	buffer_release(&entry);
}

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
		control_print_ssh(control, &text);
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
	if (control->task->action == ACTION_BOOTSTRAP)
		return 0;
	return hold_prepare(&control->hold, control->task, err) < 0 ? -1 : control_add_ssh(control, err);
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

/* Passes what it says on to the task's log. */
static void
control_read(struct control *control)
{
	struct buffer *out = &control->child.out;

	if (out->length > 0) {
		file_write_all(STDERR_FILENO, out->data, out->length);
		tail_append(&control->said, out->data, out->length);
		buffer_clear(out);
	}
}

/* Waits until what plays has ended, and the hold with it. */
static void
control_wait(struct control *control, struct error *err)
{
	struct supervisor *supervisor = &control->supervisor;
	struct child *child;

	while (supervisor->count > 0) {
		enum supervise_event event = supervise_next(supervisor, -1, &child);
		bool of_hold = event != SUPERVISE_SIGNAL && child == &control->hold.child;

		if (event == SUPERVISE_SIGNAL)
			error_set(err, EX_TEMPFAIL, "stopped by %s", strsignal(supervisor->signal));
		else if (of_hold)
			hold_child_event(&control->hold, supervisor, event, err);
		else
			control_read(control);
		if (event == SUPERVISE_ENDED && !of_hold)
			control->plays = false;
		if (err->code && control->plays)
			supervise_stop(supervisor, &control->child);
		if (err->code || !control->plays)
			hold_ask(&control->hold, supervisor);
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

/* Starts it. */
static int
control_start(struct control *control, struct error *err)
{
	struct arguments argv = {0}, environment = {0};
	struct confined confined;
	char *folder = memory_printf("%s/work", control->folder);
	int result;

	arguments_push_all(&argv, "/bin/sh", "./ansible.sh", NULL);
	for (size_t i = 0; i < control->work.words.count; i++)
		arguments_push(&argv, control->work.words.list[i]);
	control_set_environment(control, &environment);
	control->child = (struct child){.argv = argv.list, .environment = environment.list, .folder = folder, .hold_input = true, .joined = true,
	    .out_limit = SIZE_MAX, .tell_out = 1, .session = true, .die_with_us = true, .confinement = control_confine(control, &confined)};
	result = supervise_start(&control->supervisor, &control->child, err);
	control->plays = result == 0;
	confine_release(&confined);
	arguments_release(&environment);
	arguments_release(&argv);
	free(folder);
	return result;
}

/* Runs it, while the node is held. Returns its exit code, or -1. */
static int
control_run(struct control *control, struct error *err)
{
	bool holds = control->task->action != ACTION_BOOTSTRAP;

	if ((holds && hold_begin(&control->hold, &control->supervisor, err) < 0) || control_start(control, err) < 0)
		hold_ask(&control->hold, &control->supervisor);
	control_wait(control, err);
	return err->code ? -1 : process_exit_code(control->child.wait_status);
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

	if (supervise_init(&control->supervisor, err) == 0 && control_make_folder(control, err) == 0 && control_prepare(control, err) == 0 && control_write_files(control, err) == 0)
		status = control_run(control, err);
	if (status >= 0)
		control_take_facts(control, outcome);
	last = tail_last_line_with(&control->said, control->work.complaint);
	if (status > 0)
		error_set(err, status, "node %s: ansible %s on this host exited with %d: %s", control->task->machine.id,
		    control->work.args ? control->work.args : "", status, *last ? last : "it printed nothing");
	free(last);
	if (control->folder)
		file_remove_tree(AT_FDCWD, control->folder, &ignored);
}

static void
control_act(const struct task *task, struct outcome *outcome)
{
	struct control control = {.task = task};

	if (!task->machine.id || !task->machine.hostname || !task->machine.address)
		error_set(&outcome->error, EX_DATAERR, "the task names no machine with a name and an address");
	else if (origin_is_tenants(task))
		error_set(&outcome->error, EX_NOPERM, "the automator ansible-control runs programs on this host: only services that a superadmin has stored have it");
	if (outcome->error.code)
		return;
	control_play(&control, outcome);
	supervise_release(&control.supervisor);
	child_release(&control.child);
	hold_release(&control.hold);
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
