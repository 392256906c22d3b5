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
#include "model/name.h"
#include "operation/front.h"
#include "operation/run-command.h"
#include "operation/target.h"
#include "queue/read.h"
#include "show/kept-events.h"
#include "status/status.h"

static struct status_options places;
static struct target_options chosen;
static bool follow;
static long number;

static const struct option_spec options[] = {
	OPTION_FLAG('f', "follow", &follow, "follow until the operation is over (exit code 1: it failed)"),
	OPTION_NUMBER(0, "operation", &number, "N", "operation N of coopr history (default: the last)"),
	TARGET_OPTIONS(&chosen),
	STATUS_PLACES(&places),
	STATUS_FORMATS(&places, OUTPUT_LIST),
	OPTION_END
};

static const struct command command = {
	"coopr-events", "[OPTION]... CLUSTER[/NODE|/@SERVICE][/SERVICE]", "Show the events of an operation on a cluster.", options,
	"  coopr-events shop\n"
	"  coopr-events -f shop\n"
	"  coopr-events shop/1000\n"
	"  coopr-events --operation 1 -o json shop\n"};

struct events_wanted {
	const struct target *target;
	const char *format;       /* NULL where people read it */
	struct arena arena;
	struct string_list nodes; /* their ids, where the target is not the whole cluster */
};

/* Adds the nodes of a layout that are meant, each once. Without layout there are none. */
static int
events_add_nodes(struct events_wanted *wanted, const char *text, struct error *err)
{
	struct layout layout = {0};
	struct string_list *nodes = &wanted->nodes, all = *nodes;
	int result = text ? layout_parse_text(text, &layout, err) : 0;

	all.list = arena_alloc(&wanted->arena, all.count + layout.node_count, sizeof *all.list);
	for (size_t i = 0; i < nodes->count; i++)
		all.list[i] = nodes->list[i];
	for (size_t i = 0; i < layout.node_count; i++)
		if (target_has(wanted->target, &layout.nodes[i]) && !name_list_has(nodes, layout.nodes[i].id))
			all.list[all.count++] = arena_string(&wanted->arena, layout.nodes[i].id);
	*nodes = all;
	/* The message says which name names none. */
	if (result == 0 && nodes->count == 0 && layout.node_count > 0)
		target_first(wanted->target, &layout, err);
	layout_release(&layout);
	return result;
}

/* Finds the nodes of the target among those before and after an operation. */
static int
events_find_nodes(struct cluster_status *status, const struct operation *operation, struct events_wanted *wanted,
    struct error *err)
{
	struct operation_documents documents = {0};
	int result;

	if (target_is_whole(wanted->target))
		return 0;
	error_set(err, EX_NO, "%s: the operation had no nodes", status->cluster->name);
	result = operation_documents(&status->account, operation->cluster, operation->number, &documents, err);
	if (result == 0)
		result = events_add_nodes(wanted, documents.before, err);
	if (result == 0)
		result = events_add_nodes(wanted, documents.wanted, err);
	operation_documents_release(&documents);
	return result < 0 || wanted->nodes.count == 0 ? -1 : 0;
}

static void
events_watch(const char *job, const struct events_wanted *wanted, struct arguments *argv)
{
	run_command_init(argv, "coopr-queue");
	arguments_push(argv, "watch");
	arguments_push(argv, "--since=start");
	if (!follow)
		arguments_push(argv, "--no-follow");
	if (places.spool)
		arguments_printf(argv, "--spool=%s", places.spool);
	arguments_printf(argv, "--output=%s", wanted->format ? wanted->format : "text");
	if (places.colour)
		arguments_printf(argv, "--color=%s", places.colour);
	for (size_t i = 0; i < wanted->nodes.count; i++)
		arguments_printf(argv, "--node=%s", wanted->nodes.list[i]);
	if (wanted->target->service)
		arguments_printf(argv, "--service=%s", wanted->target->service);
	arguments_push(argv, job);
}

/* Reads the events that the store keeps of an operation: 1, 0 where there are none, -1. */
static int
events_read_kept(const struct cluster_status *status, const struct operation *operation, const struct events_wanted *wanted,
    struct buffer *events, struct error *err)
{
	struct store *store = status->account.store;
	struct buffer plan = {0};
	int got = operation_file_get(store, operation->cluster, operation->number, "events.ndjson", events, err);

	if (got > 0 && !target_is_whole(wanted->target)) {
		got = operation_file_get(store, operation->cluster, operation->number, "plan.ndjson", &plan, err);
		if (got > 0 && kept_events_narrow(events, &plan, &wanted->nodes, wanted->target->service, err) < 0)
			got = -1;
	}
	buffer_release(&plan);
	return got;
}

/* Makes the events that the store keeps of an operation standard input of the command that shows them. */
static int
events_show_kept(const struct cluster_status *status, const struct operation *operation, const struct events_wanted *wanted,
    struct arguments *argv, struct error *err)
{
	struct buffer text = {0};
	int got = events_read_kept(status, operation, wanted, &text, err);
	int fd;

	fd = got > 0 ? memfd_create("events", MFD_CLOEXEC) : -1;
	run_command_init(argv, "coopr-show");
	arguments_printf(argv, "--output=%s", wanted->format ? wanted->format : "table");
	if (places.colour)
		arguments_printf(argv, "--color=%s", places.colour);
	if (got == 0)
		error_set(err, EX_NO, "%s: job %s: it was removed from the queue, and the store has no copy of its events", status->cluster->name, operation->job);
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
events_prepare(struct cluster_status *status, struct events_wanted *wanted, struct arguments *argv, struct error *err)
{
	const struct operation *operation;
	struct queue_job known;
	struct error ignored;

	if (status_open(status, &places, wanted->target->cluster, err) < 0)
		return -1;
	operation = status->last;
	if (number && operation_find(&status->account, status->cluster->id, number, &status->operations, err) < 0)
		return -1;
	if (number)
		operation = &status->operations.list[status->operations.count - 1];
	if (!operation || !operation->job)
		return error_set(err, EX_NO, "%s: the operation was done at once, without a job", status->cluster->name);
	if (events_find_nodes(status, operation, wanted, err) < 0)
		return -1;
	if (!status->queue || queue_status_of(status->queue, operation->job, &known, &ignored) < 0)
		return events_show_kept(status, operation, wanted, argv, err);
	events_watch(operation->job, wanted, argv);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *operand = front_cluster(&command, argv + option_parse(&command, argc, argv));
	const struct output output = output_open(places.format, places.colour);
	struct events_wanted wanted = {.format = output_is_records(&output) ? places.format : NULL};
	struct arguments words = {0};
	struct cluster_status status = {0};
	struct target target;
	struct error err;
	int result;

	target_operand(&command, operand, &chosen, &target);
	wanted.target = &target;
	result = events_prepare(&status, &wanted, &words, &err);

	status_release(&status);
	arena_release(&wanted.arena);
	target_release(&target);
	if (result == 0) {
		execv(words.list[0], words.list);
		error_errno(&err, EX_UNAVAILABLE, "%s: cannot be run", words.list[0]);
	}
	arguments_release(&words);
	return message_error(&err);
}
