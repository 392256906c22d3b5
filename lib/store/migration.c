/* SPDX-License-Identifier: Apache-2.0 */
#include "store/migration.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/claim-marks.h"
#include "store/host-files.h"
#include "store/sql/installation-id.h"
#include "store/sql/engine.h"
#include "store/sql/sql.h"

/* All versions that there were. What an engine's tables look like in each, the engine knows (sqlite/schema.c); what has to be
 * brought from elsewhere, the function here does, inside the same transaction. A version that was ever released is never
 * changed. */
static const struct migration {
	const char *adds;
	int (*bring)(struct sql *db, const char *path, struct error *err);
} migrations[] = {
	{"tenants, entities and their versions", NULL},
	{"secrets", NULL},
	{"members, quotas, clusters, operations", NULL},
	{"what coopr apply remembers", NULL},
	{"reminders of leases", NULL},
	{"files of operations, claims on machines, messages to hooks, machines that do not answer", host_files_bring},
	{"what was seen last of machines and services", NULL},
	{"leases that end with the loss of data", NULL},
	{"what coopr reconcile has told of and repaired", NULL},
	{"archives of services", NULL},
	{"secrets of clusters", NULL},
	{"resources", NULL},
	{"addresses and host keys of claimed machines", claim_marks_bring},
	{"the origin of each version of an entity", NULL},
	{"the audit log", NULL},
	{"keys for the machines of a cluster", NULL},
	{"secrets of operations, and who may refer to secrets", NULL},
	{"what has started a command, in the audit log", NULL},
	{"members who only read; passwords, tokens and sessions", NULL},
	{"the newest record of the audit log, the history of all members", NULL},
	{"requests that may be sent again, in the audit log", NULL},
	{"provisioners of Coopr", NULL},
	{"profiles of users", NULL},
	{"the id of the installation", installation_id_bring},
	{"volumes", NULL},
	{"which cluster has used which volumes, and since when they are free", NULL},
	{"addresses of clusters", NULL},
	{"which clusters were stopped", NULL},
};

enum {
	NEWEST = sizeof migrations / sizeof *migrations,
	HOST_FILES = 6, /* the version that brings files of the host */
	MANY_OPERATIONS = 2000, /* bringing over more takes longer than the first command should */
};

int
migration_needed(struct sql *db, const char *path, struct error *err)
{
	int version = db->engine->version(db, err);

	if (version > NEWEST)
		return error_set(err, EX_DATAERR, "%s: it is of version %d, this program knows up to %d; use a newer one", path,
		    version, NEWEST);
	return version < 0 ? -1 : version < NEWEST;
}

/* Copies the database, as others see it, to PATH.version-N. One that was killed in the middle has left its copy under another
 * name. */
static int
migration_keep_copy(const struct sql_engine *engine, const char *path, int version, struct error *err)
{
	struct sql *db = engine->open(path, SQL_OPEN_READ, err);
	char *copy = memory_printf("%s.version-%d", path, version), *unfinished = memory_printf("%s.unfinished", copy);
	char *folder = memory_substring(path, (size_t)(file_base_name(path) - path));
	int result = -1;

	unlink(unfinished);
	if (db) {
		result = engine->backup(db, unfinished, NULL, err);
		engine->close(db);
	}
	if (result == 0 && (rename(unfinished, copy) < 0 || file_sync_dir(AT_FDCWD, *folder ? folder : ".") < 0))
		result = error_errno(err, EX_IOERR, "%s", copy);
	free(folder);
	free(unfinished);
	free(copy);
	return result;
}

static int
migration_check_size(struct sql *db, const char *path, int version, struct error *err)
{
	int64_t operations = 0;

	if (version < 3)
		return 0;
	if (sql_number(db, &operations, err, "SELECT count(*) FROM operation", "") < 0)
		return -1;
	if (operations <= MANY_OPERATIONS)
		return 0;
	return error_set(err, EX_CONFIG, "%s: it is of version %d, with more than %d operations; run \"coopr store migrate\", which "
	    "takes a moment", path, version, MANY_OPERATIONS);
}

/* Returns the version that it was of, or -1. */
static int
migration_upgrade(struct sql *db, const char *path, bool any_size, struct error *err)
{
	int before = db->engine->version(db, err), result = before < 0 ? -1 : 0;

	if (before > 0 && before < NEWEST && !any_size)
		result = migration_check_size(db, path, before, err);
	if (before > 0 && before < NEWEST && result == 0)
		result = migration_keep_copy(db->engine, path, before, err);
	for (int version = before; result == 0 && version < NEWEST; version++) {
		result = db->engine->upgrade(db, version + 1, err);
		if (result == 0 && migrations[version].bring)
			result = migrations[version].bring(db, path, err);
	}
	return result < 0 ? -1 : before;
}

int
migration_run(struct sql *db, const char *path, bool any_size, bool *made, struct error *err)
{
	int version;

	if (db->engine->begin(db, err) < 0)
		return -1;
	version = migration_upgrade(db, path, any_size, err);
	if (version < 0 || db->engine->commit(db, err) < 0) {
		db->engine->rollback(db);
		return -1;
	}
	*made = version == 0;
	if (version < HOST_FILES)
		host_files_put_aside(path, version);
	return 0;
}
