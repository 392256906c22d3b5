/* SPDX-License-Identifier: Apache-2.0 */
#include "show/everywhere.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/printable.h"
#include "event/supervise.h"
#include "model/layout.h"
#include "operation/target.h"
#include "show/login.h"
#include "ssh/ssh.h"
#include "status/status.h"
#include "worker/login-files.h"

enum {
	LINE_BYTES = 64 * 1024, /* a longer one is printed in parts */
	SSH_FAILED = 255,       /* ssh(1): it was ssh that failed, not the command */
};

struct node_session { /* the command on one node */
	struct arena arena;
	const struct node *node;
	const char *name;
	struct machine machine;
	struct ssh ssh;
	struct child child;
};

struct run {
	const struct everywhere *what;
	struct supervisor supervisor;
	struct login_files logins;
	struct node_session *list;
	size_t count, begun;
	int width;  /* of the widest name */
	int worst, signal;
};

/* Prints the complete lines of text, and the rest too if the command is over. */
static void
everywhere_print_lines(const struct run *run, const struct node_session *session, struct buffer *text, FILE *out,
    bool over)
{
	char *start = text->data, *rest = start ? start + text->length : NULL, *end, *line;
	bool colour = run->what->colour && out == stdout;

	while (start < rest) {
		end = memchr(start, '\n', (size_t)(rest - start));
		if (!end && !over && rest - start < LINE_BYTES)
			break;
		line = memory_substring(start, (size_t)((end ? end : rest) - start));
		printable(line);
		if (!run->what->quiet)
			fprintf(out, "%s%-*s%s | %s\n", colour ? "\033[1m" : "", run->width, session->name, colour ? "\033[0m" : "", line);
		free(line);
		start = end ? end + 1 : rest;
	}
	if (text->data)
		buffer_drop(text, (size_t)(start - text->data));
	fflush(out);
}

static void
everywhere_print_output(const struct run *run, struct node_session *session, bool over)
{
	everywhere_print_lines(run, session, &session->child.out, stdout, over);
	everywhere_print_lines(run, session, &session->child.err, stderr, over);
}

static void
everywhere_count_code(struct run *run, int code)
{
	if (code > run->worst)
		run->worst = code;
}

static void
everywhere_fail(struct run *run, const struct node_session *session, const struct error *err)
{
	message("%s: %s", session->name, err->text);
	everywhere_count_code(run, SSH_FAILED);
}

/* Starts the command on a node. Reports a node that cannot be tried; the others continue. */
static void
everywhere_start(struct run *run, struct node_session *session)
{
	struct error err;

	if (login_machine_to_enter(run->what->status, session->node, &run->logins, &session->arena, &session->machine, &err) < 0 ||
	    ssh_prepare(&session->machine, &session->ssh, &err) < 0) {
		everywhere_fail(run, session, &err);
		return;
	}
	ssh_address(&session->machine, &session->ssh);
	login_words(run->what->words, &session->ssh.argv);
	session->child = (struct child){.argv = session->ssh.argv.list, .out_limit = 2 * LINE_BYTES, .tell_out = 1,
	    .capture_err = true, .die_with_us = true, .owner = session};
	if (supervise_start(&run->supervisor, &session->child, &err) < 0)
		everywhere_fail(run, session, &err);
}

static void
everywhere_end(struct run *run, struct node_session *session)
{
	int code = process_exit_code(session->child.wait_status);

	everywhere_print_output(run, session, true);
	everywhere_count_code(run, code);
	if (code && !run->signal && !run->what->quiet)
		message("%s: exit code %d", session->name, code);
	child_release(&session->child);
	ssh_release(&session->ssh);
	session->ssh = (struct ssh){0};
}

static int
everywhere_run_all(struct run *run, struct error *err)
{
	struct supervisor *supervisor = &run->supervisor;
	struct child *child;

	if (supervise_init(supervisor, err) < 0)
		return -1;
	for (;;) {
		while (!run->signal && run->begun < run->count && supervisor->count < run->what->at_once)
			everywhere_start(run, &run->list[run->begun++]);
		if (supervisor->count == 0)
			break;
		switch (supervise_next(supervisor, -1, &child)) {
		case SUPERVISE_OUTPUT:
			everywhere_print_output(run, child->owner, false);
			break;
		case SUPERVISE_ENDED:
			everywhere_end(run, child->owner);
			break;
		case SUPERVISE_SIGNAL:
			run->signal = supervisor->signal;
			for (size_t i = 0; i < run->begun; i++)
				if (run->list[i].child.pid && run->list[i].ssh.argv.count)
					supervise_stop(supervisor, &run->list[i].child);
			break;
		default:
			break;
		}
	}
	supervise_release(supervisor);
	return run->signal ? 128 + run->signal : run->worst;
}

/* Finds the nodes of the target that exist. */
static void
everywhere_find_nodes(struct run *run)
{
	const struct layout *layout = &run->what->status->layout;

	run->list = memory_zeroed(layout->node_count, sizeof *run->list);
	for (size_t i = 0; i < layout->node_count; i++) {
		struct node_session *session = &run->list[run->count];

		if (!target_has(run->what->target, &layout->nodes[i]) || layout->nodes[i].is_new)
			continue;
		session->node = &layout->nodes[i];
		session->name = login_name(session->node, &session->arena);
		if ((int)strlen(session->name) > run->width)
			run->width = (int)strlen(session->name);
		run->count++;
	}
}

static int
everywhere_print_commands(const struct run *run)
{
	struct arguments words = {0};

	login_words(run->what->words, &words);
	for (size_t i = 0; i < run->count; i++)
		printf("%-*s | %s\n", run->width, run->list[i].name, words.list[0]);
	arguments_release(&words);
	return 0;
}

int
everywhere_run(const struct everywhere *what, struct error *err)
{
	struct run run = {.what = what};
	int result = -1;

	if (account_need_more(&what->status->account, err) < 0 || !target_first(what->target, &what->status->layout, err))
		return -1;
	everywhere_find_nodes(&run);
	if (run.count == 0)
		error_set(err, EX_NO, "%s: none of these nodes is up yet", what->target->cluster);
	else
		result = what->dry ? everywhere_print_commands(&run) : everywhere_run_all(&run, err);
	for (size_t i = 0; i < what->status->layout.node_count; i++) {
		ssh_release(&run.list[i].ssh);
		arena_release(&run.list[i].arena);
	}
	free(run.list);
	login_files_close(&run.logins);
	return result;
}
