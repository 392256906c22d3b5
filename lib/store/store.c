/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/memory.h"
#include "store/schema.h"
#include "store/sql.h"

enum {
	BUSY_MS = 60 * 1000,  /* for what sqlite itself locks for a moment: recovery */
	FORGET_MS = 1000,     /* for readers of what is to be forgotten */
	CHECKPOINT_PAGES = 250, /* who opens the store alone reads so much of the log */
};

/* The mode of the files that sqlite puts beside the database is that of the database. */
static int
store_make_file(const char *path, int flags, struct error *err)
{
	int fd = file_open(AT_FDCWD, path, O_RDWR | O_CREAT | flags, 0600, err);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

/* With the folder it is in. */
static int
store_make_store(const char *path, struct error *err)
{
	char *folder = memory_substring(path, (size_t)(file_base_name(path) - path));
	int result = *folder ? file_make_dirs(AT_FDCWD, folder, 0700, err) : 0;

	free(folder);
	return result < 0 ? -1 : store_make_file(path, 0, err);
}

static int
store_open_lock(struct store *store, struct error *err)
{
	char *path = memory_printf("%s.lock", store->path);

	store->lock = file_open(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, err);
	free(path);
	return store->lock < 0 ? -1 : 0;
}

static int
store_take_turn(struct store *store, struct error *err)
{
	if (lock_wait(store->lock, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "%s.lock: cannot be locked", store->path);
	return 0;
}

/* sqlite does not wait for the lock that the change to WAL needs: that is made at our own. */
static int
store_migrate(struct store *store, struct error *err)
{
	int result;

	if (store_take_turn(store, err) < 0)
		return -1;
	result = sql_run(store->db, err, "PRAGMA journal_mode = WAL");
	flock(store->lock, LOCK_UN);
	if (result < 0 || store_begin(store, err) < 0)
		return -1;
	if (schema_migrate(store->db, &store->made, err) < 0) {
		store_rollback(store);
		return -1;
	}
	return store_commit(store, err);
}

/* 1 where it is to be read, and has to be written first: it is of an older version. */
static int
store_connect(struct store *store, enum store_mode mode, struct error *err)
{
	int flags = mode == STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	bool newest = false;

	if (mode == STORE_CREATE && !file_exists(AT_FDCWD, store->path) && store_make_store(store->path, err) < 0)
		return -1;
	if (!file_exists(AT_FDCWD, store->path))
		return error_set(err, EX_NOINPUT, "%s: there is no store; coopr-store init makes one", store->path);
	if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK)
		return sql_error(store->db, err);
	sqlite3_busy_timeout(store->db, BUSY_MS);
	sqlite3_wal_autocheckpoint(store->db, CHECKPOINT_PAGES);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	if (sql_run(store->db, err, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON") < 0 ||
	    schema_look(store->db, &newest, err) < 0)
		return -1;
	if (mode == STORE_READ)
		return newest ? 0 : 1;
	if (store_open_lock(store, err) < 0)
		return -1;
	return newest ? 0 : store_migrate(store, err);
}

int
store_open(struct store *store, const char *path, enum store_mode mode, const char *tenant, struct error *err)
{
	int got;

	*store = (struct store){.path = memory_string(path), .lock = -1};
	got = store_connect(store, mode, err);
	if (got > 0) {
		sqlite3_close(store->db);
		got = store_connect(store, STORE_WRITE, err);
	}
	if (got < 0)
		return -1;
	if (!tenant)
		return 0;
	got = sql_number(store->db, &store->tenant, err, "SELECT id FROM tenant WHERE name = ? AND deleted_ms = 0",
	    "t", tenant);
	if (got == 0)
		error_set(err, EX_NO, "%s: there is no tenant \"%s\"", path, tenant);
	return got > 0 ? 0 : -1;
}

void
store_release(struct store *store)
{
	sqlite3_close(store->db);
	if (store->path && store->lock >= 0) /* one that was never opened is zero, and 0 is standard input */
		close(store->lock);
	free(store->path);
	free(store->by);
	*store = (struct store){.lock = -1};
}

int
store_begin(struct store *store, struct error *err)
{
	if (store_take_turn(store, err) < 0)
		return -1;
	if (sql_run(store->db, err, "BEGIN IMMEDIATE") == 0)
		return 0;
	flock(store->lock, LOCK_UN);
	return -1;
}

/* sqlite writes a transaction to its log, here without waiting for the disk (synchronous = NORMAL). */
static int
store_sync_log(struct store *store, struct error *err)
{
	char *path = memory_printf("%s-wal", store->path);
	int fd = file_open(AT_FDCWD, path, O_RDONLY, 0, err), result = -1;

	if (fd >= 0) {
		result = fsync(fd) < 0 ? error_errno(err, EX_IOERR, "%s", path) : 0;
		close(fd);
	}
	free(path);
	return result;
}

/* The next writer goes on while this one waits for the disk, so that one wait serves many: what is in the log before a
 * transaction is on disk with it. */
int
store_commit(struct store *store, struct error *err)
{
	if (sql_run(store->db, err, "COMMIT") < 0)
		return -1;
	flock(store->lock, LOCK_UN);
	return store_sync_log(store, err);
}

void
store_forget(struct store *store)
{
	sqlite3_busy_timeout(store->db, FORGET_MS);
	sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_busy_timeout(store->db, BUSY_MS);
}

void
store_rollback(struct store *store)
{
	sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	flock(store->lock, LOCK_UN);
}

/* sqlite's online backup, in one step: what it reads is one snapshot. */
static int
store_copy_pages(sqlite3 *from, sqlite3 *to, struct error *err)
{
	sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");

	if (backup)
		sqlite3_backup_step(backup, -1);
	return backup && sqlite3_backup_finish(backup) == SQLITE_OK ? 0 : sql_error(to, err);
}

int
store_backup(struct store *store, const char *path, struct error *err)
{
	sqlite3 *copy = NULL;
	int result = store_make_file(path, O_EXCL, err);

	if (result < 0)
		return -1;
	if (sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		result = sql_error(copy, err);
	if (result == 0)
		result = store_copy_pages(store->db, copy, err);
	if (sqlite3_close(copy) != SQLITE_OK)
		result = -1;
	if (result < 0)
		unlink(path);
	return result;
}
