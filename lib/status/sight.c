/* SPDX-License-Identifier: Apache-2.0 */
#include "status/sight.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "history/show.h"
#include "json/record.h"
#include "operation/operate.h"
#include "status/standing.h"

enum sight_format
sight_format(const struct command *command, const struct sight_options *options, int count)
{
	static const char *const names[] = {"table", "json", "wide", "name"};
	const char *colour = options->colour;

	if (colour && strcmp(colour, "auto") != 0 && strcmp(colour, "always") != 0 && strcmp(colour, "never") != 0)
		exit(option_misuse(command, "--color: auto, always or never, not '%s'", colour));
	if (!options->format)
		return isatty(STDOUT_FILENO) ? SIGHT_TABLE : SIGHT_JSON;
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], options->format) == 0)
			return (enum sight_format)i;
	exit(option_misuse(command, "there is no format '%s'", options->format));
}

static struct account_ask
sight_ask_of(const struct sight_options *options)
{
	return (struct account_ask){.store = options->store, .tenant = options->tenant, .user = options->user};
}

int
sight_account(struct account *account, const struct sight_options *options, struct error *err)
{
	const struct account_ask ask = sight_ask_of(options);
	char *path = location_store(options->store);
	int result = account_open(account, &ask, STORE_READ, err);

	if (result < 0 && err->code == EX_NOINPUT && !options->store && access(path, F_OK) < 0)
		result = -2;
	free(path);
	return result == -2 ? 0 : result < 0 ? -1 : 1;
}

struct queue *
sight_queue(const struct sight_options *options)
{
	struct error ignored; /* then nothing is known of any job, which is said where it matters */
	char *path = location_spool(options->spool);
	struct queue *queue = queue_open(path, QUEUE_READ, &ignored);

	free(path);
	return queue;
}

static int
sight_look(struct sight *sight, const char *cluster, struct error *err)
{
	struct error unknown;

	cluster_list_release(&sight->clusters);
	operation_list_release(&sight->operations);
	sight->last = NULL;
	if (clusters_find(&sight->account, cluster, &sight->clusters, err) < 0 ||
	    operation_last(&sight->account, sight->clusters.list[0].id, &sight->operations, err) < 0)
		return -1;
	sight->cluster = &sight->clusters.list[0];
	cluster_id_text(sight->cluster->id, sight->id);
	if (sight->operations.count)
		sight->last = &sight->operations.list[0];
	sight->under_way = sight->last && sight->last->status < OPERATION_COMPLETE;
	sight->has_job = sight->last && sight->queue && queue_look(sight->queue, sight->last->job, &sight->job,
	    &unknown) == 0;
	return 0;
}

/* Who cannot settle, because another does or because they may only read, sees what was there before. */
static void
sight_settle(const struct sight *sight)
{
	const struct manner manner = {.ask = sight_ask_of(sight->options), .drive = {sight->options->spool, 1,
	    message_notice}};
	struct error ignored;
	struct site site;

	site_open(&site, &manner, sight->id, &ignored);
	site_release(&site);
}

int
sight_again(struct sight *sight, struct error *err)
{
	char id[CLUSTER_ID_SIZE];

	memcpy(id, sight->id, sizeof id);
	if (sight_look(sight, id, err) < 0)
		return -1;
	if (!sight->under_way || !sight->has_job || !queue_is_finished(sight->job.status))
		return 0;
	sight_settle(sight);
	return sight_look(sight, id, err);
}

int
sight_open(struct sight *sight, const struct sight_options *options, const char *cluster, struct error *err)
{
	int found;

	*sight = (struct sight){.options = options};
	found = sight_account(&sight->account, options, err);
	if (found <= 0)
		return found < 0 ? -1 : error_set(err, EX_NO, "there is no cluster %s, nor any other yet", cluster);
	sight->queue = sight_queue(options);
	return sight_look(sight, cluster, err) < 0 ? -1 : sight_again(sight, err);
}

struct standing
sight_standing(const struct sight *sight)
{
	struct standing standing = {.cluster = sight->cluster};
	struct error ignored; /* then it is not known that nobody works on it */
	size_t all, fit;

	if (!sight->under_way)
		return standing;
	standing.operation = sight->last;
	if (!sight->has_job)
		return standing;
	standing.job = &sight->job;
	standing.idle = sight->job.status == QUEUE_RUNNING &&
	    queue_workers(sight->queue, &sight->job, &all, &fit, &ignored) == 0 && fit == 0;
	return standing;
}

int
sight_read(const char *text, struct layout *layout, struct error *err)
{
	struct problems problems = {0};
	struct record_reader reader;
	int fd = memfd_create("layout", MFD_CLOEXEC), result;

	*layout = (struct layout){.cluster = {.source = jv_invalid(), .was_source = jv_invalid(), .config = jv_invalid()}};
	if (!*text) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	if (fd < 0 || file_write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		error_errno(err, EX_OSERR, "a layout in memory");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	record_reader_init(&reader, fd, "the layout");
	result = layout_read(&reader, layout, &problems, err);
	if (result == 0 && problems.total)
		result = error_set(err, EX_DATAERR, "the layout: %s: %s", problems.list[0].pointer, problems.list[0].text);
	problems_release(&problems);
	record_reader_release(&reader);
	close(fd);
	return result;
}

/* Of what is under way the queue knows more than the store; the caller frees it. NULL with a reason. */
static char *
sight_layout_text(struct sight *sight, struct error *err)
{
	struct cluster_documents documents = {0};
	struct buffer text = {0};
	char *recorded;

	if (sight->under_way && sight->has_job && show_layout(sight->queue, sight->last->job, &text, err) == 0 && text.data)
		return buffer_take(&text);
	buffer_release(&text);
	if (clusters_documents(&sight->account, sight->cluster->id, &documents, err) < 0)
		return NULL;
	recorded = documents.layout;
	documents.layout = NULL;
	cluster_documents_release(&documents);
	return recorded;
}

int
sight_layout(struct sight *sight, struct error *err)
{
	sight->text = sight_layout_text(sight, err);
	return sight->text ? sight_read(sight->text, &sight->layout, err) : -1;
}

void
sight_release(struct sight *sight)
{
	if (sight->text)
		layout_release(&sight->layout);
	free(sight->text);
	queue_close(sight->queue);
	operation_list_release(&sight->operations);
	cluster_list_release(&sight->clusters);
	account_release(&sight->account);
}
