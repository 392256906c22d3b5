/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/parcel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/command-table.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/preference.h"
#include "json/json.h"
#include "remote/forward.h"
#include "remote/frame.h"
#include "remote/words.h"

enum { PARCEL_MAX = FRAME_MAX - (64 << 10), PARCEL_DEPTH = 16 };

/* A parcel that is being made. */
struct packing {
	struct parcel *parcel;
	struct arguments argv;  /* the words as the server gets them */
	struct buffer files;    /* frames */
	struct arguments sent;  /* the names of the files in them */
	char *root;             /* the folder that is being added, without links; NULL: none */
	jv places;              /* where what the words name is here, by the names that the server gets */
};

static int
packing_check_size(const struct packing *packing, const char *name, struct error *err)
{
	return packing->files.length <= PARCEL_MAX ? 0 : error_set(err, EX_DATAERR,
	    "%s: with it, more than %d bytes would be sent to the server", name, PARCEL_MAX);
}

/* Adds a file. */
static int
packing_add_file(struct packing *packing, const char *path, const char *name, struct error *err)
{
	struct buffer text = {0};
	int result;

	for (size_t i = 0; i < packing->sent.count; i++)
		if (strcmp(packing->sent.list[i], name) == 0)
			return 0;
	arguments_push(&packing->sent, name);
	buffer_append(&text, name, strlen(name) + 1);
	result = file_read(AT_FDCWD, path, PARCEL_MAX, &text, err);
	if (result == 0)
		frame_append(&packing->files, FRAME_FILE, text.data, text.length);
	buffer_release(&text);
	return result < 0 ? -1 : packing_check_size(packing, path, err);
}

static int packing_add(struct packing *packing, const char *path, const char *name, int depth, struct error *err);

/* Adds the files of a folder, and of those in it. */
static int
packing_add_folder(struct packing *packing, const char *path, const char *name, int depth, struct error *err)
{
	DIR *stream = opendir(path);
	struct dirent *entry;
	int result = stream ? 0 : error_errno(err, EX_NOINPUT, "%s", path);

	while (result == 0 && (entry = readdir(stream))) {
		char *below = memory_printf("%s/%s", path, entry->d_name), *its_name = memory_printf("%s%s%s", name, *name ? "/" : "", entry->d_name);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = packing_add(packing, below, its_name, depth + 1, err);
		free(below);
		free(its_name);
	}
	if (stream)
		closedir(stream);
	return result;
}

/* Refuses what is in a folder and would bring something else: a link that leads out of it, which whoever has written the folder may have
 * made to be sent a file of this user, and what is read without end. */
static int
packing_check_inner(const struct packing *packing, const char *path, const struct stat *status, struct error *err)
{
	size_t length = strlen(packing->root);
	char *whole = realpath(path, NULL);
	bool is_inside = whole && strncmp(whole, packing->root, length) == 0 && (whole[length] == '/' || strcmp(packing->root, "/") == 0);

	free(whole);
	if (!is_inside)
		return error_set(err, EX_DATAERR, "%s: it leads out of the folder, and is not sent", path);
	return S_ISREG(status->st_mode) || S_ISDIR(status->st_mode) ? 0 : error_set(err, EX_DATAERR, "%s: neither a file nor a folder", path);
}

/* Adds what is at path, if there is something: that there is nothing, the command says itself. */
static int
packing_add(struct packing *packing, const char *path, const char *name, int depth, struct error *err)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : error_errno(err, EX_NOINPUT, "%s", path);
	if (depth > 0 && packing_check_inner(packing, path, &status, err) < 0)
		return -1;
	if (!S_ISDIR(status.st_mode))
		return packing_add_file(packing, path, name, err);
	return depth < PARCEL_DEPTH ? packing_add_folder(packing, path, name, depth, err)
	    : error_set(err, EX_DATAERR, "%s: the folders are too deep to be sent", path);
}

/* Returns how the server calls a file: as the user does, but for one that is not below this folder: that has its own name alone, below a
 * number where another has that. The caller frees it. */
static char *
packing_name(const struct packing *packing, const char *path)
{
	size_t length = strlen(path);
	const char *base;
	char *whole, *name;

	if (!location_leads_out(path))
		return memory_string(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	whole = memory_substring(path, length);
	base = file_base_name(whole);
	name = memory_string(*base && strcmp(base, "..") != 0 && strcmp(base, ".") != 0 ? base : "folder");
	for (size_t i = 0; i < packing->sent.count; i++)
		if (strncmp(packing->sent.list[i], name, strlen(name)) == 0) {
			free(name);
			name = memory_printf("%zu/%s", packing->sent.count, base);
			break;
		}
	free(whole);
	return name;
}

/* Returns the name without parts that say nothing: "./a//b" is "a/b". The caller frees it. */
static char *
packing_plain_name(const char *name)
{
	struct buffer plain = {0};

	while (*name) {
		size_t length = strcspn(name, "/");

		if (length > 0 && !(length == 1 && *name == '.')) {
			buffer_text(&plain, plain.length ? "/" : "");
			buffer_append(&plain, name, length);
		}
		name += length + (name[length] == '/');
	}
	return buffer_take(&plain);
}

/* Adds where the file or folder is, for whoever has to know it again. */
static void
packing_add_place(struct packing *packing, const char *name, const char *path)
{
	char *whole = realpath(path, NULL), host[HOST_NAME_MAX + 1] = "", *place;
	size_t length = strlen(name);

	while (length > 1 && name[length - 1] == '/')
		length--;
	if (whole && gethostname(host, sizeof host - 1) == 0) {
		char *key = memory_substring(name, length);

		place = memory_printf("%s:%s", host, whole);
		json_set_string(&packing->places, key, place);
		free(place);
		free(key);
	}
	free(whole);
}

/* Refuses to have something else than a file replaced; what a file is, the command looks at itself. */
static int
packing_check_output(const char *path, struct error *err)
{
	struct stat status;

	return lstat(path, &status) < 0 || S_ISREG(status.st_mode) ? 0
	    : error_set(err, EX_CANTCREAT, "%s: it exists and is no file; it is not overwritten", path);
}

/* Adds the file that a word names, and has the word call it as the server does. */
static int
packing_add_word(struct packing *packing, const struct word *word, struct error *err)
{
	char **argument = &packing->argv.list[word->index], *name = packing_name(packing, word->value);
	char *plain = packing_plain_name(name);
	size_t before = strlen(*argument) - strlen(word->value);
	char *changed = memory_printf("%.*s%s", (int)before, *argument, name);
	int result = word->use == WORD_OUTPUT ? packing_check_output(word->value, err) : 0;

	free(*argument);
	*argument = changed;
	packing_add_place(packing, name, word->value);
	if (word->use == WORD_OUTPUT) {
		arguments_push(&packing->parcel->names, name);
		arguments_push(&packing->parcel->paths, word->value);
	}
	packing->root = realpath(word->value, NULL);
	if (result == 0)
		result = packing_add(packing, word->value, plain ? plain : "", 0, err);
	free(packing->root);
	packing->root = NULL;
	free(plain);
	free(name);
	return result;
}

static int
packing_add_words(struct packing *packing, const struct command_table *table, char *const *words, size_t behind, struct error *err)
{
	struct words walk = {.table = table, .argv = words + behind, .operand_max = forward_operands(words[0])};
	struct word word;

	for (size_t i = 0; words[i]; i++)
		arguments_push(&packing->argv, words[i]);
	while (words_next(&walk, &word)) {
		word.index += behind;
		if (word.use == WORD_FOREIGN)
			return error_set(err, EX_USAGE, "%s%s: that is the server's to choose; see coopr help remote",
			    word.option ? "--" : "", word.option ? word.option->name : word.value);
		if (word.use == WORD_PLAIN || (word.use == WORD_INPUT && strcmp(word.value, "-") == 0))
			continue;
		if (packing_add_word(packing, &word, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns whether a person would be asked: the command has something to confirm, and nothing has confirmed it. */
static bool
packing_may_ask(const struct command_table *table, char *const *words)
{
	for (; *words; words++)
		if (strcmp(*words, "-y") == 0 || strcmp(*words, "--yes") == 0)
			return false;
	return command_table_option(table, "--yes");
}

/* Adds standard input, where the command reads it: all of it now, or what a person types from now on. */
static int
packing_add_input(struct packing *packing, const struct command_table *table, char *const *words, size_t behind,
    const struct parcel_terminal *terminal, struct error *err)
{
	bool reads = words_read_input(table, words + behind, forward_operands(words[0]));
	struct buffer text = {0};
	int result = 0;

	if (terminal->is_terminal[0]) {
		packing->parcel->follows_input = tcgetpgrp(STDIN_FILENO) == getpgrp() &&
		    (reads || (terminal->is_terminal[2] && packing_may_ask(table, words)));
		return 0;
	}
	if (!reads)
		return 0;
	result = file_read_fd(STDIN_FILENO, "standard input", PARCEL_MAX, &text, err);
	if (result == 0)
		frame_append(&packing->files, FRAME_INPUT, text.data, text.length);
	buffer_release(&text);
	return result < 0 ? -1 : packing_check_size(packing, "standard input", err);
}

/* Returns the variables that are this user's, with what the user's file prefers. */
static jv
parcel_environment(void)
{
	static const char *const own[] = {"CI", "COOPR_MESSAGES", "COOPR_USER", "NO_COLOR", "TERM"};
	static const enum preference preferred[] = {PREFERENCE_COLOR, PREFERENCE_JOBS, PREFERENCE_OUTPUT, PREFERENCE_STALE_AFTER_S,
		PREFERENCE_TENANT};
	jv object = jv_object();

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (getenv(own[i]))
			json_set_string(&object, own[i], getenv(own[i]));
	for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++) {
		enum preference_source source;
		const char *where, *value = preference_find(preferred[i], NULL, &source, &where), *refused = getenv("NO_COLOR");

		/* NO_COLOR is stronger than a file, but not than the variable that it would become. */
		if (value && !(preferred[i] == PREFERENCE_COLOR && source != PREFERENCE_ENVIRONMENT && refused && *refused))
			json_set_string(&object, preference_variable(preferred[i]), value);
	}
	return object;
}

/* Adds the frame with which it begins. */
static void
parcel_add_call(struct parcel *parcel, const struct packing *packing, const struct parcel_terminal *terminal)
{
	const struct arguments *argv = &packing->argv;
	jv call = jv_object(), list = jv_array();
	struct buffer text = {0};

	for (int i = 0; i < 3; i++)
		if (terminal->is_terminal[i])
			list = jv_array_append(list, jv_number(i));
	json_set(&call, "argv", json_strings((const char *const *)argv->list, argv->count));
	json_set_string(&call, "version", COOPR_VERSION);
	json_set(&call, "terminals", list);
	json_set_number(&call, "columns", terminal->columns);
	json_set_number(&call, "lines", terminal->lines);
	json_set(&call, "joined", jv_bool(terminal->is_joined));
	json_set(&call, "input_follows", jv_bool(parcel->follows_input));
	json_set(&call, "environment", parcel_environment());
	json_set(&call, "places", jv_copy(packing->places));
	json_dump(call, &text);
	frame_append(&parcel->body, FRAME_CALL, text.data, text.length);
	buffer_release(&text);
	jv_free(call);
}

int
parcel_make(struct parcel *parcel, const struct command_table *table, char *const *words, size_t behind,
    const struct parcel_terminal *terminal, struct error *err)
{
	struct packing packing = {.parcel = parcel, .places = jv_object()};
	int result = preference_read(err);

	if (result == 0)
		result = packing_add_words(&packing, table, words, behind, err);
	if (result == 0)
		result = packing_add_input(&packing, table, words, behind, terminal, err);
	if (result == 0) {
		parcel_add_call(parcel, &packing, terminal);
		buffer_append(&parcel->body, packing.files.data, packing.files.length);
	}
	arguments_release(&packing.argv);
	arguments_release(&packing.sent);
	jv_free(packing.places);
	buffer_release(&packing.files);
	return result;
}

int
parcel_keep(const struct parcel *parcel, const char *name, const char *bytes, size_t length, struct error *err)
{
	for (size_t i = 0; i < parcel->names.count; i++)
		if (strcmp(parcel->names.list[i], name) == 0)
			return file_replace(AT_FDCWD, parcel->paths.list[i], bytes, length, 0600, err);
	return error_set(err, EX_PROTOCOL, "the server sends a file that nobody asked for");
}

void
parcel_release(struct parcel *parcel)
{
	buffer_release(&parcel->body);
	arguments_release(&parcel->names);
	arguments_release(&parcel->paths);
	*parcel = (struct parcel){0};
}
