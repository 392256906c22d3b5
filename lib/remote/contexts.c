/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/contexts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "json/place.h"

enum { CONTEXTS_BYTES = 1 << 20 };

int
contexts_check_private(const char *path, struct error *err)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return error_errno(err, EX_CONFIG, "%s", path);
	return status.st_mode & (S_IRWXG | S_IRWXO) ? error_set(err, EX_CONFIG, "%s: others may read it; use chmod 600", path) : 0;
}

/* Reads a member of the list. */
static void
contexts_add(struct contexts *contexts, const struct place *member)
{
	struct arena *arena = &contexts->arena;

	if (!place_object(member, NEED_REQUIRED))
		return;
	ARRAY_ROOM(contexts->list, contexts->count, contexts->capacity);
	contexts->list[contexts->count++] = (struct context){.name = arena_string(arena, member->name),
	    .server = place_string(member, "server", NEED_REQUIRED, arena), .ca = place_string(member, "ca", NEED_OPTIONAL, arena),
	    .token_file = place_string(member, "token_file", NEED_OPTIONAL, arena),
	    .token = place_string(member, "token", NEED_OPTIONAL, arena), .user = place_string(member, "user", NEED_OPTIONAL, arena),
	    .expires = place_string(member, "expires", NEED_OPTIONAL, arena)};
}

static int
contexts_parse(struct contexts *contexts, const struct buffer *text, struct error *err)
{
	struct problems problems = {0};
	struct place root, list, member;
	struct members members;
	int result;
	jv document;

	if (json_parse(contexts->path, buffer_string(text), text->length, &document, err) < 0) {
		err->code = EX_CONFIG;
		return -1;
	}
	root = place_root(document, &problems);
	if (place_object(&root, NEED_REQUIRED)) {
		contexts->current = place_string(&root, "current", NEED_OPTIONAL, &contexts->arena);
		list = place_member(&root, "contexts");
		if (place_object(&list, NEED_OPTIONAL))
			for (members = members_of(&list); members_next(&members, &member);)
				contexts_add(contexts, &member);
	}
	result = problems_error(&problems, contexts->path, EX_CONFIG, err);
	problems_release(&problems);
	jv_free(document);
	return result;
}

int
contexts_read(struct contexts *contexts, struct error *err)
{
	struct buffer text = {0};
	int result = 0;

	*contexts = (struct contexts){.path = home_user_config("contexts.json")};
	if (file_is_absent(AT_FDCWD, contexts->path))
		return 0;
	if (contexts_check_private(contexts->path, err) < 0 || file_read(AT_FDCWD, contexts->path, CONTEXTS_BYTES, &text, err) < 0)
		result = -1;
	else
		result = contexts_parse(contexts, &text, err);
	buffer_release(&text);
	if (result < 0)
		contexts_release(contexts);
	return result;
}

const struct context *
contexts_find(const struct contexts *contexts, const char *name)
{
	for (size_t i = 0; i < contexts->count; i++)
		if (strcmp(contexts->list[i].name, name) == 0)
			return &contexts->list[i];
	for (size_t i = 0; i < contexts->count; i++)
		if (strcmp(contexts->list[i].server, name) == 0)
			return &contexts->list[i];
	return NULL;
}

const struct context *
contexts_current(const struct contexts *contexts)
{
	for (size_t i = 0; contexts->current && i < contexts->count; i++)
		if (strcmp(contexts->list[i].name, contexts->current) == 0)
			return &contexts->list[i];
	return NULL;
}

void
contexts_set(struct contexts *contexts, const struct context *context)
{
	for (size_t i = 0; i < contexts->count; i++)
		if (strcmp(contexts->list[i].name, context->name) == 0) {
			contexts->list[i] = *context;
			return;
		}
	ARRAY_ROOM(contexts->list, contexts->count, contexts->capacity);
	contexts->list[contexts->count++] = *context;
}

void
contexts_remove(struct contexts *contexts, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < contexts->count; i++)
		if (strcmp(contexts->list[i].name, name) != 0)
			contexts->list[kept++] = contexts->list[i];
	contexts->count = kept;
	if (contexts->current && strcmp(contexts->current, name) == 0)
		contexts->current = NULL;
}

const char *
contexts_absolute(struct contexts *contexts, const char *path)
{
	char *absolute = realpath(path, NULL);

	if (absolute)
		path = arena_string(&contexts->arena, absolute);
	free(absolute);
	return path;
}

static jv
contexts_describe(const struct context *context)
{
	const struct { const char *name, *value; } members[] = {{"server", context->server}, {"ca", context->ca},
		{"token_file", context->token_file}, {"token", context->token}, {"user", context->user}, {"expires", context->expires}};
	jv object = jv_object();

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i].value)
			json_set_string(&object, members[i].name, members[i].value);
	return object;
}

int
contexts_write(const struct contexts *contexts, struct error *err)
{
	char *folder = memory_substring(contexts->path, (size_t)(file_base_name(contexts->path) - contexts->path));
	jv document = jv_object(), list = jv_object();
	struct buffer text = {0};
	int result;

	for (size_t i = 0; i < contexts->count; i++)
		json_set(&list, contexts->list[i].name, contexts_describe(&contexts->list[i]));
	json_set_string(&document, "current", contexts->current);
	json_set(&document, "contexts", list);
	json_dump_pretty(document, &text);
	buffer_byte(&text, '\n');
	if (contexts->count)
		result = file_make_dirs(AT_FDCWD, folder, 0700, err) < 0 ? -1
		    : file_replace(AT_FDCWD, contexts->path, text.data, text.length, 0600, err);
	else
		result = unlink(contexts->path) < 0 && errno != ENOENT ? error_errno(err, EX_CANTCREAT, "%s", contexts->path) : 0;
	jv_free(document);
	buffer_release(&text);
	free(folder);
	return result;
}

void
contexts_release(struct contexts *contexts)
{
	arena_release(&contexts->arena);
	free(contexts->list);
	free(contexts->path);
	*contexts = (struct contexts){0};
}
