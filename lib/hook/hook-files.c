/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/hook-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/message.h"
#include "json/place.h"
#include "store/outbox.h"

enum { FILE_BYTES = 64 * 1024 * 1024 };

static int
hook_parse_file(const char *file, jv document, struct arena *arena, struct outbox_message *message, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	int result = 0;

	if (place_object(&root, NEED_REQUIRED))
		*message = (struct outbox_message){
			.attempts = place_integer(&root, "attempts", 0, 0, INT32_MAX),
			.next_ms = place_integer(&root, "next_ms", 0, 0, (int64_t)1 << 52),
			.told_ms = place_integer(&root, "told_ms", 0, 0, (int64_t)1 << 52),
			.hook = place_string(&root, "hook", NEED_REQUIRED, arena),
			.id = place_string(&root, "id", NEED_REQUIRED, arena),
			.event = place_string(&root, "event", NEED_REQUIRED, arena),
			.operation = place_string(&root, "operation", NEED_REQUIRED, arena),
			.tenant = place_string(&root, "tenant", NEED_OPTIONAL, arena),
			.body = place_string(&root, "body", NEED_REQUIRED, arena),
		};
	if (problems.total > 0)
		result = error_set(err, EX_DATAERR, "%s: %s: %s; remove the file", file, problems.list[0].pointer,
		    problems.list[0].text);
	problems_release(&problems);
	return result;
}

/* Puts the message of a file into the outbox, and removes the file. Killed in between, it is put again, which changes
 * nothing, unless the hook has it by then: it may be told twice. */
static int
hook_adopt_file(struct store *store, int folder, const char *file, struct error *err)
{
	struct outbox_message message = {0};
	struct buffer text = {0};
	struct arena arena = {0};
	jv document;
	int result = file_read(folder, file, FILE_BYTES, &text, err);

	if (result == 0)
		result = json_parse(file, text.data ? text.data : "", text.length, &document, err);
	if (result == 0) {
		result = hook_parse_file(file, document, &arena, &message, err);
		jv_free(document);
	}
	if (result == 0)
		result = outbox_put(store, &message, err);
	if (result == 0 && unlinkat(folder, file, 0) < 0 && errno != ENOENT)
		result = error_errno(err, EX_IOERR, "%s", file);
	arena_release(&arena);
	buffer_release(&text);
	return result;
}

void
hook_adopt_files(struct store *store)
{
	char *state = location_state(), *path = memory_printf("%s/hooks", state);
	DIR *folder = opendir(path);
	struct dirent *entry;
	struct error err;

	while (folder && (entry = readdir(folder)))
		if (strchr(entry->d_name, ',') && entry->d_name[0] != '.' &&
		    hook_adopt_file(store, dirfd(folder), entry->d_name, &err) < 0 && err.code != EX_NOINPUT) {
			error_prefix(&err, "%s", path);
			message_notice(err.text);
		}
	if (folder && closedir(folder) == 0)
		rmdir(path); /* once it is empty */
	free(path);
	free(state);
}
