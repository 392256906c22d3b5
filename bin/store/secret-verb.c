/* SPDX-License-Identifier: Apache-2.0 */
#include "secret-verb.h"

#include <stdlib.h>
#include <string.h>

#include "account/guest.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "cluster/clusters.h"
#include "model/name.h"
#include "operation/secret-input.h"
#include "store/key.h"
#include "store/secrets.h"
#include "verb.h"

static struct option_change change;
static bool raw;
static const char *of_cluster;

#define OPTION_CLUSTER OPTION_STRING(0, "cluster", &of_cluster, "CLUSTER", "secrets of this cluster, which come before the tenant's")

static const struct option_spec set_options[] = {
	OPTION_FLAG('r', "raw", &raw, "keep the newline at the end"),
	OPTION_CLUSTER,
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command set_command = {
	"coopr-secret set", "[OPTION]... NAME [FILE]",
	"Set a secret to what a file holds, or what is typed or comes on standard input.", set_options,
	"  coopr-secret set openstack-password\n"
	"  openssl rand -base64 24 | coopr-secret set database\n"
	"  coopr-secret set --cluster shop database\n"};

static const struct option_spec rotate_options[] = {
	OPTION_CLUSTER,
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command rotate_command = {
	"coopr-secret rotate", "[OPTION]... NAME...", "Set secrets to new values, drawn at random, which nobody sees.", rotate_options,
	"  coopr-secret rotate --cluster shop database\n"};

static const struct option_spec list_options[] = {
	OPTION_CLUSTER,
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command list_command = {
	"coopr-secret list", "[OPTION]...", "List the secrets: their names, when they were set, by whom.", list_options,
	"  coopr-secret list\n"};

static const struct option_spec delete_options[] = {
	OPTION_CLUSTER,
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command delete_command = {
	"coopr-secret delete", "[OPTION]... NAME...", "Remove secrets, for good.", delete_options,
	"  coopr-secret delete openstack-password\n"};

/* Finds the cluster. Its secrets are its owner's to change, and the administrators'. */
static int
secret_verb_find_cluster(struct account *account, bool changes, int64_t *id, struct error *err)
{
	struct cluster_list list = {0};
	const struct cluster_record *cluster;
	int result = clusters_find(account, of_cluster, &list, err);

	cluster = result == 0 ? &list.list[0] : NULL;
	if (cluster && cluster->status == LIFECYCLE_TERMINATED)
		result = error_set(err, EX_NO, "cluster %s: it is terminated, and its secrets are deleted", cluster->name);
	else if (cluster && changes && account->role < ACCOUNT_ADMIN && strcmp(account->user, cluster->owner) != 0)
		result = error_set(err, EX_NOPERM, "cluster %s: only its owner, %s, or an admin of the tenant may change its secrets",
		    cluster->name, cluster->owner);
	*id = cluster ? cluster->id : 0;
	cluster_list_release(&list);
	return result;
}

/* Opens the store for who may read or change the secrets that are meant; exits with a message where that fails. Returns the
 * cluster's number, or 0. */
static int64_t
secret_verb_open(struct store **store, bool changes)
{
	enum store_mode mode = changes ? STORE_WRITE : STORE_READ;
	struct account account;
	struct error err;
	int64_t id = 0;
	int result;

	if (!of_cluster) {
		store_verb_open(store, mode, changes ? ACCOUNT_ADMIN : ACCOUNT_USER);
		return 0;
	}
	store_verb_account(&account, mode, ACCOUNT_USER, "secrets of clusters");
	result = secret_verb_find_cluster(&account, changes, &id, &err);
	*store = account.store;
	account.store = NULL;
	account_release(&account);
	if (result == 0)
		return id;
	store_release(*store);
	exit(message_error(&err));
}

/* Ends a change of secrets, of which nothing remains in clear. Returns as store_finish. */
static int
secret_verb_end(struct store *store, struct store_key *key, int result, struct error *err)
{
	result = store_finish(store, result, err);
	if (result == 0)
		store_wipe(store);
	store_key_release(key);
	return result;
}

static int
secret_verb_store(struct store *store, int64_t cluster, const char *name, const struct secret_value *value, struct error *err)
{
	struct store_key key;
	int result;

	if (store_begin(store, err) < 0)
		return -1;
	result = secrets_key(store, &key, err);
	if (result == 0)
		result = secrets_set(store, &key, cluster, name, value->text, value->length, err);
	return secret_verb_end(store, &key, result, err);
}

int
secret_verb_set(int argc, char **argv)
{
	struct secret_value value = {0};
	struct store *store;
	struct error err;
	int64_t cluster;
	int code = 0;

	argv += option_parse(&set_command, argc, argv);
	store_verb_operands(&set_command, argv, 1, 2, "a name and perhaps a file");
	if (!name_is_valid(argv[0]))
		return option_misuse(&set_command, "invalid name '%s': expected 1 to 255 letters, digits, _ . -", argv[0]);
	cluster = secret_verb_open(&store, true);

	if (guest_refuse_file(argv[1], &err) < 0 || secret_input(argv[1] ? argv[1] : "-", raw, "secret", &value, &err) < 0 ||
	    secret_verb_store(store, cluster, argv[0], &value, &err) < 0)
		code = message_error(&err);

	secret_value_release(&value);
	store_release(store);
	return message_end(code);
}

/* Refuses a name that the tenant has no secret of: it is mistyped. A cluster may have been using a generated one. */
static int
secret_verb_check_present(struct store *store, const struct store_key *key, int64_t cluster, const char *name, struct error *err)
{
	struct secret_value value = {0};
	int result = cluster ? 0 : secrets_open(store, key, 0, name, &value, err);

	secret_value_release(&value);
	return result;
}

/* Sets all to new values, or none. */
static int
secret_verb_rotate_all(struct store *store, int64_t cluster, char *const *names, struct error *err)
{
	struct store_key key;
	int result;

	if (store_begin(store, err) < 0)
		return -1;
	result = secrets_key(store, &key, err);
	for (; *names && result == 0; names++) {
		struct secret_value value = {0};

		result = secret_verb_check_present(store, &key, cluster, *names, err);
		if (result < 0)
			break;
		secrets_draw(&value);
		result = value.text ? secrets_set(store, &key, cluster, *names, value.text, value.length, err)
		                    : error_errno(err, EX_OSERR, "a secret: no locked memory for it (see ulimit -l)");
		secret_value_release(&value);
	}
	return secret_verb_end(store, &key, result, err);
}

int
secret_verb_rotate(int argc, char **argv)
{
	struct store *store;
	struct error err;
	int64_t cluster;
	int code = 0;

	argv += option_parse(&rotate_command, argc, argv);
	store_verb_operands(&rotate_command, argv, 1, 1 << 20, "a name");
	for (char **name = argv; *name; name++)
		if (!name_is_valid(*name))
			return option_misuse(&rotate_command, "invalid name '%s': expected 1 to 255 letters, digits, _ . -", *name);
	cluster = secret_verb_open(&store, true);

	if (secret_verb_rotate_all(store, cluster, argv, &err) < 0)
		code = message_error(&err);

	store_release(store);
	return message_end(code);
}

#define AT(type, member) LIST_AT(type, struct secret_entry, member)

/* Shows "bob, @dev"; exits where the store is damaged. */
static void
secret_verb_fill_readers(const void *row, struct list_cell *cell)
{
	const struct secret_entry *entry = row;
	struct buffer words = {0};
	struct error err;
	jv list;

	if (!entry->readers)
		return;
	if (json_parse("the store", entry->readers, strlen(entry->readers), &list, &err) < 0)
		exit(message_error(&err));
	for (size_t i = 0; i < json_length(list); i++) {
		jv reader = json_element(list, i);

		buffer_printf(&words, "%s%s", i ? ", " : "", json_string(reader));
		jv_free(reader);
	}
	if (words.length)
		list_cell_show(cell, STYLE_PLAIN, "%s", words.data);
	list_cell_json(cell, entry->readers);
	jv_free(list);
	buffer_release(&words);
}

static const struct list_column columns[] = {
	{"NAME", "name", AT(TEXT, name)},
	{"VERSION", "version", AT(INTEGER, version)},
	{"TIME", "at", AT(TEXT, at)},
	{"USER", "by", AT(TEXT, by)},
	{"READERS", "readers", .fill = secret_verb_fill_readers, .when = LIST_FILLED},
	{0}};

static const struct list secrets = {.kind = "secret", .rows = "secrets", .columns = columns, .row_size = sizeof(struct secret_entry)};

int
secret_verb_list(int argc, char **argv)
{
	struct secret_list list = {0};
	struct store *store;
	struct error err;
	struct output chosen;
	int64_t cluster;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 0, "no operand");
	chosen = store_verb_output();
	cluster = secret_verb_open(&store, false);

	if (secrets_list(store, cluster, &list, &err) < 0)
		code = message_error(&err);
	else
		list_print(&secrets, list.list, list.count, &chosen);

	secret_list_release(&list);
	store_release(store);
	return message_end(code);
}

static int
secret_verb_delete_all(struct store *store, int64_t cluster, char *const *names, struct error *err)
{
	int result = store_begin(store, err);

	if (result < 0)
		return -1;
	for (; *names && result == 0; names++)
		result = secrets_delete(store, cluster, *names, err);
	result = store_finish(store, result, err);
	if (result == 0)
		store_wipe(store);
	return result;
}

int
secret_verb_delete(int argc, char **argv)
{
	struct store *store;
	struct error err;
	int64_t cluster;
	int code = 0;

	argv += option_parse(&delete_command, argc, argv);
	store_verb_operands(&delete_command, argv, 1, 1 << 20, "a name");
	cluster = secret_verb_open(&store, true);

	if (store_verb_consent(argv, change.yes, &err) < 0 || secret_verb_delete_all(store, cluster, argv, &err) < 0)
		code = message_error(&err);

	store_release(store);
	return message_end(code);
}
