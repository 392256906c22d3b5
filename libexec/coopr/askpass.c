/* SPDX-License-Identifier: Apache-2.0
 *
 * askpass: what ssh(1) runs as SSH_ASKPASS to be told a password or a passphrase, which so stands in no argument and in no
 * environment. Prints the file $COOPR_PASSPHRASEFILE if ssh asks for the passphrase of a key, $COOPR_PASSWORDFILE if a machine asks for
 * a password. Exits with 1, and prints nothing, at any other question, as whether an unknown machine is to be trusted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"

enum { PASSWORD_BYTES = 64 * 1024 };

/* Returns the variable that names the file which answers the question; NULL if none does. */
static const char *
askpass_variable(const char *question)
{
	if (strncmp(question, "Enter passphrase for ", strlen("Enter passphrase for ")) == 0)
		return "COOPR_PASSPHRASEFILE";
	return strcasestr(question, "password") ? "COOPR_PASSWORDFILE" : NULL;
}

int
main(int argc, char **argv)
{
	const char *variable = argc > 1 ? askpass_variable(argv[1]) : NULL, *path = variable ? getenv(variable) : NULL;
	struct buffer text = {0};
	struct error ignored;
	int code = 1;

	if (path && *path && file_read(AT_FDCWD, path, PASSWORD_BYTES, &text, &ignored) == 0) {
		buffer_byte(&text, '\n');
		code = fwrite(text.data, 1, text.length, stdout) == text.length && fflush(stdout) == 0 ? 0 : 1;
	}
	buffer_release(&text);
	return code;
}
