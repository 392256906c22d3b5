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

enum { SECRET_LINE = 4 * SECRET_BYTES }; /* of several secrets */

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

int
secret_input_line(const char *path, jv *object, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	int fd = standard ? STDIN_FILENO : file_open(AT_FDCWD, path, O_RDONLY, 0, err), result = 0;
	struct buffer line = {0};
	char byte = '\0';
	ssize_t got = 1;

	*object = jv_null();
	if (fd < 0)
		return -1;
	/* What follows is for others, who read it from the same pipe. */
	while (result == 0 && byte != '\n' && ((got = read(fd, &byte, 1)) > 0 || (got < 0 && errno == EINTR)))
		if (got > 0 && line.length >= SECRET_LINE)
			result = error_too_large(err, name, SECRET_LINE);
		else if (got > 0)
			buffer_byte(&line, byte);
	if (got < 0)
		result = error_errno(err, EX_IOERR, "%s", name);
	else if (result == 0 && json_parse(name, buffer_string(&line), line.length, object, err) < 0)
		result = error_set(err, EX_DATAERR, "%s: expected an object of names and secrets, on one line", name);
	if (!standard)
		close(fd);
	if (line.data)
		sodium_memzero(line.data, line.length);
	buffer_release(&line);
	return result;
}

int
secret_input_text(const char *name, const char *text, struct secret_value *value, struct error *err)
{
	size_t length = strlen(text);

	*value = (struct secret_value){0};
	if (length > SECRET_BYTES)
		return error_too_large(err, name, SECRET_BYTES);
	if (sodium_init() < 0 || !(value->text = sodium_malloc(SECRET_BYTES + 2)))
		return error_errno(err, EX_OSERR, "the secret: no locked memory for it (see ulimit -l)");
	memcpy(value->text, text, length);
	value->length = length;
	if (secret_input_check(name, true, value, err) < 0) {
		secret_value_release(value);
		return -1;
	}
	return 0;
}
