/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/pack.h"
#include "backup/places.h"
#include "backup/state-files.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "cluster/clusters.h"
#include "cluster/operations.h"
#include "queue/queue.h"
#include "store/key.h"
#include "store/store.h"

struct backup {
	const struct backup_options *options;
	struct places places;
	struct manifest *manifest;
	struct error *err;
	char *new;     /* FILE.new, which becomes the file */
	char *work;    /* FILE.work, a folder for the copy of the store and of files that change */
	char *copy;    /* of the store */
	char *scratch;
	int fd;        /* of new, locked */
	struct queue *queue; /* NULL: there is none */
	struct pack *pack;
	struct arguments jobs;
	struct store_key key; /* bytes NULL: the store has none */
};

static int
backup_refuse_place(const struct backup *backup)
{
	const char *file = backup->options->file, *slash = strrchr(file, '/');
	char *folder = slash ? memory_substring(file, slash == file ? 1 : (size_t)(slash - file)) : memory_string(".");
	bool held = places_hold(&backup->places, folder);

	free(folder);
	if (held)
		return error_set(backup->err, EX_CANTCREAT, "%s: the file is in a folder that is backed up; name a file outside of %s", file,
		    backup->places.state);
	if (!backup->options->replace && file_exists(AT_FDCWD, file))
		return error_set(backup->err, EX_CANTCREAT, "%s: the file exists already; name another file, or use --force to replace it", file);
	return 0;
}

/* Makes the file, and the folder beside it; what is left there of a command that was killed is removed. */
static int
backup_open_files(struct backup *backup)
{
	backup->fd = file_open(AT_FDCWD, backup->new, O_RDWR | O_CREAT | O_NOFOLLOW, 0600, backup->err);
	if (backup->fd < 0)
		return -1;
	if (flock(backup->fd, LOCK_EX | LOCK_NB) < 0)
		return error_set(backup->err, EX_TEMPFAIL, "%s: another coopr backup is writing it; wait until that has ended",
		    backup->options->file);
	if (fchmod(backup->fd, 0600) < 0 || ftruncate(backup->fd, 0) < 0)
		return error_errno(backup->err, EX_CANTCREAT, "%s", backup->new);
	if (file_remove_tree(AT_FDCWD, backup->work, backup->err) < 0)
		return -1;
	return mkdir(backup->work, 0700) < 0 ? error_errno(backup->err, EX_CANTCREAT, "%s", backup->work) : 0;
}

/* Opens the queue and learns which jobs there are. */
static int
backup_look_at_queue(struct backup *backup)
{
	backup->queue = queue_open(NULL, QUEUE_READ, backup->err);
	if (!backup->queue)
		return backup->err->absent ? 0 : -1;
	return queue_ids(backup->queue, &backup->jobs, backup->err);
}

/* Copies the store, and asks the copy which operations are under way. */
static int
backup_copy_store(struct backup *backup, struct store *store)
{
	struct store *copy = NULL;
	char mark[STORE_KEY_MARK_SIZE];
	int result;

	if (store_backup(store, backup->copy, backup->err) < 0)
		return -1;
	if (store_key_read(store, &backup->key, backup->err) == 0)
		backup->manifest->key_mark = arena_string(&backup->manifest->arena, store_key_mark(&backup->key, mark));
	else if (backup->err->code != EX_NOINPUT)
		return -1;
	result = store_open(&copy, backup->copy, STORE_READ, NULL, backup->err);
	if (result == 0)
		result = clusters_count_living(copy, &backup->manifest->clusters, backup->err);
	if (result == 0)
		result = operations_open_jobs(copy, &backup->jobs, backup->err);
	store_release(copy);
	return result;
}

static int
backup_pack_store(struct backup *backup)
{
	int fd = file_open(AT_FDCWD, backup->copy, O_RDONLY, 0, backup->err), result;
	struct stat st;

	if (fd < 0)
		return -1;
	result = fstat(fd, &st) < 0 ? error_errno(backup->err, EX_IOERR, "%s", backup->copy)
	    : pack_file(backup->pack, "store.sqlite3", fd, st.st_size, backup->err);
	close(fd);
	return result;
}

static int
backup_pack_state(struct backup *backup)
{
	int scratch = file_open(AT_FDCWD, backup->scratch, O_RDWR | O_CREAT | O_EXCL, 0600, backup->err), result;

	if (scratch < 0)
		return -1;
	result = state_files_pack(backup->pack, &backup->places, scratch, backup->options->tell, backup->err);
	close(scratch);
	return result;
}

/* Packs a file of the copy of the queue. */
static int
backup_pack_queue_file(void *context, const char *path, int fd, int64_t size, struct error *err)
{
	struct backup *backup = context;
	char *name = memory_printf("spool/%s", path);
	int result = fd < 0 ? pack_folder(backup->pack, name, err) : pack_file(backup->pack, name, fd, size, err);

	if (strcmp(file_base_name(path), "plan.ndjson") == 0)
		backup->manifest->jobs++;
	free(name);
	return result;
}

static int
backup_pack_all(struct backup *backup)
{
	bool compress;

	if (pack_compression(backup->options->file, &compress, backup->err) < 0)
		return -1;
	backup->pack = pack_open(backup->fd, backup->new, compress, backup->manifest, backup->err);
	if (!backup->pack || backup_pack_store(backup) < 0)
		return -1;
	if (backup->queue && queue_copy(backup->queue, &backup->jobs, backup_pack_queue_file, backup, backup->err) < 0)
		return -1;
	/* Last: it has at least what the results of the tasks in the queue speak of. */
	if (backup_pack_state(backup) < 0)
		return -1;
	return pack_finish(backup->pack, backup->err);
}

/* Gives the file its name, once it and the key are on disk. */
static int
backup_publish(struct backup *backup)
{
	const struct backup_options *options = backup->options;
	const char *slash = strrchr(options->file, '/');
	char *folder = slash ? memory_substring(options->file, (size_t)(slash - options->file) + 1) : memory_string(".");
	int result = fsync(backup->fd) < 0 ? error_errno(backup->err, EX_IOERR, "%s", backup->new) : 0;

	if (result == 0 && options->key_file && backup->key.bytes)
		result = store_key_save(&backup->key, options->key_file, backup->err);
	/* First, so that a complete backup has nothing beside it, wherever this is killed. */
	if (result == 0)
		result = file_remove_tree(AT_FDCWD, backup->work, backup->err);
	if (result == 0 && (renameat2(AT_FDCWD, backup->new, AT_FDCWD, options->file, options->replace ? 0 : RENAME_NOREPLACE) < 0 ||
	    file_sync_dir(AT_FDCWD, folder) < 0))
		result = error_errno(backup->err, EX_CANTCREAT, "%s", options->file);
	free(folder);
	return result;
}

static void
backup_clean_up(struct backup *backup, bool made)
{
	struct error ignored; /* the next one to the same file removes it */

	file_remove_tree(AT_FDCWD, backup->work, &ignored);
	if (!made)
		unlink(backup->new);
}

static void
backup_describe(struct backup *backup)
{
	struct manifest *manifest = backup->manifest;
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	*manifest = (struct manifest){.at_ms = clock_wall_ms()};
	manifest->host = arena_string(&manifest->arena, host);
	manifest->version = COOPR_VERSION;
	manifest->state = arena_string(&manifest->arena, backup->places.state);
}

int
backup_make(struct store *store, const struct backup_options *options, struct manifest *manifest, struct error *err)
{
	struct backup backup = {.options = options, .manifest = manifest, .err = err, .fd = -1,
		.new = memory_printf("%s.new", options->file), .work = memory_printf("%s.work", options->file)};
	bool compress, locked = false;
	int result = pack_compression(options->file, &compress, err);

	backup.copy = memory_printf("%s/store.sqlite3", backup.work);
	backup.scratch = memory_printf("%s/file", backup.work);
	places_find(&backup.places);
	backup_describe(&backup);
	if (result == 0)
		result = backup_refuse_place(&backup);
	if (result == 0) {
		result = backup_open_files(&backup);
		locked = backup.fd >= 0 && (result == 0 || err->code != EX_TEMPFAIL);
	}
	if (result == 0 && (backup_look_at_queue(&backup) < 0 || backup_copy_store(&backup, store) < 0 ||
	    backup_pack_all(&backup) < 0 || backup_publish(&backup) < 0))
		result = -1;
	pack_release(backup.pack);
	if (locked)
		backup_clean_up(&backup, result == 0);
	queue_close(backup.queue);
	store_key_release(&backup.key);
	arguments_release(&backup.jobs);
	if (backup.fd >= 0)
		close(backup.fd);
	places_release(&backup.places);
	free(backup.new);
	free(backup.work);
	free(backup.copy);
	free(backup.scratch);
	return result;
}
