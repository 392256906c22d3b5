/* SPDX-License-Identifier: Apache-2.0 */
#include "store/host-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "json/place.h"
#include "store/sql/sql.h"

enum { FILE_BYTES = 1 << 30 };

struct host_files {
	struct sql *db;
	char *folder; /* that is being read */
	struct arena arena;
	struct error *err;
};

/* Brings one file, or folder, of the folder. */
typedef int host_files_one(struct host_files *files, const char *name);

/* The store of this installation is the one whose path is the default. */
static bool
host_files_are_ours(const char *path)
{
	char *ours = location_store(NULL), *a = realpath(ours, NULL), *b = realpath(path, NULL);
	bool same = a && b && strcmp(a, b) == 0;

	free(a);
	free(b);
	free(ours);
	return same;
}

/* Hands all that is in a folder below the current one to each, in the order of names; a folder that is not there is empty. */
static int
host_files_each(struct host_files *files, const char *folder, host_files_one *each)
{
	char *outer = files->folder;
	struct dirent **entries;
	int count, result = 0;

	files->folder = memory_printf("%s/%s", outer, folder);
	count = scandir(files->folder, &entries, NULL, alphasort);
	if (count < 0 && errno != ENOENT && errno != ENOTDIR)
		result = error_errno(files->err, EX_IOERR, "%s", files->folder);
	for (int i = 0; i < count; i++) {
		if (result == 0 && entries[i]->d_name[0] != '.')
			result = each(files, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(files->folder);
	files->folder = outer;
	return result;
}

/* Reads a file of the folder: 1, 0 where there is none, -1. */
static int
host_files_read(struct host_files *files, const char *name, struct buffer *text)
{
	char *path = memory_printf("%s/%s", files->folder, name);
	int result = 0;

	if (file_exists(AT_FDCWD, path))
		result = file_read(AT_FDCWD, path, FILE_BYTES, text, files->err) < 0 ? -1 : 1;
	free(path);
	return result;
}

/* Reads a file that is a JSON object, and has parse bring it. What is wrong with it is said of the file. */
static int
host_files_read_object(struct host_files *files, const char *name,
    int (*parse)(struct host_files *files, const struct place *root))
{
	struct problems problems = {0};
	struct buffer text = {0};
	jv document;
	int result = host_files_read(files, name, &text);

	if (result > 0)
		result = json_parse(name, buffer_string(&text), text.length, &document, files->err);
	if (result == 0 && text.data) {
		struct place root = place_root(document, &problems);

		result = place_object(&root, NEED_REQUIRED) ? parse(files, &root) : 0;
		if (problems.total > 0)
			result = error_set(files->err, EX_DATAERR, "%s: %s", problems.list[0].pointer, problems.list[0].text);
		jv_free(document);
	}
	if (result < 0)
		error_prefix(files->err, "%s/%s: cannot be brought into the store; repair or remove it", files->folder, name);
	problems_release(&problems);
	buffer_release(&text);
	return result;
}

static int
host_files_parse_claim(struct host_files *files, const struct place *root)
{
	const char *machine = place_string(root, "machine", NEED_REQUIRED, &files->arena);
	const char *node = place_string(root, "node", NEED_REQUIRED, &files->arena);

	if (!machine || !node)
		return 0;
	return sql_change(files->db, files->err, "INSERT INTO claim (machine, node, provider, cluster, hostname, at_ms) "
	    "VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING", "ttttt", machine, node,
	    place_string(root, "provider", NEED_OPTIONAL, &files->arena), place_string(root, "cluster", NEED_OPTIONAL, &files->arena),
	    place_string(root, "hostname", NEED_OPTIONAL, &files->arena));
}

static int
host_files_bring_claim(struct host_files *files, const char *name)
{
	size_t length = strlen(name);

	if (length <= 5 || strcmp(name + length - 5, ".json") != 0)
		return 0;
	return host_files_read_object(files, name, host_files_parse_claim);
}

static int
host_files_parse_message(struct host_files *files, const struct place *root)
{
	struct arena *arena = &files->arena;
	const char *id = place_string(root, "id", NEED_REQUIRED, arena), *hook = place_string(root, "hook", NEED_REQUIRED, arena);
	const char *event = place_string(root, "event", NEED_REQUIRED, arena);
	const char *operation = place_string(root, "operation", NEED_REQUIRED, arena);
	const char *body = place_string(root, "body", NEED_REQUIRED, arena);

	if (!id || !hook || !event || !operation || !body)
		return 0;
	return sql_change(files->db, files->err, "INSERT INTO hook_message (id, hook, event, operation, tenant, body, told_ms, attempts, "
	    "next_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", "ttttttiii", id, hook, event, operation,
	    place_string(root, "tenant", NEED_OPTIONAL, arena), body, place_integer(root, "told_ms", 0, 0, INT64_C(1) << 52),
	    place_integer(root, "attempts", 0, 0, INT32_MAX), place_integer(root, "next_ms", 0, 0, INT64_C(1) << 52));
}

static int
host_files_bring_message(struct host_files *files, const char *name)
{
	return strchr(name, ',') ? host_files_read_object(files, name, host_files_parse_message) : 0;
}

/* The folder is that of a job; its operation is known by it. */
static int
host_files_bring_operation(struct host_files *files, const char *job)
{
	static const char *const names[] = {"command", "was.ndjson", "request.json", "layout.ndjson", "plan.ndjson", "events.ndjson",
		"made.ndjson"};
	char *outer = files->folder;
	int result = 0;

	files->folder = memory_printf("%s/%s", outer, job);
	for (size_t i = 0; i < sizeof names / sizeof *names && result >= 0; i++) {
		struct buffer text = {0};

		result = host_files_read(files, names[i], &text);
		if (result > 0)
			result = sql_change(files->db, files->err, "INSERT INTO operation_file (cluster, number, name, content) "
			    "SELECT operation.cluster, number, ?, ? FROM operation JOIN cluster ON id = operation.cluster "
			    "WHERE job = ? AND cluster.status <> 'terminated' ON CONFLICT DO NOTHING", "tbt", names[i], buffer_string(&text), text.length, job);
		buffer_release(&text);
	}
	free(files->folder);
	files->folder = outer;
	return result < 0 ? -1 : 0;
}

/* Each line is a node, and since when it has not answered. */
static int
host_files_bring_unreachable(struct host_files *files, int64_t cluster)
{
	struct buffer text = {0};
	char *line = NULL, *rest = NULL;
	int result = host_files_read(files, "unreachable", &text) < 0 ? -1 : 0;

	if (text.data)
		line = strtok_r(text.data, "\n", &rest);
	for (; line && result == 0; line = strtok_r(NULL, "\n", &rest)) {
		char *blank = strchr(line, ' ');

		if (!blank)
			continue;
		*blank = '\0';
		result = sql_change(files->db, files->err, "INSERT INTO unreachable (cluster, node, since_ms) "
		    "SELECT id, ?, ? FROM cluster WHERE id = ? AND status <> 'terminated' ON CONFLICT DO NOTHING", "tii", line, (int64_t)strtoll(blank + 1, NULL, 10),
		    cluster);
	}
	buffer_release(&text);
	return result;
}

static int
host_files_bring_cluster(struct host_files *files, const char *id)
{
	int64_t cluster = strspn(id, "0123456789") == strlen(id) ? strtoll(id, NULL, 10) : 0;
	char *outer = files->folder;
	int result;

	if (cluster == 0)
		return 0;
	result = host_files_each(files, id, host_files_bring_operation);
	files->folder = memory_printf("%s/%s", outer, id);
	if (result == 0)
		result = host_files_bring_unreachable(files, cluster);
	free(files->folder);
	files->folder = outer;
	return result;
}

static int
host_files_bring_last_time(struct host_files *files)
{
	char *path = memory_printf("%s/reconciled", files->folder);
	struct stat status;
	int result = 0;

	if (stat(path, &status) == 0)
		result = sql_change(files->db, files->err, "INSERT INTO last_time (name, at_ms) VALUES ('reconcile', ?) "
		    "ON CONFLICT DO NOTHING", "i", (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000);
	free(path);
	return result;
}

int
host_files_bring(struct sql *db, const char *path, struct error *err)
{
	struct host_files files = {.db = db, .err = err};
	int result;

	if (!host_files_are_ours(path))
		return 0;
	files.folder = location_state();
	result = host_files_each(&files, "static", host_files_bring_claim);
	if (result == 0)
		result = host_files_each(&files, "hooks", host_files_bring_message);
	if (result == 0)
		result = host_files_each(&files, "clusters", host_files_bring_cluster);
	if (result == 0)
		result = host_files_bring_last_time(&files);
	free(files.folder);
	arena_release(&files.arena);
	return result;
}

void
host_files_put_aside(const char *path, int version)
{
	static const char *const folders[] = {"static", "hooks"};
	char *state = location_state();

	for (size_t i = 0; i < sizeof folders / sizeof *folders && host_files_are_ours(path); i++) {
		char *from = memory_printf("%s/%s", state, folders[i]), *to = memory_printf("%s.version-%d", from, version);

		rename(from, to); /* where it fails, it stays where nobody reads it */
		free(from);
		free(to);
	}
	free(state);
}
