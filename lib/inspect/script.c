/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/script.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/process.h"
#include "ssh/shell-words.h"

enum { FIRST_LINE = 256, SAID_BYTES = 64 * 1024 };

/* Returns the shell that would run the file and can be asked with -n: that of its #! line, sh where it has none; NULL where another
 * interpreter runs it, or that shell is not on this machine. */
static const char *
script_find_shell(const char *first)
{
	static const char *const shells[] = {"/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/bash", "/usr/bin/dash", "/usr/bin/sh"};
	size_t length;

	if (strncmp(first, "#!", 2) != 0)
		return *first ? shells[0] : NULL;
	first += 2 + strspn(first + 2, " \t");
	if (strncmp(first, "/usr/bin/env ", 13) == 0)
		first += 13;
	length = strcspn(first, " \t\r\n");
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		const char *base = file_base_name(shells[i]);

		if ((strlen(shells[i]) == length && memcmp(shells[i], first, length) == 0) ||
		    (strlen(base) == length && memcmp(base, first, length) == 0))
			return access(shells[i], X_OK) == 0 ? shells[i] : NULL;
	}
	return NULL;
}

/* Asks the script's shell whether it understands the file; what the shell says begins with the path. */
static int
script_ask_shell(const char *path, const char *shell, struct error *err)
{
	char *const argv[] = {(char *)shell, (char *)"-n", (char *)path, NULL};
	struct buffer out = {0}, said = {0};
	struct error ignored;
	int code = process_run(argv, "", 0, &out, &said, SAID_BYTES, &ignored);
	const char *text = buffer_string(&said);

	if (code > 0 && strncmp(text, path, strlen(path)) == 0 && text[strlen(path)] == ':')
		text += strlen(path) + 1 + strspn(text + strlen(path) + 1, " ");
	if (code > 0)
		error_set(err, EX_CONFIG, "%s: %s -n: %.*s", path, file_base_name(shell), (int)strcspn(text, "\n"),
		    *text ? text : "it is not a script for that shell");
	buffer_release(&said);
	buffer_release(&out);
	return code > 0 ? -1 : 0;
}

static int
script_check_path(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char first[FIRST_LINE + 1] = "";
	const char *shell;
	struct stat st;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) < 0) {
		error_errno(err, EX_CONFIG, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	got = S_ISREG(st.st_mode) ? read(fd, first, FIRST_LINE) : 0;
	close(fd);
	if (!S_ISREG(st.st_mode))
		return error_set(err, EX_CONFIG, "%s: it is not a file", path);
	first[got < 0 ? 0 : got] = '\0';
	if (got > 0 && memchr(first, '\0', (size_t)got))
		return 0; /* a program */
	shell = script_find_shell(first);
	return shell ? script_ask_shell(path, shell, err) : 0;
}

int
script_check(const char *catalogue, const char *plugin, const char *name, struct error *err)
{
	char *path = location_script(catalogue, plugin, name, err);
	int result = path ? script_check_path(path, err) : -1;

	free(path);
	return result;
}

int
script_check_files(const char *catalogue, const char *plugin, const char *line, struct error *err)
{
	struct arguments names = {0};
	int result = shell_words_split(line, &names, err);

	for (size_t i = 0; i < names.count && result == 0; i++) {
		char *path = location_script(catalogue, plugin, names.list[i], err);

		result = path ? 0 : -1;
		free(path);
	}
	arguments_release(&names);
	return result;
}
