/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"
#include "store/sql/sql.h"
#include "store/sqlite/database.h"

enum {
	BUSY_MS = 60 * 1000,  /* for what SQLite itself locks for a moment: recovery */
	WIPE_MS = 1000,       /* for readers of what is to be wiped */
	CHECKPOINT_PAGES = 250, /* who opens the store alone reads so much of the log */
};

/* The files that SQLite puts beside the database have its mode. */
static int
sqlite_make_file(const char *path, int flags, struct error *err)
{
	int fd = file_open(AT_FDCWD, path, O_RDWR | O_CREAT | flags, 0600, err);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

static int
sqlite_take_turn(struct sqlite *db, struct error *err)
{
	if (lock_wait(db->lock, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "%s.lock: cannot be locked", db->path);
	return 0;
}

/* SQLite does not wait for the lock that the change to WAL needs, so it is made in our turn. */
static int
sqlite_prepare_writing(struct sqlite *db, struct error *err)
{
	char *path = memory_printf("%s.lock", db->path);
	int result;

	db->lock = file_open(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, err);
	free(path);
	if (db->lock < 0)
		return -1;
	if (db->version > 0)
		return 0;
	if (sqlite_take_turn(db, err) < 0)
		return -1;
	result = sqlite_run(db->db, "PRAGMA journal_mode = WAL", err);
	flock(db->lock, LOCK_UN);
	return result;
}

/* Makes the folder of a new store, and brings it to disk with those above it. */
static int
sqlite_make_folder(const char *path, struct error *err)
{
	int folder, result;

	if (file_make_dirs(AT_FDCWD, path, 0700, err) < 0 || location_check_local(path, err) < 0)
		return -1;
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	result = folder < 0 ? 0 : file_sync_up(folder);
	if (result < 0)
		error_errno(err, EX_IOERR, "%s", path);
	if (folder >= 0)
		close(folder);
	return result;
}

static int
sqlite_connect(struct sqlite *db, enum sql_open how, struct error *err)
{
	char *folder = memory_substring(db->path, (size_t)(file_base_name(db->path) - db->path));
	bool make = how == SQL_OPEN_CREATE && !file_exists(AT_FDCWD, db->path);
	int made = location_check_owner(db->path, err);
	struct stat status;

	if (made == 0 && make && *folder)
		made = sqlite_make_folder(folder, err);
	free(folder);
	if (made < 0 || (make && sqlite_make_file(db->path, 0, err) < 0))
		return -1;
	if (how != SQL_OPEN_READ && location_check_local(db->path, err) < 0)
		return error_prefix(err, "store");
	if (file_is_absent(AT_FDCWD, db->path))
		return error_set(err, EX_NOINPUT, "%s: there is no store; coopr-store init makes one", db->path);
	if (!file_exists(AT_FDCWD, db->path))
		return error_errno(err, EX_NOINPUT, "%s", db->path);
	if (stat(db->path, &status) == 0 && S_ISDIR(status.st_mode))
		return error_set(err, EX_NOINPUT, "%s: is a folder; a store is a file", db->path);
	if (sqlite3_open_v2(db->path, &db->db, how == SQL_OPEN_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, NULL) !=
	    SQLITE_OK)
		return sqlite_error(db->db, err);
	sqlite3_busy_timeout(db->db, BUSY_MS);
	sqlite3_wal_autocheckpoint(db->db, CHECKPOINT_PAGES);
	sqlite3_db_config(db->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	if (sqlite_run(db->db, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON", err) < 0 ||
	    schema_version(db->db, &db->version, err) < 0)
		return -1;
	return how == SQL_OPEN_READ ? 0 : sqlite_prepare_writing(db, err);
}

static void
sqlite_close(struct sql *sql)
{
	struct sqlite *db = (struct sqlite *)sql;

	statements_release(db);
	sqlite3_close(db->db);
	log_sync_close(&db->log);
	if (db->lock >= 0)
		close(db->lock);
	free(db->path);
	free(db);
}

static struct sql *
sqlite_open(const char *path, enum sql_open how, struct error *err)
{
	struct sqlite *db = memory_zeroed(1, sizeof *db);

	*db = (struct sqlite){.sql = {&sqlite_engine}, .path = memory_string(path), .lock = -1, .log = {memory_printf("%s-wal", path), -1}};
	if (sqlite_connect(db, how, err) == 0)
		return &db->sql;
	sqlite_close(&db->sql);
	return NULL;
}

static int
sqlite_owner(struct sql *sql, uid_t *owner, struct error *err)
{
	const struct sqlite *db = (const struct sqlite *)sql;
	struct stat status;

	if (stat(db->path, &status) < 0)
		return error_errno(err, EX_NOINPUT, "%s", db->path);
	*owner = status.st_uid;
	return 0;
}

static int
sqlite_version(struct sql *sql, struct error *err)
{
	struct sqlite *db = (struct sqlite *)sql;

	return schema_version(db->db, &db->version, err) < 0 ? -1 : db->version;
}

static int
sqlite_upgrade(struct sql *sql, int version, struct error *err)
{
	struct sqlite *db = (struct sqlite *)sql;

	if (schema_upgrade(db->db, version, err) < 0)
		return -1;
	db->version = version;
	return 0;
}

static int
sqlite_begin(struct sql *sql, struct error *err)
{
	struct sqlite *db = (struct sqlite *)sql;

	if (sqlite_take_turn(db, err) < 0)
		return -1;
	if (sqlite_run(db->db, "BEGIN IMMEDIATE", err) == 0)
		return 0;
	flock(db->lock, LOCK_UN);
	return -1;
}

/* The next writer goes on while this one waits for the disk. */
static int
sqlite_commit(struct sql *sql, struct error *err)
{
	struct sqlite *db = (struct sqlite *)sql;
	int64_t number = -1;

	if (log_sync_open(&db->log, err) < 0 || sqlite_run(db->db, "COMMIT", err) < 0 ||
	    (number = log_sync_count(&db->log, db->lock, err)) < 0)
		return -1;
	flock(db->lock, LOCK_UN);
	return log_sync_wait(&db->log, db->lock, number, err);
}

static void
sqlite_rollback(struct sql *sql)
{
	struct sqlite *db = (struct sqlite *)sql;

	sqlite3_exec(db->db, "ROLLBACK", NULL, NULL, NULL);
	flock(db->lock, LOCK_UN);
}

/* Drops from the log what is in the database, so that nothing is left of what was deleted; not where somebody goes on
 * reading it for a second. */
static void
sqlite_wipe(struct sql *sql)
{
	struct sqlite *db = (struct sqlite *)sql;
	struct error ignored; /* then the next one wipes it */

	if (sqlite_take_turn(db, &ignored) < 0)
		return;
	sqlite3_busy_timeout(db->db, WIPE_MS);
	sqlite3_wal_checkpoint_v2(db->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_busy_timeout(db->db, BUSY_MS);
	flock(db->lock, LOCK_UN);
}

/* Copies in one step of SQLite's online backup, which reads one snapshot. */
static int
sqlite_backup(struct sql *sql, const char *path, const char *statement, struct error *err)
{
	sqlite3_backup *backup = NULL;
	sqlite3 *copy = NULL;
	int result = 0;

	if (sqlite_make_file(path, O_EXCL, err) < 0)
		return -1;
	if (sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
		backup = sqlite3_backup_init(copy, "main", ((struct sqlite *)sql)->db, "main");
	if (backup)
		sqlite3_backup_step(backup, -1);
	if (!backup || sqlite3_backup_finish(backup) != SQLITE_OK)
		result = sqlite_error(copy, err);
	if (result == 0 && statement)
		result = sqlite_run(copy, statement, err);
	if (sqlite3_close(copy) != SQLITE_OK)
		result = -1;
	if (result < 0)
		unlink(path);
	return result;
}

static int
sqlite_changes(struct sql *sql, int64_t *number, struct error *err)
{
	return sql_number(sql, number, err, "PRAGMA data_version", "") < 0 ? -1 : 0;
}

/* Objects that others made are left out where they do nothing: indexes, and what SQLite itself needs. */
static struct sql_rows *
sqlite_check(struct sql *sql, struct error *err)
{
	char *expected = schema_expected(((struct sqlite *)sql)->version, err);
	struct sql_rows *rows = expected ? sql_query(sql, err, "WITH expected AS (SELECT value ->> 0 AS type, value ->> 1 AS name, "
	    "value ->> 2 AS sql FROM json_each(?)) "
	    "SELECT integrity_check FROM pragma_integrity_check() WHERE integrity_check <> 'ok' UNION ALL "
	    "SELECT 'table ' || \"table\" || ', row ' || coalesce(rowid, '?') || ': refers to a row of table ' || parent || ' that does not exist' "
	    "FROM pragma_foreign_key_check() UNION ALL "
	    "SELECT type || ' ' || name || CASE WHEN there.sql IS NULL THEN ': it is missing' ELSE ': it is not what was made here' END "
	    "FROM expected LEFT JOIN sqlite_schema AS there USING (type, name) WHERE expected.sql IS NOT there.sql UNION ALL "
	    "SELECT type || ' ' || name || ': it is not of coopr' FROM sqlite_schema WHERE type <> 'index' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
	    "AND (type, name) NOT IN (SELECT type, name FROM expected)", "t", expected) : NULL;

	free(expected);
	return rows;
}

const struct sql_engine sqlite_engine = {
	.name = "sqlite",
	.open = sqlite_open,
	.close = sqlite_close,
	.owner = sqlite_owner,
	.version = sqlite_version,
	.upgrade = sqlite_upgrade,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.backup = sqlite_backup,
	.changes = sqlite_changes,
	.wipe = sqlite_wipe,
	.check = sqlite_check,
	.query = statement_query,
	.step = statement_step,
	.text = statement_text,
	.bytes = statement_bytes,
	.integer = statement_integer,
	.real = statement_real,
	.end = statement_end,
};
