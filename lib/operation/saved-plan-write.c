/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/saved-plan.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "json/credential.h"
#include "json/record.h"
#include "json/scan.h"
#include "operation/operate.h"
#include "preview/preview.h"
#include "store/key.h"
#include "store/secrets.h"

_Static_assert((int)STORE_KEY_BYTES == (int)crypto_kdf_KEYBYTES, "a key can be derived from the store's");

void
saved_plan_seal(const struct store_key *key, const char *text, size_t length, char mac[SAVED_MAC_SIZE])
{
	unsigned char own[crypto_generichash_KEYBYTES], bytes[crypto_generichash_BYTES];

	crypto_kdf_derive_from_key(own, sizeof own, 1, "savedpln", key->bytes);
	crypto_generichash(bytes, sizeof bytes, (const unsigned char *)text, length, own, sizeof own);
	sodium_memzero(own, sizeof own);
	sodium_bin2hex(mac, SAVED_MAC_SIZE, bytes, sizeof bytes);
}

void
saved_plan_digest(const char *layout, char digest[SAVED_MAC_SIZE])
{
	unsigned char bytes[crypto_generichash_BYTES];

	crypto_generichash(bytes, sizeof bytes, (const unsigned char *)layout, strlen(layout), NULL, 0);
	sodium_bin2hex(digest, SAVED_MAC_SIZE, bytes, sizeof bytes);
}

/* Reads the records of a member of the operation's folder as a list; null where it is missing. */
static int
saved_plan_list_records(const struct operation_context *context, const char *member, jv *list, struct error *err)
{
	struct record_reader reader;
	int fd, got;
	jv record;

	*list = jv_null();
	if (!workdir_has(&context->job_dir, member))
		return 0;
	fd = file_open(context->job_dir.fd, member, O_RDONLY, 0, err);
	if (fd < 0)
		return -1;
	*list = jv_array();
	record_reader_init(&reader, fd, member);
	while ((got = record_read(&reader, &record, err)) > 0)
		*list = jv_array_append(*list, record);
	record_reader_release(&reader);
	close(fd);
	return got;
}

/* Returns what the preview needs beside the plan, as saved_plan_basis reads it. */
static jv
saved_plan_describe_basis(const struct preview_basis *basis)
{
	jv said = jv_object();

	json_set_number(&said, "cost", basis->cost);
	if (jv_is_valid(basis->prices))
		json_set(&said, "prices", jv_copy(basis->prices));
	if (jv_is_valid(basis->config))
		json_set(&said, "config", jv_copy(basis->config));
	if (jv_is_valid(basis->stateful))
		json_set(&said, "stateful", jv_copy(basis->stateful));
	return said;
}

/* Returns the header: what the plan is of, what it was made from, and who made it when. A new cluster is owned by its planner,
 * whoever carries the plan out. */
static jv
saved_plan_header(const struct operation_context *context, const struct operation_request *request,
    const struct preview_basis *basis)
{
	const struct cluster_record *cluster = context->cluster;
	const char *layout = cluster ? context->documents.layout : NULL;
	char digest[SAVED_MAC_SIZE], now[CLOCK_RFC3339_SIZE];
	jv header = jv_object();

	if (layout)
		saved_plan_digest(layout, digest);
	json_set_string(&header, "kind", "savedplan");
	json_set_string(&header, "cluster", context->workdir.id);
	json_set_string(&header, "name", context->workdir.name);
	json_set_string(&header, "tenant", cluster ? cluster->tenant : context->account.tenant);
	json_set_number(&header, "operation", cluster ? (double)cluster->operation : 0);
	json_set_string(&header, "status", cluster ? lifecycle_status_name(cluster->status) : NULL);
	json_set_string(&header, "recorded", layout ? digest : NULL);
	json_set_string(&header, "action", request->action);
	json_set_string(&header, "verb", request->verb ? request->verb : request->action);
	json_set_string(&header, "command", request->command);
	json_set_string(&header, "owner", cluster || request->owner ? request->owner : context->account.user);
	json_set_string(&header, "group", request->group);
	json_set_number(&header, "lease_ms", (double)request->lease_ms);
	json_set_string(&header, "at", clock_rfc3339(clock_wall_ms(), now));
	json_set_string(&header, "by", context->account.user);
	json_set_string(&header, "why", context->options->ask.why);
	if (context->options->discard_data)
		json_set(&header, "discard_data", jv_true());
	json_set(&header, "basis", saved_plan_describe_basis(basis));
	return header;
}

/* Warns of passwords and keys in clear, without which the plan could not be carried out as it is. */
static void
saved_plan_warn(const struct operation_context *context, jv header)
{
	struct problems in_clear = {0};
	struct place root = place_root(header, &in_clear);
	char *text;

	credential_check(&root);
	if (in_clear.total) {
		text = memory_printf("%s: warning: it contains passwords or keys in clear (%s); keep it secret, or write {\"secret\": \"NAME\"} in "
		    "their place, coopr-secret(1)", context->options->save, in_clear.list[0].pointer);
		context->options->runner.notice(text);
		free(text);
	}
	problems_release(&in_clear);
}

/* Prints the header, with the request and the layout as far as the operation has them, and the plan behind it. */
static int
saved_plan_compose(const struct operation_context *context, const struct operation_request *request,
    const struct preview_basis *basis, struct buffer *text, struct error *err)
{
	jv header = saved_plan_header(context, request, basis), parameters, layout = jv_null();
	int result = saved_plan_list_records(context, "request.json", &parameters, err);

	if (result == 0)
		result = saved_plan_list_records(context, "layout.ndjson", &layout, err);
	json_set(&header, "request", jv_get_kind(parameters) == JV_KIND_ARRAY ? jv_array_get(parameters, 0) : parameters);
	saved_plan_warn(context, header);
	json_set(&header, "layout", layout);
	json_dump(header, text);
	buffer_byte(text, '\n');
	jv_free(header);
	return result < 0 ? -1 : file_read(context->job_dir.fd, "plan.ndjson", JSON_BYTES, text, err);
}

/* Appends the seal. The store's key is that of its secrets; a missing one is made in a transaction, so that there is only
 * ever one. */
static int
saved_plan_append_seal(struct operation_context *context, struct buffer *text, struct error *err)
{
	struct store *store = context->account.store;
	char mac[SAVED_MAC_SIZE];
	struct store_key key = {0};
	int result;

	if (store_begin(store, err) < 0)
		return -1;
	result = store_finish(store, secrets_key(store, &key, err), err);
	if (result == 0) {
		saved_plan_seal(&key, text->data, text->length, mac);
		buffer_printf(text, "{\"kind\":\"seal\",\"mac\":\"%s\"}\n", mac);
	}
	store_key_release(&key);
	return result;
}

bool
saved_plan_is(const char *path)
{
	struct record_reader reader;
	struct error ignored; /* then it is none */
	struct stat status;
	bool is = false;
	jv record;

	if (strcmp(path, "-") == 0 || stat(path, &status) < 0 || !S_ISREG(status.st_mode) ||
	    record_reader_open(&reader, path, &ignored) < 0)
		return false;
	if (record_read(&reader, &record, &ignored) > 0) {
		is = strcmp(record_kind(record), "savedplan") == 0;
		jv_free(record);
	}
	record_reader_release(&reader);
	return is;
}

/* Checks that a file to be replaced is a saved plan: a name is soon mistyped. */
static int
saved_plan_check_target(const char *path, struct error *err)
{
	struct stat status;

	if (strcmp(path, "-") == 0)
		return 0;
	if (lstat(path, &status) < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_CANTCREAT, "%s", path);
	return S_ISREG(status.st_mode) && saved_plan_is(path) ? 0
	    : error_set(err, EX_CANTCREAT, "%s: the file exists and is not a saved plan; it is not overwritten", path);
}

int
saved_plan_write(struct operation_context *context, const struct operation_request *request,
    const struct preview_basis *basis, struct error *err)
{
	const char *path = context->options->save;
	struct buffer text = {0};
	int result = saved_plan_check_target(path, err);

	if (result == 0)
		result = saved_plan_compose(context, request, basis, &text, err);
	if (result == 0)
		result = saved_plan_append_seal(context, &text, err);
	if (result == 0 && strcmp(path, "-") == 0)
		buffer_print(&text);
	else if (result == 0)
		result = file_replace(AT_FDCWD, path, text.data, text.length, 0600, err);
	buffer_release(&text);
	return result;
}
