/* SPDX-License-Identifier: Apache-2.0
 *
 * fsck and gc: taking care of the spool itself.
 */
#include "verb.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/printable.h"
#include "base/process.h"

static const char *spool;
static struct option_change change;
static bool repair, dry;
static long keep_days = QUEUE_KEEP_DAYS, logs_mb = QUEUE_LOGS_MB;

static const struct option_spec fsck_options[] = {
	OPTION_FLAG('r', "repair", &repair, "repair what can be repaired"),
	OPTION_CHANGE(&change),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command fsck_command = {
	"coopr-queue fsck", "[OPTION]... [JOB]...",
	"Check the spool, or some jobs of it; print what is wrong, a line each. Exit code 1 where something was found.",
	fsck_options,
	"  coopr-queue fsck\n"
	"  coopr-queue fsck --repair 00000042-001\n"};

static const struct option_spec gc_options[] = {
	OPTION_NUMBER('k', "keep", &keep_days, "DAYS", "keep finished jobs for this many days (default: 30)"),
	OPTION_NUMBER(0, "logs", &logs_mb, "MB", "keep the newest logs, of all jobs so many megabytes (default: 1024)"),
	OPTION_CHANGE(&change),
	OPTION_FLAG(0, "dry-run", &dry, "only print what would be removed"),
	OPTION_RETIRED('n', NULL, "--dry-run"),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command gc_command = {
	"coopr-queue gc", "[OPTION]...", "Remove finished jobs that are old, and what stopped programs left in tmp/; print their names.",
	gc_options,
	"  coopr-queue gc --keep 7\n"
	"  coopr-queue gc --dry-run\n"};

int
verb_fsck(int argc, char **argv)
{
	struct buffer out = {0};
	struct queue_check check = {.out = &out};
	struct queue *queue;
	struct error err;
	int result = 0, failed = 0, code;

	argv += option_parse(&fsck_command, argc, argv);
	check.repair = repair;
	queue = verb_open(spool, repair ? QUEUE_WRITE : QUEUE_READ);

	if (!argv[0])
		result = queue_check(queue, NULL, &check, &err);
	for (; *argv; argv++)
		if (queue_check(queue, *argv, &check, &err) < 0)
			failed = message_error(&err);

	if (!change.quiet)
		buffer_print(&out);
	code = result < 0 ? message_error(&err) : failed ? failed : check.found > 0 ? EX_NO : 0;
	queue_close(queue);
	return message_end(code);
}

int
verb_gc(int argc, char **argv)
{
	struct arguments gone = {0};
	struct buffer out = {0};
	struct error err;
	struct queue *queue;
	int code = 0;

	argv += option_parse(&gc_command, argc, argv);
	if (argv[0])
		return option_misuse(&gc_command, "it takes no operand, found '%s'; a job is removed when it is finished and older than --keep", argv[0]);
	queue = verb_open(spool, QUEUE_WRITE);

	if (queue_gc(queue, &(struct queue_gc){(int64_t)keep_days * 24 * 60 * 60 * 1000, (uint64_t)logs_mb << 20, dry, NULL}, &gone, &err) < 0)
		code = message_error(&err);

	for (size_t i = 0; i < gone.count; i++) {
		printable_line(gone.list[i], &out);
		buffer_byte(&out, '\n');
	}
	if (!change.quiet)
		buffer_print(&out);
	arguments_release(&gone);
	queue_close(queue);
	return message_end(code);
}
