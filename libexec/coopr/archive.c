/* SPDX-License-Identifier: Apache-2.0
 *
 * archive: keeps archives of services, encrypted, where the setting "archives" says, and gives them back.
 *
 *	put KEY		keeps standard input; prints {"bytes", "id", "kind", "sum"} when all of it is kept, and recorded for
 *			its cluster where KEY is that of a task. Who gives up kills it
 *			before it lets its input end.
 *	get KEY		prints it; every byte is proven before it is printed, but the end only at the end
 *	verify KEY	reads it as get does, and prints nothing
 *	list		prints the keys of all that is kept
 *	delete KEY	deletes it
 *
 * Exits with 0; 64 on misuse; 65 where an archive is damaged; 66 where there is no store or no key; 74 where it cannot be read or kept;
 * 75 where it may be tried again.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/receipt.h"
#include "archive/storage.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "cluster/archives.h"
#include "json/json.h"
#include "json/record.h"
#include "store/store.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command command = {
	"archive", "put KEY | get KEY | verify KEY | list | delete KEY", "Keep and give back archives of services.", options, ""};

static int
archive_put(struct store *store, const char *key, struct error *err)
{
	int64_t began_ms = clock_wall_ms();
	struct seal seal;
	jv record;

	if (storage_put(store, key, STDIN_FILENO, &seal, err) < 0 ||
	    archives_record_kept(store, key, began_ms, seal.bytes, seal.sum, err) < 0 || receipt_note("put", key, err) < 0)
		return -1;
	record = jv_object();
	json_set_string(&record, "kind", "archive");
	json_set_string(&record, "id", key);
	json_set_number(&record, "bytes", (double)seal.bytes);
	json_set_string(&record, "sum", seal.sum);
	record_write(record, stdout);
	jv_free(record);
	return 0;
}

static int
archive_get(struct store *store, const char *key, struct error *err)
{
	return storage_get(store, key, STDOUT_FILENO, err) < 0 ? -1 : receipt_note("get", key, err);
}

static int
archive_list(struct error *err)
{
	struct arguments keys = {0};
	int result = storage_list(&keys, err);

	for (size_t i = 0; i < keys.count; i++)
		puts(keys.list[i]);
	arguments_release(&keys);
	return result;
}

/* Does what needs the key of the store's secrets. */
static int
archive_with_store(const char *verb, const char *key, struct error *err)
{
	struct store *store;
	int result = store_open(&store, NULL, STORE_WRITE, NULL, err);

	if (result == 0)
		result = strcmp(verb, "put") == 0 ? archive_put(store, key, err)
		    : strcmp(verb, "get") == 0 ? archive_get(store, key, err)
		    : storage_get(store, key, -1, err);
	store_release(store);
	return result;
}

int
main(int argc, char **argv)
{
	const char *verb, *key;
	struct error err;
	int result;

	argv += option_parse(&command, argc, argv);
	verb = argv[0] ? argv[0] : "";
	key = argv[0] ? argv[1] : NULL;
	if (key ? argv[2] || !storage_is_key(key) : strcmp(verb, "list") != 0)
		return option_misuse(&command, key ? "expected one KEY: a name that begins with a letter or a digit" : "missing argument KEY");

	if (strcmp(verb, "list") == 0 && !key)
		result = archive_list(&err);
	else if (strcmp(verb, "put") == 0 || strcmp(verb, "get") == 0 || strcmp(verb, "verify") == 0)
		result = archive_with_store(verb, key, &err);
	else if (strcmp(verb, "delete") == 0)
		result = storage_delete(key, &err);
	else
		return option_misuse(&command, "expected put, get, verify, list or delete");

	return message_end(result < 0 ? message_error(&err) : 0);
}
