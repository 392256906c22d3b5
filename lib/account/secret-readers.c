/* SPDX-License-Identifier: Apache-2.0 */
#include "account/secret-readers.h"

#include "account/accounts.h"
#include "base/buffer.h"
#include "base/error.h"
#include "json/dump.h"
#include "json/place.h"
#include "store/audit.h"
#include "store/secrets.h"
#include "store/sql/sql.h"

static void
secret_readers_append(const char *mark, const struct string_list *names, struct buffer *out)
{
	struct buffer name = {0};

	for (size_t i = 0; i < names->count; i++) {
		buffer_clear(&name);
		buffer_printf(&name, "%s%s", mark, names->list[i]);
		buffer_byte(out, out->length ? ',' : '[');
		json_quote(name.data, out);
	}
	buffer_release(&name);
}

int
secret_readers_set(struct account *account, const char *secret, const struct string_list *users, const struct string_list *groups,
    struct error *err)
{
	const struct audit_event event = {.action = "allow", .kind = "secret", .name = secret};
	struct buffer readers = {0};
	int64_t version;
	int got;

	secret_readers_append("", users, &readers);
	secret_readers_append("@", groups, &readers);
	buffer_text(&readers, readers.length ? "]" : "[]");
	got = sql_number(account_sql(account), &version, err, "UPDATE secret SET readers = ? WHERE tenant = ? AND name = ? RETURNING version",
	    "tit", readers.data, store_tenant(account->store), secret);
	buffer_release(&readers);
	if (got == 0)
		return secrets_not_found(account->store, 0, secret, err);
	return got < 0 ? -1 : audit_add(account->store, &event, err);
}

int
secret_readers_have(struct account *account, const char *secret, struct error *err)
{
	int64_t found;

	if (account->role >= ACCOUNT_ADMIN)
		return 1;
	return sql_number(account_sql(account), &found, err, "SELECT 1 FROM secret, json_each(readers) AS reader WHERE tenant = ? AND name = ? "
	    "AND (reader.value = ? OR reader.value IN (SELECT '@' || value FROM json_each(?))) LIMIT 1", "ittt",
	    store_tenant(account->store), secret, account->user, account->groups);
}
