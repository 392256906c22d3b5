/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-events: shows what has happened in an operation on a cluster, or happens: becomes a coopr-queue watch of its
 * job, or shows the events that the store keeps once the job has left the queue. Exits with 0; 1 where there is no such
 * cluster or operation, or the operation that was followed is not complete; 64 on misuse.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/message.h"
#include "base/process.h"
#include "cluster/operation-files.h"
#include "operation/front.h"
#include "operation/run-command.h"
#include "queue/read.h"
#include "status/status.h"

static struct status_options places;
static bool follow;
static long number;

static const struct option_spec options[] = {
	OPTION_FLAG('f', "follow", &follow, "follow until the operation is over (exit code 1: it failed)"),
	OPTION_NUMBER(0, "operation", &number, "N", "operation N of coopr history (default: the last)"),
	STATUS_PLACES(&places),
	STATUS_FORMATS(&places, OUTPUT_LIST),
	OPTION_END
};

static const struct command command = {
	"coopr-events", "[OPTION]... CLUSTER", "Show the events of an operation on a cluster.", options,
	"  coopr-events shop\n"
	"  coopr-events -f shop\n"
	"  coopr-events --operation 1 -o json shop\n"};

/* The format is NULL where people read it. */
static void
events_watch(const char *job, const char *format, struct arguments *argv)
{
	run_command_init(argv, "coopr-queue");
	arguments_push(argv, "watch");
	arguments_push(argv, "--since=start");
	if (!follow)
		arguments_push(argv, "--no-follow");
	if (places.spool)
		arguments_printf(argv, "--spool=%s", places.spool);
	arguments_printf(argv, "--output=%s", format ? format : "text");
	if (places.colour)
		arguments_printf(argv, "--color=%s", places.colour);
	arguments_push(argv, job);
}

/* Makes the events that the store keeps of an operation standard input of the command that shows them. */
static int
events_show_kept(const struct cluster_status *status, const struct operation *operation, const char *format,
    struct arguments *argv, struct error *err)
{
	struct buffer text = {0};
	int got = operation_file_get(status->account.store, operation->cluster, operation->number, "events.ndjson", &text, err);
	int fd;

	fd = got > 0 ? memfd_create("events", MFD_CLOEXEC) : -1;
	run_command_init(argv, "coopr-show");
	arguments_printf(argv, "--output=%s", format ? format : "table");
	if (places.colour)
		arguments_printf(argv, "--color=%s", places.colour);
	if (got == 0)
		error_set(err, EX_NO, "%s: job %s: it has left the queue, and the store keeps no events of it", status->cluster->name, operation->job);
	else if (got > 0 && (fd < 0 || file_write_all(fd, text.data, text.length) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    dup2(fd, STDIN_FILENO) < 0))
		got = error_errno(err, EX_OSERR, "the events of job %s", operation->job);
	if (fd >= 0)
		close(fd);
	buffer_release(&text);
	return got > 0 ? 0 : -1;
}

/* Makes the command that shows the events of an operation. */
static int
events_prepare(struct cluster_status *status, const char *cluster, const char *format, struct arguments *argv,
    struct error *err)
{
	const struct operation *operation;
	struct queue_job known;
	struct error ignored;

	if (status_open(status, &places, cluster, err) < 0)
		return -1;
	operation = status->last;
	if (number && operation_find(&status->account, status->cluster->id, number, &status->operations, err) < 0)
		return -1;
	if (number)
		operation = &status->operations.list[status->operations.count - 1];
	if (!operation || !operation->job)
		return error_set(err, EX_NO, "%s: the operation was done at once, without a job", status->cluster->name);
	if (!status->queue || queue_status_of(status->queue, operation->job, &known, &ignored) < 0)
		return events_show_kept(status, operation, format, argv, err);
	events_watch(operation->job, format, argv);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *cluster = front_cluster(&command, argv + option_parse(&command, argc, argv));
	const struct output output = output_open(places.format, places.colour);
	struct arguments words = {0};
	struct cluster_status status = {0};
	struct error err;
	int result = events_prepare(&status, cluster, output_is_records(&output) ? places.format : NULL, &words, &err);

	status_release(&status);
	if (result == 0) {
		execv(words.list[0], words.list);
		error_errno(&err, EX_UNAVAILABLE, "%s: cannot be run", words.list[0]);
	}
	arguments_release(&words);
	return message_error(&err);
}
