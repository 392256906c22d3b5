/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void
error_mark_cut(struct error *err, int length)
{
	if (length >= (int)sizeof err->text)
		memcpy(err->text + sizeof err->text - 4, "...", 4);
}

/* Sets all but the text. */
static void
error_begin(struct error *err, int code)
{
	err->code = code;
	err->absent = err->too_large = err->passing = err->outdated = false;
	err->option = NULL;
	err->reason = 0;
}

/* Sets all of it. */
static void
error_write(struct error *err, int code, const char *format, va_list ap)
{
	error_begin(err, code);
	error_mark_cut(err, vsnprintf(err->text, sizeof err->text, format, ap));
}

int
error_set(struct error *err, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	error_write(err, code, format, ap);
	va_end(ap);
	return -1;
}

int
error_absent(struct error *err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	error_write(err, EX_NO, format, ap);
	va_end(ap);
	err->absent = true;
	return -1;
}

int
error_outdated(struct error *err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	error_write(err, EX_TEMPFAIL, format, ap);
	va_end(ap);
	err->outdated = true;
	return -1;
}

int
error_too_large(struct error *err, const char *name, size_t limit)
{
	error_set(err, EX_DATAERR, "%s: larger than %zu bytes", name, limit);
	err->too_large = true;
	return -1;
}

/* Appends to the text; what does not fit is cut. */
static void
error_append(struct error *err, const char *before, const char *text)
{
	size_t length = strlen(err->text);

	error_mark_cut(err, (int)length + snprintf(err->text + length, sizeof err->text - length, "%s%s", before, text));
}

int
error_way_out(struct error *err, const char *option, const char *text)
{
	err->option = option;
	err->reason = strlen(err->text);
	error_append(err, "", text);
	return -1;
}

/* Shortens an absolute path to the folder where its file system is mounted. What is not there yet counts as on that of its folder. */
static void
error_shorten_to_mount(char *path)
{
	struct stat here, above;
	size_t mount = 1;
	bool there = stat("/", &above) == 0;

	for (size_t i = 1; path[i - 1] && there; i++) {
		char byte = path[i];

		if (byte && byte != '/')
			continue;
		path[i] = '\0';
		there = stat(path, &here) == 0;
		path[i] = byte;
		if (there && here.st_dev != above.st_dev) {
			mount = i;
			above = here;
		}
	}
	path[mount] = '\0';
}

/* Appends what to do about a file system that is full, and which one that is where the text begins with the path of a file. */
static void
error_append_room(struct error *err)
{
	char path[sizeof err->text];

	memcpy(path, err->text, sizeof path);
	path[strcspn(path, ":;")] = '\0';
	if (path[0] == '/')
		error_shorten_to_mount(path);
	error_append(err, "; make room on ", path[0] == '/' ? path : "its file system");
}

int
error_errno(struct error *err, int code, const char *format, ...)
{
	int saved = errno;
	va_list ap;

	va_start(ap, format);
	error_write(err, code, format, ap);
	va_end(ap);
	error_append(err, ": ", strerror(saved));
	if (saved == ENOSPC || saved == EDQUOT)
		error_append_room(err);
	errno = saved;
	return -1;
}

int
error_read(struct error *err, const char *name)
{
	return error_errno(err, errno == EISDIR || errno == EBADF ? EX_NOINPUT : EX_IOERR, "%s", name);
}

int
error_prefix(struct error *err, const char *format, ...)
{
	char text[sizeof err->text], what[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	if (strncmp(err->text, what, strlen(what)) == 0 && strncmp(err->text + strlen(what), ": ", 2) == 0)
		return -1;
	memcpy(text, err->text, sizeof text);
	error_mark_cut(err, snprintf(err->text, sizeof err->text, "%s: %s", what, text));
	if (err->option)
		err->reason += strlen(what) + 2;
	return -1;
}
