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

enum {
	LINE_BYTES = 64 * 1024, /* a longer one is printed in parts */
	SSH_FAILED = 255,       /* ssh(1): it was ssh that failed, not the command */
};

struct place_of_work { /* a node that the command runs on */
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
	struct place_of_work *list;
	size_t count, begun;
	int width;  /* of the widest name */
	int worst, signal;
};

static void
everywhere_print_line(const struct run *run, const struct place_of_work *place, FILE *out, char *line)
{
	bool colour = run->what->colour && out == stdout;

	if (run->what->quiet)
		return;
	printable(line);
	fprintf(out, "%s%-*s%s | %s\n", colour ? "\033[1m" : "", run->width, place->name, colour ? "\033[0m" : "", line);
}

/* Prints the lines that are whole, and at the end the rest. */
static void
everywhere_print_lines(const struct run *run, const struct place_of_work *place, struct buffer *text, FILE *out,
    bool over)
{
	char *start = text->data, *rest = start ? start + text->length : NULL, *end, *line;

	while (start < rest) {
		end = memchr(start, '\n', (size_t)(rest - start));
		if (!end && !over && rest - start < LINE_BYTES)
			break;
		line = memory_substring(start, (size_t)((end ? end : rest) - start));
		everywhere_print_line(run, place, out, line);
		free(line);
		start = end ? end + 1 : rest;
	}
	if (text->data)
		buffer_drop(text, (size_t)(start - text->data));
	fflush(out);
}

static void
everywhere_hear(const struct run *run, struct place_of_work *place, bool over)
{
	everywhere_print_lines(run, place, &place->child.out, stdout, over);
	everywhere_print_lines(run, place, &place->child.err, stderr, over);
}

static void
everywhere_count_in(struct run *run, int code)
{
	if (code > run->worst)
		run->worst = code;
}

static void
everywhere_fail(struct run *run, const struct place_of_work *place, const struct error *err)
{
	message("%s: %s", place->name, err->text);
	everywhere_count_in(run, SSH_FAILED);
}

/* Starts the command on a node; tells of a node that cannot be tried, and the others go on. */
static void
everywhere_begin(struct run *run, struct place_of_work *place)
{
	struct error err;

	if (login_machine(place->node, &place->arena, &place->machine, &err) < 0 ||
	    ssh_prepare(&place->machine, &place->ssh, &err) < 0) {
		everywhere_fail(run, place, &err);
		return;
	}
	ssh_address(&place->machine, &place->ssh);
	login_words(run->what->words, &place->ssh.argv);
	place->child = (struct child){.argv = place->ssh.argv.list, .out_limit = 2 * LINE_BYTES, .tell_out = true,
	    .gather_err = true, .die_with_us = true, .owner = place};
	if (supervise_start(&run->supervisor, &place->child, &err) < 0)
		everywhere_fail(run, place, &err);
}

static void
everywhere_end(struct run *run, struct place_of_work *place)
{
	int code = process_exit_code(place->child.wait_status);

	everywhere_hear(run, place, true);
	everywhere_count_in(run, code);
	if (code && !run->signal && !run->what->quiet)
		message("%s: exit code %d", place->name, code);
	child_release(&place->child);
	ssh_release(&place->ssh);
	place->ssh = (struct ssh){0};
}

static void
everywhere_stop_all(struct run *run)
{
	for (size_t i = 0; i < run->begun; i++)
		if (run->list[i].child.pid && run->list[i].ssh.argv.count)
			supervise_stop(&run->supervisor, &run->list[i].child);
}

static void
everywhere_see_through(struct run *run)
{
	struct child *child;

	for (;;) {
		while (!run->signal && run->begun < run->count && run->supervisor.count < run->what->at_once)
			everywhere_begin(run, &run->list[run->begun++]);
		if (run->supervisor.count == 0)
			return;
		switch (supervise_next(&run->supervisor, -1, &child)) {
		case SUPERVISE_OUTPUT:
			everywhere_hear(run, child->owner, false);
			break;
		case SUPERVISE_ENDED:
			everywhere_end(run, child->owner);
			break;
		case SUPERVISE_SIGNAL:
			run->signal = run->supervisor.signal;
			everywhere_stop_all(run);
			break;
		default:
			break;
		}
	}
}

static int
everywhere_run_all(struct run *run, struct error *err)
{
	if (supervise_init(&run->supervisor, err) < 0)
		return -1;
	everywhere_see_through(run);
	supervise_release(&run->supervisor);
	return run->signal ? 128 + run->signal : run->worst;
}

/* Finds the nodes that are meant and exist. */
static void
everywhere_gather(struct run *run)
{
	const struct layout *layout = run->what->layout;

	run->list = memory_zeroed(layout->node_count, sizeof *run->list);
	for (size_t i = 0; i < layout->node_count; i++) {
		struct place_of_work *place = &run->list[run->count];

		if (!target_has(run->what->target, &layout->nodes[i]) || layout->nodes[i].is_new)
			continue;
		place->node = &layout->nodes[i];
		place->name = login_name(place->node, &place->arena);
		if ((int)strlen(place->name) > run->width)
			run->width = (int)strlen(place->name);
		run->count++;
	}
}

static int
everywhere_show_all(const struct run *run)
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

	if (!target_first(what->target, what->layout, err))
		return -1;
	everywhere_gather(&run);
	if (run.count == 0)
		error_set(err, EX_NO, "%s: none of these nodes is there yet", what->target->cluster);
	else
		result = what->dry ? everywhere_show_all(&run) : everywhere_run_all(&run, err);
	for (size_t i = 0; i < what->layout->node_count; i++) {
		ssh_release(&run.list[i].ssh);
		arena_release(&run.list[i].arena);
	}
	free(run.list);
	return result;
}
