/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/create.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/chain.h"
#include "cluster/folder.h"
#include "cluster/known-hosts.h"
#include "cluster/stage.h"
#include "exec/words.h"
#include "json/json.h"

/* What id stands for while nothing is made: the answer would be the same for any. */
static const char preview_id[] = "00000000";

static void
request_arguments(const struct create *create, const char *id, struct arguments *arguments)
{
	stage_command(arguments, "coopr-request");
	for (size_t i = 0; i < create->request->count; i++)
		arguments_push(arguments, create->request->list[i]);
	arguments_printf(arguments, "--name=%s", create->name);
	arguments_printf(arguments, "--id=%s", id);
}

/* The id that an earlier run has given the cluster, else a new one; the caller frees it. */
static char *
cluster_id(const struct folder *folder, struct error *err)
{
	char *path = folder_path(folder, "request.json"), *id = NULL;
	jv request, cluster;

	if (folder_has(folder, "request.json") && json_read_file(path, &request, err) == 0) {
		cluster = json_get(request, "cluster");
		id = json_get_string(cluster, "id");
		jv_free(cluster);
		jv_free(request);
	}
	free(path);
	return id ? id : folder_next_id(err);
}

static int
run_stage(const char *program, const struct folder *folder, const char *input, const char *output, struct error *err)
{
	struct arguments arguments = {0};
	int result;

	stage_command(&arguments, program);
	result = stage_run(&arguments, folder, input, output, err);
	arguments_release(&arguments);
	return result;
}

static int
make_plan(const struct create *create, const struct folder *folder, struct error *err)
{
	struct arguments arguments = {0};
	char *id = cluster_id(folder, err);
	int result;

	if (!id)
		return -1;
	request_arguments(create, id, &arguments);
	result = stage_run(&arguments, folder, NULL, "request.json", err);
	arguments_release(&arguments);
	free(id);
	if (result == 0)
		result = run_stage("coopr-solve", folder, "request.json", "layout.ndjson", err);
	if (result == 0)
		result = run_stage("coopr-plan", folder, "layout.ndjson", "plan.ndjson", err);
	return result;
}

/* The wish as the command that would repeat it; the caller frees it. */
static char *
command_line(const struct create *create)
{
	struct buffer line = {0};

	buffer_printf(&line, "coopr create %s", create->name);
	for (size_t i = 0; i < create->request->count; i++) {
		buffer_byte(&line, ' ');
		words_quote(create->request->list[i], strlen(create->request->list[i]), &line);
	}
	return buffer_take(&line);
}

/* Whether the cluster that is half made is the one that is wished for. */
static int
check_same_wish(const struct create *create, const struct folder *folder, struct error *err)
{
	char *before = folder_line(folder, "command", err), *now = command_line(create);
	int result = before ? 0 : -1;

	if (before && strcmp(before, now) != 0)
		result = error_set(err, EX_NO, "%s: half made by another command, %s/command; go on with that, or: coopr delete %s",
		    folder->name, folder->path, folder->name);
	free(before);
	free(now);
	return result;
}

static int
keep_wish(const struct create *create, const struct folder *folder, struct error *err)
{
	char *line = command_line(create), *text = memory_printf("%s\n", line);
	int result = file_replace(folder->fd, "command", text, strlen(text), 0600, err);

	free(text);
	free(line);
	return result;
}

/* The job that makes the cluster: an earlier run's where it has put one. The caller frees it; NULL with a reason. */
static char *
find_or_put(const struct create *create, const struct chain *chain, const struct folder *folder, struct error *err)
{
	char *job = NULL;

	if (chain_find_job(chain, folder, &job, err) < 0)
		return NULL;
	if (job && (check_same_wish(create, folder, err) < 0 || chain_resume(chain, job, err) < 0)) {
		free(job);
		return NULL;
	}
	if (job)
		return job;
	if (make_plan(create, folder, err) < 0 || keep_wish(create, folder, err) < 0 ||
	    chain_put(chain, folder, &job, err) < 0)
		return NULL;
	return job;
}

/* Keeps what was made. That cluster.ndjson is there says that all is made, so it comes last. */
static int
keep(const struct chain *chain, const struct folder *folder, const char *job, struct pace *pace, struct error *err)
{
	char *plan = folder_path(folder, "plan.ndjson"), *events = folder_path(folder, "events.ndjson");
	int result = chain_keep(chain, folder, job, "--events", "events.ndjson", err);

	if (result == 0)
		result = pace_measure(plan, events, pace, err);
	if (result == 0)
		result = chain_keep(chain, folder, job, "--layout", "cluster.made", err);
	if (result == 0)
		result = known_hosts_keep(folder, "cluster.made", err);
	if (result == 0 && renameat(folder->fd, "cluster.made", folder->fd, "cluster.ndjson") < 0)
		result = error_errno(err, EX_IOERR, "%s/cluster.ndjson", folder->path);
	free(events);
	free(plan);
	return result;
}

static int
make(const struct create *create, const struct folder *folder, struct made *made, struct error *err)
{
	const struct chain chain = {"", "cluster_create", create->drive};
	char *job = find_or_put(create, &chain, folder, err);
	int result = job ? chain_follow(&chain, folder, job, err) : -1;

	if (result == 0)
		result = keep(&chain, folder, job, &made->pace, err);
	if (result == 0)
		made->layout = folder_path(folder, "cluster.ndjson");
	free(job);
	return result;
}

int
create_cluster(const struct create *create, struct made *made, struct error *err)
{
	struct folder folder;
	int result = -1;

	*made = (struct made){0};
	if (folder_open(&folder, create->name, FOLDER_MAKE, err) < 0)
		return -1;
	if (folder_has(&folder, "delete-plan.ndjson"))
		error_set(err, EX_NO, "%s: half deleted; go on with it: coopr delete %s", create->name, create->name);
	else if (folder_has(&folder, "cluster.ndjson"))
		error_set(err, EX_NO, "%s: exists already: coopr-show %s/cluster.ndjson; to make it anew: coopr delete %s",
		    create->name, folder.path, create->name);
	else
		result = make(create, &folder, made, err);
	rmdir(folder.path); /* where not even a request came about, there is nothing to keep */
	folder_close(&folder);
	return result;
}

static int
pass(const char *program, const struct buffer *input, struct buffer *output, struct error *err)
{
	struct arguments arguments = {0};
	int result;

	stage_command(&arguments, program);
	result = stage_run_in_memory(&arguments, input, output, err);
	arguments_release(&arguments);
	return result;
}

/* A file in memory, to be read from its start, with what buffer holds; -1 with a reason. */
static int
file_of(const struct buffer *buffer, struct error *err)
{
	int fd = memfd_create("coopr-preview", MFD_CLOEXEC);

	if (fd >= 0 && file_write_all(fd, buffer->data, buffer->length) == 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	error_errno(err, EX_OSERR, "a file in memory");
	if (fd >= 0)
		close(fd);
	return -1;
}

int
create_preview(const struct create *create, struct error *err)
{
	struct arguments arguments = {0};
	struct buffer request = {0}, layout = {0}, plan = {0};
	int result, fd = -1;

	request_arguments(create, preview_id, &arguments);
	result = stage_run_in_memory(&arguments, NULL, &request, err);
	if (result == 0)
		result = pass("coopr-solve", &request, &layout, err);
	if (result == 0)
		result = pass("coopr-plan", &layout, &plan, err);
	if (result == 0)
		fd = file_of(&plan, err);
	arguments_release(&arguments);
	buffer_release(&request);
	buffer_release(&layout);
	buffer_release(&plan);
	return fd;
}
