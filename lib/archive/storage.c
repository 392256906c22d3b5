/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/storage.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/preference.h"
#include "content/keeper.h"
#include "model/name.h"
#include "store/key.h"
#include "store/secrets.h"
#include "store/store.h"

enum { KEY_LENGTH = 200, LIST_BYTES = 64 * 1024 * 1024 };

static pid_t storage_parent; /* who has started a put */

bool
storage_is_key(const char *text)
{
	return name_is_valid(text) && isalnum((unsigned char)*text) && strlen(text) <= KEY_LENGTH;
}

/* Adds the executable with its first arguments, and what it is to do. */
static void
storage_push(struct arguments *argv, const char *verb, const char *key)
{
	const char *setting = preference_value(PREFERENCE_ARCHIVES, NULL);
	char *folder, *state;

	if (setting) {
		keeper_push(setting, argv);
	} else {
		folder = location_installed("libexec/coopr/archives/folder");
		state = location_state();
		arguments_push(argv, folder);
		arguments_printf(argv, "%s/archives", state);
		free(state);
		free(folder);
	}
	arguments_push(argv, verb);
	if (key)
		arguments_push(argv, key);
}

char *
storage_name(void)
{
	struct arguments argv = {0};
	char *name;

	storage_push(&argv, "", NULL);
	name = memory_string(argv.list[0]);
	arguments_release(&argv);
	return name;
}

static int
storage_read_key(struct store *store, bool make, struct store_key *key, struct error *err)
{
	if (!make)
		return store_key_read(store, key, err);
	if (store_begin(store, err) < 0)
		return -1;
	return store_finish(store, secrets_key(store, key, err), err);
}

/* Starts the executable with one end of a pipe; *ours is the other. It leads a group of its own, so that storage_kill ends all of it. */
static int
storage_start(struct process *process, const struct arguments *argv, bool we_write, int *ours, struct error *err)
{
	int ends[2], result;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(err, EX_OSERR, "pipe");
	*process = (struct process){.argv = argv->list, .in = we_write ? ends[0] : PROCESS_NULL, .out = we_write ? STDERR_FILENO : ends[1],
	    .err = PROCESS_INHERIT, .group = true, .die_with_us = true};
	result = process_start(process, err);
	close(ends[we_write ? 0 : 1]);
	*ours = ends[we_write ? 1 : 0];
	if (result < 0)
		close(*ours);
	return result;
}

/* The stream has ended because its writer has; where that is not what it wanted, it is dead. */
static int
storage_may_end(struct error *err)
{
	if (getppid() == storage_parent)
		return 0;
	errno = 0;
	return error_set(err, EX_TEMPFAIL, "the process that makes the archive is dead; it is not kept");
}

/* Seals what comes from in. What the executable did not get to its end it must not see the end of, lest it keeps that: it is killed
 * first, unless it was the one that wanted no more. */
static int
storage_seal_to(struct process *process, const struct store_key *bytes, const char *key, int in, int out, struct seal *seal,
    struct error *err)
{
	const char *name = process->argv[0];
	int result = seal_close(bytes, key, in, out, storage_may_end, seal, err);
	bool refused = result < 0 && errno == EPIPE;
	struct error ignored; /* it was killed */

	if (result < 0 && !refused)
		kill(-process->pid, SIGKILL);
	close(out);
	if (result < 0 && !refused) {
		process_wait(process, &ignored);
		return -1;
	}
	return keeper_judge(process_wait(process, err), name, "put", "archive", err) < 0 ? -1 : result;
}

int
storage_put(struct store *store, const char *key, int in, struct seal *seal, struct error *err)
{
	struct store_key bytes = {0};
	struct arguments argv = {0};
	struct process process;
	int out, result;

	storage_parent = getppid();
	signal(SIGPIPE, SIG_IGN);
	if (storage_read_key(store, true, &bytes, err) < 0)
		return -1;
	storage_push(&argv, "put", key);
	result = storage_start(&process, &argv, true, &out, err);
	if (result == 0)
		result = storage_seal_to(&process, &bytes, key, in, out, seal, err);
	arguments_release(&argv);
	store_key_release(&bytes);
	return result;
}

/* Opens what the executable prints. Where that ended before it should have, the executable's own failure is the reason. */
static int
storage_open_from(struct process *process, const struct store_key *bytes, const char *key, int in, int out, struct error *err)
{
	int result = seal_open(bytes, key, in, out, err), ended;
	struct error failure;
	char byte;

	ended = result < 0 && err->code == EX_DATAERR && read(in, &byte, 1) == 0;
	close(in);
	if (keeper_judge(process_wait(process, &failure), process->argv[0], "get", "archive", &failure) == 0 || (result < 0 && !ended))
		return result;
	*err = failure;
	return -1;
}

int
storage_get(struct store *store, const char *key, int out, struct error *err)
{
	struct store_key bytes = {0};
	struct arguments argv = {0};
	struct process process;
	int in, result;

	signal(SIGPIPE, SIG_IGN);
	if (storage_read_key(store, false, &bytes, err) < 0)
		return -1;
	storage_push(&argv, "get", key);
	result = storage_start(&process, &argv, false, &in, err);
	if (result == 0)
		result = storage_open_from(&process, &bytes, key, in, out, err);
	arguments_release(&argv);
	store_key_release(&bytes);
	return result;
}

/* Runs a verb that reads nothing, within its time. */
static int
storage_run(const char *verb, const char *key, struct buffer *out, struct error *err)
{
	struct arguments argv = {0};
	int result;

	storage_push(&argv, verb, key);
	result = keeper_judge(keeper_run(&argv, NULL, 0, out, LIST_BYTES, err), argv.list[0], verb, "archive", err);
	arguments_release(&argv);
	return result;
}

int
storage_list(struct arguments *keys, struct error *err)
{
	struct buffer out = {0};
	char *rest, *line;
	int result = storage_run("list", NULL, &out, err);

	buffer_byte(&out, '\0');
	rest = out.data;
	while (result == 0 && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t\r")] = '\0';
		if (storage_is_key(line))
			arguments_push(keys, line);
	}
	buffer_release(&out);
	return result;
}

int
storage_delete(const char *key, struct error *err)
{
	struct buffer out = {0};
	int result = storage_run("delete", key, &out, err);

	buffer_release(&out);
	return result;
}
