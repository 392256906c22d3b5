/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
error_mark_cut(struct error *err, int length)
{
	if (length >= (int)sizeof err->text)
		memcpy(err->text + sizeof err->text - 4, "...", 4);
}

int
error_set(struct error *err, int code, const char *format, ...)
{
	va_list ap;

	err->code = code;
	va_start(ap, format);
	error_mark_cut(err, vsnprintf(err->text, sizeof err->text, format, ap));
	va_end(ap);
	return -1;
}

int
error_errno(struct error *err, int code, const char *format, ...)
{
	int saved = errno, length;
	va_list ap;

	err->code = code;
	va_start(ap, format);
	length = vsnprintf(err->text, sizeof err->text, format, ap);
	va_end(ap);
	error_mark_cut(err, length);
	if (length >= 0 && (size_t)length < sizeof err->text) {
		size_t room = sizeof err->text - (size_t)length;

		error_mark_cut(err, length + snprintf(err->text + length, room, ": %s", strerror(saved)));
	}
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
	memcpy(text, err->text, sizeof text);
	error_mark_cut(err, snprintf(err->text, sizeof err->text, "%s: %s", what, text));
	return -1;
}
