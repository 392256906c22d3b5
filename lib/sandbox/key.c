/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "sandbox/state.h"

enum { FILE_LIMIT = 16 * 1024, LOG_LIMIT = 4096 };

int
key_make(const char *path, const char *comment, struct error *err)
{
	struct arguments arguments = {0};
	struct buffer log = {0};
	int code;

	arguments_push_all(&arguments, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", path, NULL);
	unlink(path); /* ssh-keygen would ask whether it may */
	code = process_run(arguments.list, NULL, 0, NULL, &log, LOG_LIMIT, err);
	if (code > 0)
		code = error_set(err, EX_CANTCREAT, "%s: ssh-keygen: %.*s", path,
		    log.data ? (int)strcspn(log.data, "\n") : 0, buffer_string(&log));
	buffer_release(&log);
	arguments_release(&arguments);
	return code;
}

char *
key_public(const char *path, struct error *err)
{
	char *file = memory_printf("%s.pub", path), *key = NULL;
	struct buffer text = {0};

	if (file_read(AT_FDCWD, file, FILE_LIMIT, &text, err) == 0) {
		size_t type = strcspn(text.data, " \n");
		size_t rest = text.data[type] == ' ' ? strcspn(text.data + type + 1, " \n") + 1 : 0;

		if (rest > 1)
			key = memory_substring(text.data, type + rest);
		else
			error_set(err, EX_DATAERR, "%s: is not a public key", file);
	}
	buffer_release(&text);
	free(file);
	return key;
}

/* Makes the key beside path and moves it there, the private part last: where that is, the pair is whole. */
static int
key_make_login(const char *path, struct error *err)
{
	char *fresh = memory_printf("%s.new", path), *fresh_public = memory_printf("%s.new.pub", path),
	     *public = memory_printf("%s.pub", path);
	int result = key_make(fresh, "coopr", err);

	if (result == 0 && (rename(fresh_public, public) < 0 || rename(fresh, path) < 0))
		result = error_errno(err, EX_CANTCREAT, "%s", path);
	free(public);
	free(fresh_public);
	free(fresh);
	return result;
}

char *
key_login(struct error *err)
{
	char *state = location_state(), *dir = memory_printf("%s/ssh", state),
	     *path = memory_printf("%s/id_ed25519", dir), *real;
	int lock = -1, result = 0;

	if (!file_exists(AT_FDCWD, path)) {
		lock = state_lock(dir, err);
		if (lock < 0 || (!file_exists(AT_FDCWD, path) && key_make_login(path, err) < 0))
			result = -1;
	}
	if (lock >= 0)
		close(lock);
	real = result < 0 ? NULL : realpath(path, NULL);
	if (result == 0 && !real)
		error_errno(err, EX_NOINPUT, "%s", path);
	free(path);
	free(dir);
	free(state);
	return real;
}
