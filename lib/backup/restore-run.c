/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/unpack.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "queue/queue.h"
#include "store/store.h"

struct targets { /* where the parts of the backup are written */
	const struct restore *restore;
	int state, spool; /* folders */
};

static int
restore_place(void *context, const char *path, const char **name)
{
	const struct targets *targets = context;

	*name = targets->restore->store; /* absolute */
	if (strcmp(path, RESTORE_STORE) == 0)
		return AT_FDCWD;
	if (strncmp(path, "spool/", 6) == 0) {
		*name = path + 6;
		return targets->spool;
	}
	*name = path;
	return targets->state;
}

/* Makes the folder of the store, which may be another than the state folder. */
static int
restore_make_store_folder(const struct restore *restore, struct error *err)
{
	char *folder = memory_substring(restore->store, (size_t)(strrchr(restore->store, '/') - restore->store));
	int result = *folder ? file_make_dirs(AT_FDCWD, folder, 0700, err) : 0;

	free(folder);
	return result;
}

/* Writes all parts to the folders that are open. */
static int
restore_write(const struct restore *restore, const struct targets *targets, struct error *err)
{
	const struct unpack unpack = restore_unpack(restore);
	struct targets places = *targets;
	char *key = memory_printf("%s/key", restore->staging);
	int store = -1, result = unpack_all(&unpack, &restore->manifest, restore_place, &places, err);

	if (result == 0 && restore->key.bytes)
		result = store_key_save(&restore->key, key, err);
	if (result == 0)
		store = file_open(AT_FDCWD, restore->store, O_RDONLY, 0, err);
	if (result == 0 && (store < 0 || syncfs(store) < 0 || syncfs(targets->spool) < 0 || syncfs(targets->state) < 0))
		result = error_errno(err, EX_IOERR, "%s: cannot be written to disk", restore->staging);
	if (store >= 0)
		close(store);
	free(key);
	return result;
}

/* Refuses a store that this program cannot use, before anything is in its place. */
static int
restore_check_version(const struct restore *restore, struct error *err)
{
	static const char *const endings[] = {"-wal", "-shm"};
	int result = store_check_version(restore->store, err);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		char *path = memory_printf("%s%s", restore->store, endings[i]);

		unlink(path);
		free(path);
	}
	return result < 0 ? error_prefix(err, "%s", restore->file) : 0;
}

/* Unpacks the backup beside the places of its parts. */
static int
restore_stage(const struct restore *restore, int state, struct queue *queue, struct error *err)
{
	struct targets targets = {restore, state, queue_restore_begin(queue, err)};
	struct buffer text = {0};
	int result;

	if (targets.spool < 0)
		return -1;
	result = restore_make_store_folder(restore, err);
	if (result == 0 && unlink(restore->store) < 0 && errno != ENOENT)
		result = error_errno(err, EX_CANTCREAT, "%s", restore->store);
	if (result == 0)
		result = restore_write(restore, &targets, err);
	if (result == 0)
		result = restore_check_version(restore, err);
	close(targets.spool);
	restore_describe(restore, &text);
	if (result == 0)
		result = file_replace(AT_FDCWD, restore->ready, text.data, text.length, 0600, err);
	buffer_release(&text);
	return result;
}

/* Moves the queue into its place, and has attempts that ran when the backup was made be lost, as those of workers that died are. */
static int
restore_finish_queue(struct queue *queue, struct error *err)
{
	struct buffer found = {0};
	struct queue_check check = {.repair = true, .out = &found};
	int result = queue_restore_end(queue, err);

	queue_close(queue);
	if (result < 0)
		return -1;
	queue = queue_open(NULL, QUEUE_WRITE, err);
	result = queue ? queue_check(queue, NULL, &check, err) : -1;
	queue_close(queue);
	buffer_release(&found);
	return result;
}

/* Moves one file of the state folder into its place; a rename that was done before is fine. */
static int
restore_finish_file(const struct restore *restore, int staging, int state, const char *path, struct error *err)
{
	const char *name = path + strlen("state/"), *slash = strrchr(name, '/');
	char *folder = slash ? memory_substring(name, (size_t)(slash - name)) : NULL;
	int result = folder ? file_make_dirs(state, folder, 0700, err) : 0;

	if (result == 0 && slash != name + strlen(name) - 1 && renameat(staging, path, state, name) < 0 && errno != ENOENT)
		result = error_errno(err, EX_CANTCREAT, "%s/%s", restore->places.state, name);
	free(folder);
	return result;
}

static int
restore_finish_state(const struct restore *restore, int staging, struct error *err)
{
	int state = file_open(AT_FDCWD, restore->places.state, O_RDONLY | O_DIRECTORY, 0, err), result = 0;

	if (state < 0)
		return -1;
	for (size_t i = 0; i < restore->manifest.count && result == 0; i++)
		if (strncmp(restore->manifest.files[i].path, "state/", 6) == 0)
			result = restore_finish_file(restore, staging, state, restore->manifest.files[i].path, err);
	if (result == 0 && syncfs(state) < 0)
		result = error_errno(err, EX_IOERR, "%s", restore->places.state);
	close(state);
	return result;
}

static int
restore_finish_key(const struct restore *restore, struct error *err)
{
	char *path = memory_printf("%s/key", restore->staging);
	struct store_key key = {0};
	int result = 0;

	if (file_exists(AT_FDCWD, path))
		result = store_key_load(path, &key, err);
	if (result == 0 && key.bytes)
		result = store_key_save(&key, restore->places.key, err);
	store_key_release(&key);
	free(path);
	return result;
}

/* Gives the store its name: from that moment on the installation is there. */
static int
restore_finish_store(const struct restore *restore, struct error *err)
{
	char *folder = memory_substring(restore->store, (size_t)(strrchr(restore->store, '/') - restore->store) + 1);
	int result = 0;

	if (file_exists(AT_FDCWD, restore->store) &&
	    renameat2(AT_FDCWD, restore->store, AT_FDCWD, restore->places.store, RENAME_NOREPLACE) < 0)
		result = errno != EEXIST ? error_errno(err, EX_CANTCREAT, "%s", restore->places.store) : error_set(err, EX_CANTCREAT,
		    "%s: a store was created meanwhile; move it away, with -wal, -shm and .lock, and run the command again",
		    restore->places.store);
	if (result == 0 && file_sync_dir(AT_FDCWD, folder) < 0)
		result = error_errno(err, EX_IOERR, "%s", folder);
	free(folder);
	return result;
}

/* Makes the folder of what is being restored, and locks it; what an earlier one has left there that was not ready is removed. */
static int
restore_lock(const struct restore *restore, struct error *err)
{
	int fd;

	if (file_make_dirs(AT_FDCWD, restore->staging, 0700, err) < 0)
		return -1;
	fd = file_open(AT_FDCWD, restore->staging, O_RDONLY | O_DIRECTORY, 0, err);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		error_set(err, EX_TEMPFAIL, "%s: another coopr restore is running; wait until it has ended", restore->staging);
	else if (restore->begun || (file_remove_tree(fd, "state", err) == 0 && file_remove_tree(fd, "key", err) == 0))
		return fd;
	close(fd);
	return -1;
}

/* Removes what was written of a restore that failed before all of it was there. */
static void
restore_undo(const struct restore *restore, struct queue *queue)
{
	struct error ignored; /* the next one removes it */
	int spool = queue_restore_begin(queue, &ignored);

	if (spool >= 0)
		close(spool);
	unlink(restore->store);
	file_remove_tree(AT_FDCWD, restore->staging, &ignored);
}

/* Removes what a complete restore has left; until "ready" is gone, the command can be repeated. */
static int
restore_clean_up(const struct restore *restore, int staging, struct error *err)
{
	if (file_remove_tree(staging, "state", err) < 0 || file_remove_tree(staging, "key", err) < 0)
		return -1;
	if (unlink(restore->ready) < 0 && errno != ENOENT)
		return error_errno(err, EX_IOERR, "%s", restore->ready);
	return file_remove_tree(AT_FDCWD, restore->staging, err);
}

int
restore_run(struct restore *restore, struct error *err)
{
	int staging = restore_lock(restore, err), result;
	struct queue *queue;

	if (staging < 0)
		return -1;
	queue = queue_open(NULL, QUEUE_WRITE, err);
	result = queue ? 0 : -1;
	if (result == 0 && !restore->begun)
		result = restore_stage(restore, staging, queue, err);
	if (result < 0) {
		if (queue && !file_exists(AT_FDCWD, restore->ready))
			restore_undo(restore, queue);
		queue_close(queue);
	} else if (restore_finish_queue(queue, err) < 0 || restore_finish_state(restore, staging, err) < 0 ||
	    restore_finish_key(restore, err) < 0 || restore_finish_store(restore, err) < 0) {
		result = -1;
	} else {
		result = restore_clean_up(restore, staging, err);
	}
	close(staging);
	return result;
}
