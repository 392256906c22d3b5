/* SPDX-License-Identifier: Apache-2.0 */
#include "web/run-call.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admin/command-table.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/toolbox.h"
#include "http/exchange.h"
#include "json/place.h"
#include "remote/forward.h"
#include "remote/frame.h"
#include "remote/words.h"
#include "web/asker.h"
#include "web/call.h"

enum { RUN_WORDS_MAX = 10000, RUN_SIZE_MAX = 10000 /* of a terminal */ };

/* The variables that are the caller's: how a command prints, and whose it is. */
static const char *const theirs[] = {"CI", "COOPR_COLOR", "COOPR_JOBS", "COOPR_MESSAGES", "COOPR_OUTPUT", "COOPR_STALE_AFTER_S",
	"COOPR_TENANT", "COOPR_USER", "NO_COLOR", "TERM"};

static bool
run_call_is_theirs(const char *variable)
{
	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
		if (strncmp(theirs[i], variable, strlen(theirs[i])) == 0 && variable[strlen(theirs[i])] == '=')
			return true;
	return false;
}

/* Makes the environment: ours for who asks, with the caller's own variables in place of ours. */
static void
run_call_read_environment(struct run_call *call, const struct place *root, const struct asker *asker)
{
	struct place object = place_member(root, "environment");
	struct arguments ours = {0};

	asker_environment(asker, &ours);
	for (size_t i = 0; i < ours.count; i++)
		if (!run_call_is_theirs(ours.list[i]))
			arguments_push(&call->environment, ours.list[i]);
	arguments_release(&ours);
	for (size_t i = 0; place_object(&object, NEED_OPTIONAL) && i < sizeof theirs / sizeof *theirs; i++) {
		char *value = json_get_string(object.value, theirs[i]);

		if (value)
			arguments_printf(&call->environment, "%s=%s", theirs[i], value);
		free(value);
	}
}

/* Tells the command that files were sent, and from where (location_sent_from). */
static void
run_call_read_places(struct run_call *call, const struct place *root)
{
	struct place object = place_member(root, "places"), place;
	struct buffer lines = {0};

	if (!call->folder)
		return;
	buffer_text(&lines, "COOPR_SENT=\n");
	if (place_object(&object, NEED_OPTIONAL))
		for (struct members members = members_of(&object); members_next(&members, &place);) {
			const char *from = json_string(place.value);

			if (from && !strpbrk(from, "\t\n") && !strpbrk(place.name, "\t\n"))
				buffer_printf(&lines, "%s\t%s\n", place.name, from);
		}
	arguments_push(&call->environment, lines.data);
	buffer_release(&lines);
}

/* Returns whether two releases are the same, or one follows the other. */
static bool
run_call_is_near(const char *release)
{
	unsigned major, minor, own_major, own_minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2 || sscanf(COOPR_VERSION, "%u.%u", &own_major, &own_minor) != 2)
		return false;
	return major == own_major && (minor > own_minor ? minor - own_minor : own_minor - minor) <= 1;
}

static int
run_call_check_version(const struct place *root, struct error *err)
{
	char *release = json_get_string(root->value, "version");
	int result = release && run_call_is_near(release) ? 0 : error_set(err, EX_UNAVAILABLE,
	    "the client is of release %.20s and the server of " COOPR_VERSION "; they may be one release apart", release ? release : "?");

	free(release);
	return result;
}

static void
run_call_read_terminal(struct run_call *call, const struct place *root)
{
	struct place list = place_member(root, "terminals");
	bool *const streams[] = {&call->terminal.in, &call->terminal.out, &call->terminal.err};

	for (size_t i = 0; place_array(&list, NEED_OPTIONAL) && i < json_length(list.value); i++) {
		struct place number = place_element(&list, i);

		*streams[place_read_integer(&number, 0, 0, 2)] = true;
	}
	call->terminal.columns = (unsigned)place_integer(root, "columns", 0, 0, RUN_SIZE_MAX);
	call->terminal.lines = (unsigned)place_integer(root, "lines", 0, 0, RUN_SIZE_MAX);
	call->terminal.whole = place_boolean(root, "whole", false);
	call->joined = place_boolean(root, "joined", false);
	call->input_follows = place_boolean(root, "input_follows", false);
}

/* Makes the folder, and in it those that a name has before it. */
static int
run_call_make_folder(struct run_call *call, const char *folder, const char *name, struct error *err)
{
	const char *slash = strrchr(name, '/');
	char *path = memory_printf("%s/%.*s", folder, slash ? (int)(slash - name) : 0, name);
	int result = file_make_dirs(AT_FDCWD, path, 0700, err);

	if (!call->folder)
		call->folder = memory_string(folder);
	free(path);
	return result < 0 ? error_set(err, EX_UNAVAILABLE, "the folder for files that were sent cannot be made") : 0;
}

/* Checks a word; one that names a file wants the folder. */
static int
run_call_check_word(struct run_call *call, const struct word *word, const char *folder, struct error *err)
{
	const char *name = word->option ? word->option->name : word->value;

	if (word->use == WORD_PLAIN || (word->use == WORD_INPUT && strcmp(word->value, "-") == 0))
		return 0;
	if (word->use == WORD_FOREIGN)
		return error_set(err, EX_USAGE, "%s%s: this is the server's to choose", word->option ? "--" : "", name);
	if (location_leads_out(word->value))
		return error_set(err, EX_USAGE, "%s: a request names no file of the server; send it", word->value);
	if (word->use == WORD_OUTPUT)
		arguments_push(&call->outputs, word->value);
	return run_call_make_folder(call, folder, word->use == WORD_OUTPUT ? word->value : "", err);
}

/* Returns the table of options of the call's command, or of its subcommand; *behind is the first word behind these. NULL where there is
 * no such. */
static const struct command_table *
run_call_table(char *const *words, size_t *behind)
{
	const struct command_table *table = call_table(&(struct route){.command = words[0]});
	char *both;

	*behind = 1;
	if (!table || table->sub_count == 0)
		return table;
	if (!words[1] || !command_table_sub(table, words[1]))
		return NULL;
	both = memory_printf("%s %s", words[0], words[1]);
	table = call_table(&(struct route){.command = both});
	free(both);
	*behind = 2;
	return table;
}

/* Returns whether the server does a command: who logs in does that elsewhere, unless it is a browser, which has no ssh. */
static bool
run_call_is_done_here(const struct run_call *call, const struct arguments *words)
{
	enum forward where = forward_find(words->list);

	return where == FORWARD_SERVER || where == FORWARD_CLUSTER ||
	    (call->terminals && call->terminal.whole && strcmp(words->list[0], "ssh") == 0);
}

/* Checks all words, which are those of a command that the server does. */
static int
run_call_check(struct run_call *call, const struct arguments *words, const char *folder, struct error *err)
{
	char *path = words->count && !strchr(words->list[0], ' ') ? toolbox_find(words->list[0]) : NULL;
	struct words walk = {.operand_max = words->count ? forward_operands(words->list[0]) : 0};
	struct word word;
	size_t behind;

	if (!path || !run_call_is_done_here(call, words)) {
		free(path);
		return error_set(err, EX_USAGE, "%s: a server does not do this", words->count ? words->list[0] : "argv");
	}
	arguments_push(&call->argv, path);
	free(path);
	walk.table = run_call_table(words->list, &behind);
	if (!walk.table)
		return error_set(err, EX_USAGE, "%s: there is no such subcommand", words->list[0]);
	walk.argv = words->list + behind;
	while (words_next(&walk, &word))
		if (run_call_check_word(call, &word, folder, err) < 0)
			return -1;
	for (size_t i = 1; i < words->count; i++)
		arguments_push(&call->argv, words->list[i]);
	return 0;
}

/* Reads the words, which have no control characters that would end one. */
static int
run_call_read_words(struct arguments *words, const struct place *root, struct error *err)
{
	struct place list = place_member(root, "argv");
	size_t count = place_array(&list, NEED_REQUIRED) ? json_length(list.value) : 0;

	for (size_t i = 0; i < count && i < RUN_WORDS_MAX; i++) {
		struct place word = place_element(&list, i);

		if (json_string(word.value))
			arguments_push(words, json_string(word.value));
	}
	return words->count == count && count > 0 ? 0 : error_set(err, EX_USAGE, "argv: expected a list of strings");
}

static int
run_call_read_head(struct run_call *call, const struct frame *frame, const struct asker *asker, const char *folder, struct error *err)
{
	struct problems problems = {0};
	struct arguments words = {0};
	struct place root;
	jv object;
	int result;

	if (json_parse("the call", frame->bytes, frame->length, &object, err) < 0)
		return error_set(err, EX_USAGE, "the call is no JSON");
	root = place_root(object, &problems);
	result = place_object(&root, NEED_REQUIRED) ? run_call_check_version(&root, err) : 0;
	if (result == 0 && !problems.total) {
		run_call_read_terminal(call, &root);
		result = run_call_read_words(&words, &root, err);
	}
	if (result == 0)
		result = problems_error(&problems, "the call", EX_USAGE, err);
	if (result == 0)
		result = run_call_check(call, &words, folder, err);
	if (result == 0) {
		run_call_read_environment(call, &root, asker);
		run_call_read_places(call, &root);
	}
	arguments_release(&words);
	problems_release(&problems);
	jv_free(object);
	return result;
}

/* Writes a file that came with the call. */
static int
run_call_write(struct run_call *call, const struct frame *frame, struct error *err)
{
	size_t length = strnlen(frame->bytes, frame->length), rest = frame->length - length;
	char *path;
	int fd = -1, result;

	if (!rest || !call->folder || !location_is_inside(frame->bytes))
		return error_set(err, EX_USAGE, "a file that was sent has no such name");
	result = run_call_make_folder(call, call->folder, frame->bytes, err);
	path = memory_printf("%s/%s", call->folder, frame->bytes);
	if (result == 0)
		fd = file_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600, err);
	if (fd < 0 && result == 0)
		result = error_set(err, EX_USAGE, "a file that was sent cannot be kept under its name, or was sent twice");
	else if (fd < 0)
		result = -1;
	else if (file_write_all(fd, frame->bytes + length + 1, rest - 1) < 0)
		result = error_errno(err, EX_UNAVAILABLE, "a file that was sent");
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

int
run_call_read(struct run_call *call, const struct http_exchange *exchange, const struct asker *asker, const char *folder,
    struct error *err)
{
	const char *body = buffer_string(&exchange->body);
	size_t at = 0;
	struct frame frame;
	bool has_head = false, is_call = true;
	int result = 0;

	while (result == 0 && is_call && frame_take(body, exchange->body.length, &at, &frame) > 0) {
		is_call = (frame.kind == FRAME_CALL) != has_head;
		has_head = true;
		if (is_call && frame.kind == FRAME_CALL)
			result = run_call_read_head(call, &frame, asker, folder, err);
		else if (is_call && frame.kind == FRAME_FILE)
			result = run_call_write(call, &frame, err);
		else if (is_call && frame.kind == FRAME_INPUT)
			buffer_append(&call->input, frame.bytes, frame.length);
		else
			is_call = false;
	}
	if (result == 0 && (!is_call || !has_head || at != exchange->body.length))
		result = error_set(err, EX_USAGE, "the body is no call");
	return result;
}

void
run_call_release(struct run_call *call)
{
	struct error ignored; /* what is left is swept later */

	if (call->folder)
		file_remove_tree(AT_FDCWD, call->folder, &ignored);
	arguments_release(&call->argv);
	arguments_release(&call->environment);
	arguments_release(&call->outputs);
	buffer_release(&call->input);
	free(call->folder);
	*call = (struct run_call){0};
}
