/* SPDX-License-Identifier: Apache-2.0 */
#include "store/login-key.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "content/key-pair.h"
#include "store/key.h"
#include "store/secrets.h"
#include "store/sql/sql.h"
#include "store/store.h"

int
login_key_make(const char *comment, struct secret_value *private, char **public, struct error *err)
{
	struct key_pair pair;

	if (key_pair_make(comment, &pair, err) < 0) {
		*private = (struct secret_value){0};
		*public = NULL;
		return -1;
	}
	*private = (struct secret_value){pair.private, pair.length};
	*public = pair.public;
	return 0;
}

/* Sets *public to the public half of the newest key: 1, 0 if there is none, or -1. */
static int
login_key_find(struct store *store, int64_t cluster, char **public, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err,
	    "SELECT name FROM cluster_login WHERE cluster = ? ORDER BY at DESC, name LIMIT 1", "i", cluster);
	int got = sql_row(rows, err);

	if (got > 0)
		*public = memory_string(sql_text(rows, 0));
	sql_end(rows);
	return got;
}

/* Checks that the cluster is of the store's tenant. */
static int
login_key_check_cluster(struct store *store, int64_t cluster, struct error *err)
{
	int64_t known;
	int got = sql_number(store_sql(store), &known, err, "SELECT id FROM cluster WHERE id = ? AND tenant = ?", "ii", cluster,
	    store_tenant(store));

	return got > 0 ? 0 : got < 0 ? -1 : error_set(err, EX_NO, "there is no cluster %lld", (long long)cluster);
}

int
login_key_open(struct store *store, const struct store_key *key, int64_t cluster, const char *public, struct secret_value *private,
    struct error *err)
{
	int got;

	*private = (struct secret_value){0};
	if (login_key_check_cluster(store, cluster, err) < 0)
		return -1;
	got = secrets_open_login(store, key, cluster, public, private, err);
	return got > 0 ? 0 : got < 0 ? -1 : error_set(err, EX_NO, "cluster %lld has no key %s", (long long)cluster, public);
}

/* Makes the key, if nobody has in the meantime, inside a transaction. */
static int
login_key_add(struct store *store, int64_t cluster, char **public, struct error *err)
{
	struct secret_value private = {0};
	struct store_key key = {0};
	int got;

	if (login_key_check_cluster(store, cluster, err) < 0)
		return -1;
	got = login_key_find(store, cluster, public, err);
	if (got == 0)
		got = secrets_key(store, &key, err) < 0 || login_key_make("coopr", &private, public, err) < 0 ||
		    secrets_set_login(store, &key, cluster, *public, &private, err) < 0 ? -1 : 1;
	secret_value_release(&private);
	store_key_release(&key);
	return got < 0 ? -1 : 0;
}

int
login_key_need(struct store *store, int64_t cluster, char **public, struct error *err)
{
	int got;

	*public = NULL;
	got = login_key_find(store, cluster, public, err);
	if (got == 0) {
		got = store_begin(store, err);
		if (got == 0)
			got = store_finish(store, login_key_add(store, cluster, public, err), err);
	}
	if (got >= 0)
		return 0;
	free(*public);
	*public = NULL;
	return -1;
}
