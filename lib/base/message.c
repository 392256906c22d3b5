/* SPDX-License-Identifier: Apache-2.0 */
#include "base/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/printable.h"

static const char *program = "coopr";

void
message_program(const char *name)
{
	program = name;
}

void
message(const char *format, ...)
{
	char line[4096];
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	if (length >= (int)sizeof line)
		memcpy(line + sizeof line - 4, "...", 4);
	printable(line);
	fprintf(stderr, "%s: %s\n", program, line);
}

void
message_notice(const char *text)
{
	message("%s", text);
}

int
message_error(const struct error *err)
{
	message("%s", err->text);
	return err->code;
}

int
message_end(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	message("standard output: %s", strerror(errno ? errno : EIO));
	return EX_IOERR;
}
