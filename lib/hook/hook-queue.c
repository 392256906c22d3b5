/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/hook-queue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "json/place.h"

enum { ITEM_BYTES = 64 * 1024 * 1024 };

/* The folder, -1 with a reason; made where make is true, else a missing one is -1 with EX_NOINPUT. */
static int
hook_open_folder(bool make, struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s/hooks", state);
	int fd = -1;

	if (!make || file_make_dirs(AT_FDCWD, path, 0700, err) == 0)
		fd = file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, err);
	free(path);
	free(state);
	return fd;
}

static int
hook_write_item(int folder, const char *file, const struct hook_item *item, struct error *err)
{
	jv document = jv_object();
	struct buffer text = {0};
	int result;

	json_set_number(&document, "attempts", (double)item->attempts);
	json_set_number(&document, "next_ms", (double)item->next_ms);
	json_set_number(&document, "told_ms", (double)item->told_ms);
	json_set_string(&document, "hook", item->hook);
	json_set_string(&document, "id", item->message.id);
	json_set_string(&document, "event", item->message.event);
	json_set_string(&document, "operation", item->message.operation);
	json_set_string(&document, "tenant", item->message.tenant);
	json_set_string(&document, "body", item->message.body);
	json_dump(document, &text);
	buffer_byte(&text, '\n');
	result = file_replace(folder, file, text.data, text.length, 0600, err);
	buffer_release(&text);
	jv_free(document);
	return result;
}

int
hook_queue_put(const char *hook, const struct hook_message *message, struct error *err)
{
	struct hook_item item = {.hook = hook, .message = *message, .told_ms = clock_wall_ms()};
	int folder = hook_open_folder(true, err), result = 0;
	char *file;

	if (folder < 0)
		return -1;
	file = memory_printf("%s,%s", message->id, hook);
	if (!file_exists(folder, file))
		result = hook_write_item(folder, file, &item, err);
	free(file);
	close(folder);
	return result;
}

static int
hook_is_item(const struct dirent *entry)
{
	return strchr(entry->d_name, ',') != NULL && entry->d_name[0] != '.';
}

int
hook_queue_names(struct hook_names *names, struct error *err)
{
	struct dirent **entries;
	int folder = hook_open_folder(false, err), count;

	*names = (struct hook_names){0};
	if (folder < 0)
		return err->code == EX_NOINPUT && errno == ENOENT ? 0 : -1;
	count = scandirat(folder, ".", &entries, hook_is_item, alphasort);
	close(folder);
	if (count < 0)
		return error_errno(err, EX_IOERR, "hooks: the folder cannot be read");
	names->list = memory_zeroed((size_t)count + 1, sizeof *names->list);
	for (int i = 0; i < count; i++) {
		names->list[names->count++] = memory_string(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

void
hook_queue_free(struct hook_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct hook_names){0};
}

static int
hook_parse(struct hook_item *item, jv document, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	int result = 0;

	if (place_object(&root, NEED_REQUIRED)) {
		item->attempts = place_integer(&root, "attempts", 0, 0, INT32_MAX);
		item->next_ms = place_integer(&root, "next_ms", 0, 0, (int64_t)1 << 52);
		item->told_ms = place_integer(&root, "told_ms", 0, 0, (int64_t)1 << 52);
		item->hook = place_string(&root, "hook", NEED_REQUIRED, &item->arena);
		item->message.id = place_string(&root, "id", NEED_REQUIRED, &item->arena);
		item->message.event = place_string(&root, "event", NEED_REQUIRED, &item->arena);
		item->message.operation = place_string(&root, "operation", NEED_REQUIRED, &item->arena);
		item->message.tenant = place_string(&root, "tenant", NEED_OPTIONAL, &item->arena);
		item->message.body = place_string(&root, "body", NEED_REQUIRED, &item->arena);
	}
	if (problems.total > 0)
		result = error_set(err, EX_DATAERR, "%s: %s: %s; remove the file", item->file, problems.list[0].pointer,
		    problems.list[0].text);
	problems_release(&problems);
	return result;
}

/* Whether the file that is locked is the one that has the name still: it may be replaced, or gone. */
static bool
hook_is_current(const struct hook_item *item)
{
	struct stat ours, named;

	return fstat(item->fd, &ours) == 0 && fstatat(item->folder, item->file, &named, 0) == 0 &&
	    ours.st_ino == named.st_ino;
}

static int
hook_read_item(struct hook_item *item, struct error *err)
{
	struct buffer text = {0};
	jv document;
	int result = file_read_fd(item->fd, item->file, ITEM_BYTES, &text, err);

	if (result == 0)
		result = json_parse(item->file, text.data ? text.data : "", text.length, &document, err);
	buffer_release(&text);
	if (result == 0) {
		result = hook_parse(item, document, err);
		jv_free(document);
	}
	return result < 0 ? -1 : 1;
}

int
hook_queue_take(const char *file, struct hook_item *item, struct error *err)
{
	int result = -1;

	*item = (struct hook_item){.folder = hook_open_folder(false, err), .fd = -1};
	item->file = arena_string(&item->arena, file);
	if (item->folder >= 0) {
		item->fd = openat(item->folder, file, O_RDONLY | O_CLOEXEC);
		if (item->fd < 0 && errno != ENOENT)
			error_errno(err, EX_IOERR, "hooks/%s", file);
		else if (item->fd < 0 || flock(item->fd, LOCK_EX | LOCK_NB) < 0 || !hook_is_current(item))
			result = 0;
		else
			result = hook_read_item(item, err);
	}
	if (result <= 0)
		hook_item_release(item);
	return result;
}

int
hook_queue_drop(struct hook_item *item, struct error *err)
{
	if (unlinkat(item->folder, item->file, 0) < 0 || fsync(item->folder) < 0)
		return error_errno(err, EX_IOERR, "hooks/%s", item->file);
	return 0;
}

int
hook_queue_again(struct hook_item *item, int64_t next_ms, struct error *err)
{
	item->attempts++;
	item->next_ms = next_ms;
	return hook_write_item(item->folder, item->file, item, err);
}

void
hook_item_release(struct hook_item *item)
{
	if (item->fd >= 0)
		close(item->fd);
	if (item->folder >= 0)
		close(item->folder);
	arena_release(&item->arena);
	*item = (struct hook_item){.folder = -1, .fd = -1};
}
