/* SPDX-License-Identifier: Apache-2.0
 *
 * A store's version is the number of migrations that have made it (PRAGMA user_version); a migration that was ever
 * released is never changed, a new one is put behind it.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite/database.h"

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
	/* 3: who may do what, and clusters. What a cluster holds is the sum of its rows in node_use that have no end. */
	"ALTER TABLE tenant ADD COLUMN document TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(document));"
	"ALTER TABLE tenant ADD COLUMN deleted_ms INTEGER NOT NULL DEFAULT 0;"
	"CREATE TABLE member ("
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	user TEXT NOT NULL,"
	"	role TEXT NOT NULL CHECK (role IN ('admin', 'user')),"
	"	groups TEXT NOT NULL CHECK (json_type(groups) = 'array'),"
	"	PRIMARY KEY (tenant, user)"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX member_user ON member (user);"
	/* The history of tenants and members; document: as it is since then, null where it was removed. */
	"CREATE TABLE account_history ("
	"	id INTEGER PRIMARY KEY,"
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	kind TEXT NOT NULL CHECK (kind IN ('tenant', 'member')),"
	"	name TEXT NOT NULL,"
	"	at_ms INTEGER NOT NULL,"
	"	by TEXT NOT NULL,"
	"	why TEXT,"
	"	document TEXT CHECK (document IS NULL OR json_valid(document))"
	") STRICT;"
	"CREATE TABLE allotment (last INTEGER NOT NULL) STRICT;" /* the last number that was given to a cluster */
	"INSERT INTO allotment VALUES (0);"
	"CREATE TABLE cluster ("
	"	id INTEGER PRIMARY KEY CHECK (id > 0),"
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	name TEXT NOT NULL,"
	"	owner TEXT NOT NULL,"
	"	grp TEXT,"
	"	template TEXT,"
	"	provider TEXT,"
	"	status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'incomplete', 'inconsistent', 'terminated')),"
	"	message TEXT,"
	"	created_ms INTEGER NOT NULL,"
	"	changed_ms INTEGER NOT NULL,"
	"	expires_ms INTEGER NOT NULL DEFAULT 0," /* 0: never */
	"	lease_max_ms INTEGER NOT NULL DEFAULT 0,"
	"	lease_step_ms INTEGER NOT NULL DEFAULT 0,"
	"	nodes INTEGER NOT NULL DEFAULT 0,"
	"	cost REAL NOT NULL DEFAULT 0,"
	"	resources TEXT NOT NULL DEFAULT '{}' CHECK (json_type(resources) = 'object'),"
	"	peak_nodes INTEGER NOT NULL DEFAULT 0," /* the same at most, with the operation under way: quotas count it */
	"	peak_cost REAL NOT NULL DEFAULT 0,"
	"	peak_resources TEXT NOT NULL DEFAULT '{}' CHECK (json_type(peak_resources) = 'object'),"
	"	revision INTEGER NOT NULL DEFAULT 0," /* counts what may have changed the layout */
	"	operation INTEGER NOT NULL DEFAULT 0" /* number of the last */
	") STRICT;"
	"CREATE UNIQUE INDEX cluster_name ON cluster (tenant, name) WHERE status <> 'terminated';"
	"CREATE INDEX cluster_order ON cluster (tenant, name, id);"
	"CREATE INDEX cluster_expiry ON cluster (expires_ms) WHERE expires_ms > 0 AND status <> 'terminated';"
	"CREATE INDEX cluster_held ON cluster (tenant, peak_nodes, peak_cost) WHERE status <> 'terminated';"
	"CREATE TABLE cluster_document ("
	"	cluster INTEGER PRIMARY KEY REFERENCES cluster,"
	"	wish TEXT CHECK (wish IS NULL OR json_valid(wish)),"
	"	layout TEXT NOT NULL" /* NDJSON, what is really there; '' while nothing is */
	") STRICT;"
	"CREATE TABLE operation ("
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	number INTEGER NOT NULL CHECK (number > 0),"
	"	action TEXT NOT NULL,"
	"	user TEXT NOT NULL,"
	"	why TEXT,"
	"	begun_ms INTEGER NOT NULL,"
	"	ended_ms INTEGER NOT NULL DEFAULT 0," /* 0: it is under way */
	"	status TEXT NOT NULL CHECK (status IN ('planned', 'running', 'complete', 'failed', 'cancelled', 'rolledback')),"
	"	job TEXT," /* null: it needed none */
	"	message TEXT,"
	"	was TEXT NOT NULL," /* the cluster's status before */
	"	template TEXT,"
	"	PRIMARY KEY (cluster, number),"
	"	CHECK ((ended_ms = 0) = (status IN ('planned', 'running')))"
	") STRICT, WITHOUT ROWID;"
	"CREATE UNIQUE INDEX operation_open ON operation (cluster) WHERE ended_ms = 0;"
	"CREATE TABLE operation_document ("
	"	cluster INTEGER NOT NULL,"
	"	number INTEGER NOT NULL,"
	"	wish TEXT CHECK (wish IS NULL OR json_valid(wish))," /* after it */
	"	before TEXT NOT NULL," /* layout */
	"	wanted TEXT NOT NULL," /* layout */
	"	prices TEXT NOT NULL CHECK (json_type(prices) = 'object'),"
	"	PRIMARY KEY (cluster, number),"
	"	FOREIGN KEY (cluster, number) REFERENCES operation"
	") STRICT;"
	"CREATE TABLE node_use ("
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	node TEXT NOT NULL,"
	"	hardwaretype TEXT,"
	"	cost REAL NOT NULL," /* as hardware types give it: of an hour */
	"	capacity TEXT NOT NULL CHECK (json_type(capacity) = 'object'),"
	"	from_ms INTEGER NOT NULL,"
	"	to_ms INTEGER CHECK (to_ms >= from_ms)," /* null while it lives */
	"	PRIMARY KEY (cluster, node, from_ms)"
	") STRICT, WITHOUT ROWID;"
	"CREATE UNIQUE INDEX node_use_living ON node_use (cluster, node) WHERE to_ms IS NULL;",
	/* 4: what coopr apply remembers: the folder that a cluster follows, and what its file said last. */
	"CREATE TABLE applied ("
	"	cluster INTEGER PRIMARY KEY REFERENCES cluster,"
	"	origin TEXT,"
	"	spec TEXT NOT NULL CHECK (json_valid(spec)),"
	"	revision INTEGER NOT NULL," /* of the cluster, when it was found to be as spec says; -1: not yet */
	"	made INTEGER NOT NULL CHECK (made IN (0, 1))" /* apply has made it */
	") STRICT;",
	/* 5: the end of a cluster's lease that somebody was reminded of; 0: none. */
	"ALTER TABLE cluster ADD COLUMN reminded_ms INTEGER NOT NULL DEFAULT 0;",
	/* 6: what was kept in files of one host: the files of operations, claims on machines, messages that hooks have not got
	 * yet, machines that do not answer, and when things were done last. */
	"CREATE TABLE operation_file ("
	"	cluster INTEGER NOT NULL,"
	"	number INTEGER NOT NULL,"
	"	name TEXT NOT NULL,"
	"	content BLOB NOT NULL,"
	"	PRIMARY KEY (cluster, number, name),"
	"	FOREIGN KEY (cluster, number) REFERENCES operation"
	") STRICT;"
	"CREATE TABLE claim ("
	"	machine TEXT PRIMARY KEY,"
	"	node TEXT NOT NULL UNIQUE,"
	"	provider TEXT,"
	"	cluster TEXT,"
	"	hostname TEXT,"
	"	at_ms INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE hook_message ("
	"	id TEXT NOT NULL,"
	"	hook TEXT NOT NULL,"
	"	event TEXT NOT NULL,"
	"	operation TEXT NOT NULL,"
	"	tenant TEXT,"
	"	body TEXT NOT NULL,"
	"	told_ms INTEGER NOT NULL,"
	"	attempts INTEGER NOT NULL DEFAULT 0,"
	"	next_ms INTEGER NOT NULL DEFAULT 0," /* not to be tried before; 0: at once */
	"	taken_ms INTEGER NOT NULL DEFAULT 0," /* somebody is at it until then; 0: nobody */
	"	PRIMARY KEY (id, hook)"
	") STRICT;"
	"CREATE TABLE unreachable ("
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	node TEXT NOT NULL,"
	"	since_ms INTEGER NOT NULL,"
	"	PRIMARY KEY (cluster, node)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE last_time (" /* that something was done, of the installation */
	"	name TEXT PRIMARY KEY,"
	"	at_ms INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;",
	/* 7: what was seen last of each machine and each instance, lib/cluster/observation.h, and the sums of that, which a list of
	 * clusters shows without reading the rows. */
	"CREATE TABLE observation ("
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	node TEXT NOT NULL,"
	"	service TEXT NOT NULL," /* '': the machine itself */
	"	answer TEXT NOT NULL CHECK (answer IN ('healthy', 'unhealthy', 'unreachable', 'gone', 'unknown')),"
	"	message TEXT,"
	"	by TEXT NOT NULL," /* who has looked */
	"	observed_ms INTEGER NOT NULL," /* 0: nobody has looked */
	"	since_ms INTEGER NOT NULL," /* the answer is the same since then */
	"	PRIMARY KEY (cluster, node, service)"
	") STRICT, WITHOUT ROWID;"
	"INSERT INTO observation SELECT cluster, node, '', 'unreachable', NULL, 'reconcile', since_ms, since_ms FROM unreachable;"
	"DROP TABLE unreachable;"
	"ALTER TABLE cluster ADD COLUMN instances INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE cluster ADD COLUMN ready INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE cluster ADD COLUMN condition TEXT NOT NULL DEFAULT 'unknown' "
	"CHECK (condition IN ('unknown', 'healthy', 'degraded', 'down'));"
	"ALTER TABLE cluster ADD COLUMN observed_ms INTEGER NOT NULL DEFAULT 0;",

	/* 8: 1 where a cluster is deleted at the end of its lease also with its data */
	"ALTER TABLE cluster ADD COLUMN lease_discards_data INTEGER NOT NULL DEFAULT 0;",
	/* 9: what coopr reconcile has told of, and what it has repaired: lib/reconcile/faults.h, repair-limits.h. */
	"CREATE TABLE fault ("
	"	cluster INTEGER NOT NULL," /* 0: none of the store */
	"	node TEXT NOT NULL," /* '': the cluster itself */
	"	service TEXT NOT NULL,"
	"	what TEXT NOT NULL,"
	"	stage TEXT NOT NULL," /* how far its repair was */
	"	told_ms INTEGER NOT NULL,"
	"	PRIMARY KEY (cluster, node, service)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE repair ("
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	node TEXT NOT NULL,"
	"	service TEXT NOT NULL," /* '': the machine was replaced */
	"	operation INTEGER NOT NULL," /* the last that did it */
	"	round INTEGER NOT NULL CHECK (round > 0)," /* so often in a row */
	"	PRIMARY KEY (cluster, node, service)"
	") STRICT, WITHOUT ROWID;",

	/* 10: archives of services that are complete: lib/cluster/archives.h. What they say is kept elsewhere. */
	"CREATE TABLE archive ("
	"	id TEXT PRIMARY KEY,"
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	cluster INTEGER NOT NULL REFERENCES cluster," /* which may be deleted */
	"	cluster_name TEXT NOT NULL,"
	"	service TEXT NOT NULL,"
	"	node TEXT NOT NULL,"
	"	hostname TEXT,"
	"	operation INTEGER NOT NULL,"
	"	began_ms INTEGER NOT NULL,"
	"	ended_ms INTEGER NOT NULL,"
	"	bytes INTEGER NOT NULL CHECK (bytes >= 0)," /* as it is kept, encrypted */
	"	sum TEXT NOT NULL," /* SHA-256 of that */
	"	leaving INTEGER NOT NULL DEFAULT 0" /* 1: it is being deleted, and counts no more */
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX archive_newest ON archive (cluster, service, ended_ms);"
	"CREATE INDEX archive_held ON archive (tenant, bytes);",
	/* 11: secrets of clusters, as those of tenants. */
	"CREATE TABLE cluster_secret ("
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	name TEXT NOT NULL,"
	"	version INTEGER NOT NULL,"
	"	at TEXT NOT NULL,"
	"	by TEXT NOT NULL,"
	"	sealed BLOB NOT NULL,"
	"	PRIMARY KEY (cluster, name)"
	") STRICT, WITHOUT ROWID;",
	/* 12: resources: what plugins need besides documents, lib/store/resources.h. The bytes are kept elsewhere, by their SHA-256. */
	"CREATE TABLE resource ("
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	plugin TEXT NOT NULL," /* automator/shell */
	"	type TEXT NOT NULL,"
	"	name TEXT NOT NULL,"
	"	version INTEGER NOT NULL CHECK (version > 0),"
	"	sum TEXT NOT NULL,"
	"	bytes INTEGER NOT NULL CHECK (bytes >= 0),"
	"	format TEXT NOT NULL CHECK (format IN ('file', 'archive')),"
	"	mode INTEGER NOT NULL CHECK (mode BETWEEN 0 AND 511)," /* of a file on the node */
	"	at TEXT NOT NULL,"
	"	by TEXT NOT NULL,"
	"	why TEXT,"
	"	active INTEGER NOT NULL DEFAULT 0 CHECK (active IN (0, 1)),"
	"	staged INTEGER NOT NULL DEFAULT 0 CHECK (staged IN (0, 1)),"
	"	deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1))," /* its number is not given again */
	"	PRIMARY KEY (tenant, plugin, type, name, version)"
	") STRICT, WITHOUT ROWID;"
	"CREATE UNIQUE INDEX resource_active ON resource (tenant, plugin, type, name) WHERE active = 1;"
	"CREATE UNIQUE INDEX resource_staged ON resource (tenant, plugin, type, name) WHERE staged = 1;"
	"CREATE INDEX resource_sum ON resource (sum) WHERE deleted = 0;",
	/* 13: what claimed machines are, so that none is claimed twice under two names: claims.c. */
	"CREATE TABLE claim_mark ("
	"	kind INTEGER NOT NULL," /* 0: an address and port, 1: a host key */
	"	value TEXT NOT NULL,"
	"	node TEXT NOT NULL," /* whose claim it is */
	"	PRIMARY KEY (kind, value)"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX claim_mark_node ON claim_mark (node);",
	/* 14: who has written a version: lib/model/take/origin.h. Of those before, what a superadmin has written is the installation's,
	 * and what is of a tenant that nobody but superadmins administers. */
	"ALTER TABLE revision ADD COLUMN origin TEXT NOT NULL DEFAULT 'tenant' CHECK (origin IN ('installation', 'tenant'));"
	"UPDATE revision SET origin = 'installation' WHERE by = 'root' "
	"OR by IN (SELECT user FROM member JOIN tenant ON tenant.id = tenant WHERE name = 'superadmin' AND role = 'admin') "
	"OR entity IN (SELECT id FROM entity WHERE tenant = (SELECT id FROM tenant WHERE name = 'superadmin') "
	"OR tenant NOT IN (SELECT tenant FROM member WHERE role = 'admin'));",
	/* 15: the audit log, lib/store/audit.h: each record has the hash of itself and of the one before. */
	"CREATE TABLE audit ("
	"	id INTEGER PRIMARY KEY,"
	"	at_ms INTEGER NOT NULL,"
	"	tenant TEXT NOT NULL," /* names, of those who may be deleted later */
	"	user TEXT NOT NULL,"
	"	login TEXT NOT NULL,"
	"	host TEXT NOT NULL,"
	"	address TEXT,"
	"	program TEXT NOT NULL,"
	"	action TEXT NOT NULL,"
	"	object TEXT NOT NULL,"
	"	cluster TEXT," /* null: it concerns none */
	"	reason TEXT,"
	"	hash TEXT NOT NULL"
	") STRICT;"
	"CREATE INDEX audit_cluster ON audit (cluster, id) WHERE cluster IS NOT NULL;"
	"CREATE TRIGGER audit_unaltered BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is not altered'); END;"
	"CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'nothing is removed from the audit log'); END;",
	/* 16: key pairs with which coopr logs in to the machines of a cluster, lib/store/login-key.h. */
	"CREATE TABLE cluster_login ("
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	name TEXT NOT NULL," /* the public half, as in authorized_keys */
	"	version INTEGER NOT NULL,"
	"	at TEXT NOT NULL,"
	"	by TEXT NOT NULL,"
	"	sealed BLOB NOT NULL," /* the private half */
	"	PRIMARY KEY (cluster, name)"
	") STRICT, WITHOUT ROWID;",
	/* 17: who may refer to a tenant's secret besides its administrators: users, and groups as "@dev"; and secrets of operations, beside
	 * those of their cluster, which have the number 0. */
	"ALTER TABLE secret ADD COLUMN readers TEXT NOT NULL DEFAULT '[]' CHECK (json_type(readers) = 'array');"
	"ALTER TABLE cluster_secret RENAME TO cluster_secret_16;"
	"CREATE TABLE cluster_secret ("
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	number INTEGER NOT NULL," /* of the operation */
	"	name TEXT NOT NULL,"
	"	version INTEGER NOT NULL,"
	"	at TEXT NOT NULL,"
	"	by TEXT NOT NULL,"
	"	sealed BLOB NOT NULL,"
	"	PRIMARY KEY (cluster, number, name)"
	") STRICT, WITHOUT ROWID;"
	"INSERT INTO cluster_secret SELECT cluster, 0, name, version, at, by, sealed FROM cluster_secret_16;"
	"DROP TABLE cluster_secret_16;",
	/* 18: the processes that have started a command which is in the audit log; null: nobody has asked. */
	"ALTER TABLE audit ADD COLUMN via TEXT;",
	/* 19: members who only read. */
	"CREATE TABLE member_19 ("
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	user TEXT NOT NULL,"
	"	role TEXT NOT NULL CHECK (role IN ('admin', 'user', 'read-only')),"
	"	groups TEXT NOT NULL CHECK (json_type(groups) = 'array'),"
	"	PRIMARY KEY (tenant, user)"
	") STRICT, WITHOUT ROWID;"
	"INSERT INTO member_19 SELECT tenant, user, role, groups FROM member;"
	"DROP TABLE member;"
	"ALTER TABLE member_19 RENAME TO member;"
	"CREATE INDEX member_user ON member (user);"
	/* Users who log in to the server by a password (argon2id; null: not chosen yet). tenant: whose administrator has made them, and
	 * which alone they may ask for; null: all. */
	"CREATE TABLE login ("
	"	user TEXT PRIMARY KEY,"
	"	tenant INTEGER REFERENCES tenant,"
	"	password TEXT,"
	"	made_ms INTEGER NOT NULL,"
	"	by TEXT NOT NULL,"
	"	seen_ms INTEGER NOT NULL DEFAULT 0"
	") STRICT, WITHOUT ROWID;"
	/* Codes that log a user in once, by their SHA-256. */
	"CREATE TABLE login_code ("
	"	sum TEXT PRIMARY KEY,"
	"	user TEXT NOT NULL REFERENCES login ON DELETE CASCADE,"
	"	ends_ms INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;"
	/* Tokens and sessions, by their SHA-256; with them a user has at most that role, and asks for that tenant; null: for all. login:
	 * whose password has begun it; null: it was made without one. */
	"CREATE TABLE token ("
	"	id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"	sum TEXT NOT NULL UNIQUE,"
	"	kind TEXT NOT NULL CHECK (kind IN ('token', 'session')),"
	"	user TEXT NOT NULL,"
	"	login TEXT REFERENCES login ON DELETE CASCADE,"
	"	tenant INTEGER REFERENCES tenant,"
	"	role TEXT NOT NULL CHECK (role IN ('read-only', 'user', 'admin', 'superadmin')),"
	"	name TEXT NOT NULL,"
	"	made_ms INTEGER NOT NULL,"
	"	ends_ms INTEGER NOT NULL,"
	"	address TEXT"
	") STRICT;"
	"CREATE INDEX token_user ON token (user);"
	"CREATE INDEX token_login ON token (login);"
	/* Attempts to log in that have failed, of a user or from an address, since the last that has not. */
	"CREATE TABLE login_attempt ("
	"	of TEXT PRIMARY KEY,"
	"	count INTEGER NOT NULL,"
	"	last_ms INTEGER NOT NULL"
	") STRICT, WITHOUT ROWID;",
	/* 20: the newest record of the audit log, so that it is missed; the history of members that earlier versions have made without. */
	"CREATE TABLE audit_last ("
	"	one INTEGER PRIMARY KEY CHECK (one = 1),"
	"	id INTEGER NOT NULL,"
	"	hash TEXT NOT NULL"
	") STRICT;"
	"INSERT INTO audit_last SELECT 1, id, hash FROM audit ORDER BY id DESC LIMIT 1;"
	"INSERT INTO account_history (tenant, kind, name, at_ms, by, document) SELECT tenant, 'member', user, unixepoch() * 1000, user, "
	"printf('{\"groups\":%s,\"role\":\"%s\"}', groups, role) FROM member WHERE NOT EXISTS (SELECT 1 FROM account_history AS h "
	"WHERE h.tenant = member.tenant AND kind = 'member' AND name = user);",
	/* 21: the request of a server that asked for a change, where it may be sent again: "KEY BODY RUN". */
	"ALTER TABLE audit ADD COLUMN request TEXT;"
	"CREATE INDEX audit_request ON audit (request) WHERE request IS NOT NULL;",
	/* 22: provisioners of Coopr. A token that is here lets in nothing else, and for these tenants. heard_ms: by CLOCK_BOOTTIME; -1: it has
	 * left. told: what it was last told of each tenant. A worker has one task at a time; record: what it was taken from the queue with. */
	"CREATE TABLE provisioner_token ("
	"	token INTEGER NOT NULL REFERENCES token ON DELETE CASCADE,"
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	PRIMARY KEY (token, tenant)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE provisioner ("
	"	id TEXT PRIMARY KEY,"
	"	token INTEGER NOT NULL REFERENCES token ON DELETE CASCADE,"
	"	host TEXT NOT NULL,"
	"	port INTEGER NOT NULL,"
	"	capacity INTEGER NOT NULL,"
	"	heard_ms INTEGER NOT NULL,"
	"	usage TEXT NOT NULL CHECK (json_type(usage) = 'object'),"
	"	told TEXT NOT NULL CHECK (json_type(told) = 'object')"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX provisioner_of_token ON provisioner (token);"
	"CREATE TABLE provisioner_task ("
	"	provisioner TEXT NOT NULL,"
	"	worker TEXT NOT NULL,"
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	job TEXT NOT NULL,"
	"	task TEXT NOT NULL,"
	"	attempt INTEGER NOT NULL,"
	"	record TEXT NOT NULL,"
	"	PRIMARY KEY (provisioner, worker)"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE plugin_type ("
	"	kind TEXT NOT NULL CHECK (kind IN ('providertypes', 'automatortypes')),"
	"	name TEXT NOT NULL,"
	"	document TEXT NOT NULL CHECK (json_type(document) = 'object'),"
	"	PRIMARY KEY (kind, name)"
	") STRICT, WITHOUT ROWID;",
	/* 23: profiles of users. */
	"CREATE TABLE profile ("
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	user TEXT NOT NULL,"
	"	document TEXT NOT NULL CHECK (json_type(document) = 'object'),"
	"	PRIMARY KEY (tenant, user)"
	") STRICT, WITHOUT ROWID;",
	/* 24: the id of the installation; the one of before, of a store that came from a backup, until a person has said whose that is.
	 * is_copy: this is a backup. */
	"CREATE TABLE installation ("
	"	one INTEGER PRIMARY KEY CHECK (one = 1),"
	"	id TEXT NOT NULL,"
	"	former TEXT,"
	"	is_copy INTEGER NOT NULL"
	") STRICT;",
	/* 25: volumes of nodes, and snapshots of them. node NULL: it is free. leaving: it is being deleted, and is given to no node. Those that
	 * are gone stay, for what their tenant has used. */
	"CREATE TABLE volume ("
	"	id TEXT PRIMARY KEY,"
	"	tenant INTEGER NOT NULL REFERENCES tenant,"
	"	provider TEXT NOT NULL,"
	"	zone TEXT,"
	"	service TEXT NOT NULL,"
	"	name TEXT NOT NULL,"
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	node TEXT,"
	"	promised TEXT,"
	"	of TEXT,"
	"	size_gb INTEGER NOT NULL,"
	"	keep INTEGER NOT NULL,"
	"	is_snapshot INTEGER NOT NULL,"
	"	is_blank INTEGER NOT NULL,"
	"	leaving INTEGER NOT NULL,"
	"	made_ms INTEGER NOT NULL,"
	"	gone_ms INTEGER"
	") STRICT, WITHOUT ROWID;"
	"CREATE INDEX volume_tenant ON volume (tenant);"
	"CREATE INDEX volume_cluster ON volume (cluster);"
	"CREATE UNIQUE INDEX volume_node ON volume (node, service, name) WHERE node IS NOT NULL;",
	/* 26: volumes and snapshots as clusters have used them, for reports of usage: the cost is of a GiB for an hour. freed_ms: when a node
	 * had the volume last. */
	"ALTER TABLE volume ADD COLUMN freed_ms INTEGER;"
	"CREATE TABLE volume_use ("
	"	volume TEXT NOT NULL REFERENCES volume,"
	"	cluster INTEGER NOT NULL REFERENCES cluster,"
	"	size_gb INTEGER NOT NULL,"
	"	cost REAL NOT NULL,"
	"	from_ms INTEGER NOT NULL,"
	"	to_ms INTEGER"
	") STRICT;"
	"CREATE INDEX volume_use_cluster ON volume_use (cluster);"
	"CREATE INDEX volume_use_volume ON volume_use (volume);"
	"CREATE UNIQUE INDEX volume_use_living ON volume_use (volume) WHERE to_ms IS NULL;"
	"INSERT INTO volume_use SELECT id, cluster, size_gb, 0, made_ms, gone_ms FROM volume;",
	/* 27: addresses of clusters. One of a provider of the installation (shared) only one living cluster has; one of a tenant's own provider, only one
	 * of that tenant. */
	"ALTER TABLE cluster ADD COLUMN address TEXT;"
	"ALTER TABLE cluster ADD COLUMN address_shared INTEGER;"
	"CREATE UNIQUE INDEX cluster_address ON cluster (CASE address_shared WHEN 1 THEN 0 ELSE tenant END, address) "
	"WHERE address IS NOT NULL AND status <> 'terminated';",
	/* 28: 1 where all services of a cluster that can be stopped were, so that it is not down. */
	"ALTER TABLE cluster ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0;",
};

/* Steps over a pragma's only number. */
static int
schema_pragma(sqlite3 *db, const char *text, int *value, struct error *err)
{
	sqlite3_stmt *rows;
	int result = -1;

	if (sqlite3_prepare_v2(db, text, -1, &rows, NULL) == SQLITE_OK && sqlite3_step(rows) == SQLITE_ROW) {
		*value = sqlite3_column_int(rows, 0);
		result = 0;
	}
	sqlite3_finalize(rows);
	return result < 0 ? sqlite_error(db, err) : 0;
}

int
schema_version(sqlite3 *db, int *version, struct error *err)
{
	int application = 0, tables = 0;

	if (schema_pragma(db, "PRAGMA application_id", &application, err) < 0 ||
	    schema_pragma(db, "PRAGMA user_version", version, err) < 0)
		return -1;
	if (application != APPLICATION && schema_pragma(db, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0)
		return -1;
	if (application != APPLICATION && tables > 0)
		return error_set(err, EX_DATAERR, "%s: the database is not a store", sqlite3_db_filename(db, "main"));
	return 0;
}

int
schema_upgrade(sqlite3 *db, int version, struct error *err)
{
	char *mark = memory_printf("PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, version);
	int result = sqlite_run(db, migrations[version - 1], err);

	if (result == 0)
		result = sqlite_run(db, mark, err);
	free(mark);
	return result;
}

/* Returns tables, indexes and triggers of a version as JSON, as a database that is made anew has them; NULL. */
static char *
schema_describe(sqlite3 *fresh, int version, struct error *err)
{
	sqlite3_stmt *rows = NULL;
	char *text = NULL;

	for (int made = 1; made <= version; made++)
		if (schema_upgrade(fresh, made, err) < 0)
			return NULL;
	if (sqlite3_prepare_v2(fresh, "SELECT json_group_array(json_array(type, name, sql)) FROM sqlite_schema", -1, &rows, NULL) == SQLITE_OK &&
	    sqlite3_step(rows) == SQLITE_ROW)
		text = memory_string((const char *)sqlite3_column_text(rows, 0));
	else
		sqlite_error(fresh, err);
	sqlite3_finalize(rows);
	return text;
}

char *
schema_expected(int version, struct error *err)
{
	sqlite3 *fresh = NULL;
	char *text = NULL;

	if (sqlite3_open_v2(":memory:", &fresh, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK)
		text = schema_describe(fresh, version, err);
	else
		sqlite_error(fresh, err);
	sqlite3_close(fresh);
	return text;
}
