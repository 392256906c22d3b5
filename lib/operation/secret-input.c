/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/secret-input.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "json/scan.h"
#include "store/secrets.h"

/* A line is all that a person types. */
static int
secret_input_read_all(int fd, bool line, const char *name, struct secret_value *value, struct error *err)
{
	ssize_t got;

	do {
		got = read(fd, value->text + value->length, SECRET_BYTES + 1 - value->length);
		if (got < 0 && errno != EINTR)
			return error_errno(err, EX_IOERR, "%s", name);
		if (got > 0)
			value->length += (size_t)got;
		if (value->length > SECRET_BYTES)
			return error_too_large(err, name, SECRET_BYTES);
	} while (got != 0 && !(line && value->length && value->text[value->length - 1] == '\n'));
	return 0;
}

/* Reads from a person's terminal without an echo. */
static int
secret_input_read_value(int fd, const char *name, const char *what, struct secret_value *value, struct error *err)
{
	struct termios before, hidden;
	bool person = tcgetattr(fd, &before) == 0;
	int result;

	if (person) {
		hidden = before;
		hidden.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(fd, TCSAFLUSH, &hidden);
		dprintf(STDERR_FILENO, "%s: ", what);
	}
	result = secret_input_read_all(fd, person, name, value, err);
	if (person) {
		tcsetattr(fd, TCSAFLUSH, &before);
		dprintf(STDERR_FILENO, "\n");
	}
	return result;
}

/* Ends the value, and checks that it is text: plugins get it in a JSON string. */
static int
secret_input_check(const char *name, bool raw, struct secret_value *value, struct error *err)
{
	struct buffer quoted = {0};
	struct error ignored;
	bool fits;

	if (!raw && value->length && value->text[value->length - 1] == '\n')
		value->length--;
	value->text[value->length] = '\0';
	if (value->length == 0)
		return error_set(err, EX_DATAERR, "%s: the file is empty; a secret is required", name);
	json_quote(value->text, &quoted);
	fits = !memchr(value->text, '\0', value->length) &&
	    json_scan(quoted.data, quoted.length, true, &ignored) == (ssize_t)quoted.length;
	sodium_memzero(quoted.data, quoted.length);
	buffer_release(&quoted);
	return fits ? 0 : error_set(err, EX_DATAERR, "%s: the value is not UTF-8 text; encode it, for example with base64", name);
}

int
secret_input(const char *path, bool raw, const char *what, struct secret_value *value, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	int fd = standard ? STDIN_FILENO : file_open(AT_FDCWD, path, O_RDONLY, 0, err), result;

	*value = (struct secret_value){0};
	if (fd < 0)
		return -1;
	if (sodium_init() < 0 || !(value->text = sodium_malloc(SECRET_BYTES + 2)))
		result = error_errno(err, EX_OSERR, "the secret: no locked memory for it (see ulimit -l)");
	else
		result = secret_input_read_value(fd, name, what, value, err);
	if (result == 0)
		result = secret_input_check(name, raw, value, err);
	if (!standard)
		close(fd);
	if (result < 0)
		secret_value_release(value);
	return result;
}
