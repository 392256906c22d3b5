/* SPDX-License-Identifier: Apache-2.0
 *
 * Who restores a backup by hand runs no code of ours, and one backup may be restored twice. So the copy has a mark, and whoever needs the
 * id first where the copy is in use makes a new one.
 */
#include "store/installation.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "store/sql/sql.h"
#include "store/store.h"

/* Returns whether the store came from a backup and has no new id yet, or -1. */
static int
installation_read(struct store *store, struct installation *installation, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT id, former, is_copy FROM installation", "");
	int got = sql_row(rows, err);

	*installation = (struct installation){0};
	if (got > 0) {
		const bool is_copy = sql_integer(rows, 2);
		const char *id = sql_text(rows, 0), *former = sql_text(rows, 1);

		/* A backup of a store that had a former id already: its own was given to no provider that tells machines by it. */
		snprintf(installation->former, sizeof installation->former, "%s", former ? former : is_copy ? id : "");
		if (!is_copy)
			snprintf(installation->id, sizeof installation->id, "%s", id);
		got = is_copy;
	} else if (got == 0) {
		got = error_set(err, EX_DATAERR, "%s: the installation has no id", store_path(store));
	}
	sql_end(rows);
	return got;
}

int
installation_find(struct store *store, struct installation *installation, struct error *err)
{
	return installation_read(store, installation, err) < 0 ? -1 : 0;
}

/* Changes a copy to a store in use, if nobody has in the meantime. */
static int
installation_renew(struct store *store, struct error *err)
{
	char id[INSTALLATION_ID_SIZE];

	if (installation_id_make(id, err) < 0)
		return -1;
	return sql_change_alone(store_sql(store), err,
	    "UPDATE installation SET former = coalesce(former, id), id = ?, is_copy = 0 WHERE is_copy = 1", "t", id);
}

int
installation_need(struct store *store, struct installation *installation, struct error *err)
{
	int is_copy = installation_read(store, installation, err);

	if (is_copy > 0 && installation_renew(store, err) == 0)
		is_copy = installation_read(store, installation, err);
	return is_copy == 0 ? 0 : -1;
}

/* Ends the time in which there is a former id, by a statement that sets the id. */
static int
installation_decide(struct store *store, const char *statement, struct error *err)
{
	struct installation installation;

	if (installation_need(store, &installation, err) < 0)
		return -1;
	if (!*installation.former)
		return error_set(err, EX_NO, "%s: it came from no backup, or this was said already", store_path(store));
	return sql_change_alone(store_sql(store), err, statement, "t", installation.former);
}

int
installation_confirm(struct store *store, struct error *err)
{
	return installation_decide(store, "UPDATE installation SET id = former, former = NULL WHERE former = ?", err);
}

int
installation_separate(struct store *store, struct error *err)
{
	return installation_decide(store, "UPDATE installation SET former = NULL WHERE former = ?", err);
}
