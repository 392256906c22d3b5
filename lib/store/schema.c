/* SPDX-License-Identifier: Apache-2.0
 *
 * A store's version is the number of migrations that have made it (PRAGMA user_version); a migration that was ever
 * released is never changed, a new one is put behind it.
 */
#include "store/schema.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/sql.h"

enum { APPLICATION = 0x636f6f70 }; /* PRAGMA application_id: "coop" */

static const char *const migrations[] = {
	/* 1: tenants, entities and their versions. The newest version of an entity is what it is; one without a document
	 * says that it was deleted. */
	"CREATE TABLE tenant ("
	"	id INTEGER PRIMARY KEY,"
	"	name TEXT NOT NULL UNIQUE"
	") STRICT;"
	"CREATE TABLE entity ("
	"	id INTEGER PRIMARY KEY,"
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	kind TEXT NOT NULL,"
	"	name TEXT NOT NULL,"
	"	version INTEGER NOT NULL,"
	"	present INTEGER NOT NULL CHECK (present IN (0, 1)),"
	"	UNIQUE (tenant, kind, name),"
	"	FOREIGN KEY (id, version) REFERENCES revision (entity, version) DEFERRABLE INITIALLY DEFERRED"
	") STRICT;"
	"CREATE TABLE revision ("
	"	entity INTEGER NOT NULL REFERENCES entity,"
	"	version INTEGER NOT NULL CHECK (version > 0),"
	"	at TEXT NOT NULL," /* RFC 3339 */
	"	by TEXT NOT NULL,"
	"	why TEXT,"
	"	document TEXT CHECK (document IS NULL OR json_valid(document)),"
	"	PRIMARY KEY (entity, version)"
	") STRICT, WITHOUT ROWID;"
	"INSERT INTO tenant (name) VALUES ('superadmin'), ('default');",
	/* 2: secrets. sealed: the nonce and what XChaCha20-Poly1305 made of the value, with the names authenticated. */
	"CREATE TABLE secret ("
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	name TEXT NOT NULL,"
	"	version INTEGER NOT NULL,"
	"	at TEXT NOT NULL,"
	"	by TEXT NOT NULL,"
	"	sealed BLOB NOT NULL,"
	"	PRIMARY KEY (tenant, name)"
	") STRICT, WITHOUT ROWID;",
};

enum { NEWEST = sizeof migrations / sizeof *migrations };

static int
pragma(sqlite3 *db, const char *text, int64_t *value, struct error *err)
{
	return sql_number(db, value, err, text, "") < 0 ? -1 : 0;
}

int
schema_look(sqlite3 *db, bool *newest, struct error *err)
{
	int64_t application = 0, version = 0, tables = 0;

	if (pragma(db, "PRAGMA application_id", &application, err) < 0 ||
	    pragma(db, "PRAGMA user_version", &version, err) < 0 ||
	    pragma(db, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0)
		return -1;
	if (application != APPLICATION && tables > 0)
		return error_set(err, EX_DATAERR, "%s: it is a database of something else, no store", sqlite3_db_filename(db, "main"));
	if (version > NEWEST)
		return error_set(err, EX_DATAERR, "%s: it is of version %" PRId64 ", this program knows up to %d; use a newer one",
		    sqlite3_db_filename(db, "main"), version, NEWEST);
	*newest = version == NEWEST;
	return 0;
}

int
schema_migrate(sqlite3 *db, struct error *err)
{
	char *mark = memory_printf("PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, NEWEST);
	int64_t version = 0;
	int result = pragma(db, "PRAGMA user_version", &version, err);

	while (result == 0 && version < NEWEST)
		result = sql_run(db, err, migrations[version++]);
	if (result == 0)
		result = sql_run(db, err, mark);
	free(mark);
	return result;
}
