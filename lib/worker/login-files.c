/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/login-files.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "cluster/clusters.h"
#include "exec/plugin-schema.h"
#include "json/credential.h"
#include "model/take/origin.h"
#include "model/take/task.h"
#include "store/key.h"
#include "store/login-key.h"
#include "store/secrets.h"
#include "store/store.h"

enum { HASH_BYTES = 16, NAME_SIZE = 2 * HASH_BYTES + 1 };

static const struct login_part {
	const char *name;
	const char *inside;        /* of which member of ssh-auth it is one; NULL: of itself */
	const char *member, *file;
	bool is_key;
} parts[] = {{"bastion-key", "bastion", "key", "identityfile", true}, {"key", NULL, "key", "identityfile", true},
    {"passphrase", NULL, "passphrase", "passphrasefile", false}, {"password", NULL, "password", "passwordfile", false}};

enum { PARTS = sizeof parts / sizeof *parts };

struct login_file { /* one login: up to PARTS files */
	struct login_files *all;
	char *text;           /* what it is, and whose */
	char name[NAME_SIZE]; /* of its files, with the part's behind it; made from text */
	unsigned users;
	struct login_file *next;
};

struct login_source { /* whose secrets are meant; release it */
	char *tenant, *id;
	bool is_installations; /* the provider is */
	struct store *store;
	struct store_key key;
};

static void
login_source_of(jv record, struct login_source *source)
{
	jv cluster = json_get(record, "cluster"), provider = json_get(cluster, "provider");

	*source = (struct login_source){.tenant = json_get_string(cluster, "tenant"), .id = json_get_string(cluster, "id")};
	if (!source->tenant)
		source->tenant = memory_string("default");
	source->is_installations = jv_get_kind(provider) == JV_KIND_OBJECT && origin_of(provider, ORIGIN_TENANT) == ORIGIN_INSTALLATION;
	jv_free(provider);
	jv_free(cluster);
}

static void
login_source_release(struct login_source *source)
{
	store_key_release(&source->key);
	store_release(source->store);
	free(source->tenant);
	free(source->id);
}

static int
login_source_open(struct login_source *source, struct error *err)
{
	if (source->store)
		return 0;
	if (store_open(&source->store, NULL, STORE_READ, source->tenant, err) < 0)
		return -1;
	return store_key_read(source->store, &source->key, err);
}

/* Opens a secret of the tenant superadmin: 0, or -1. */
static int
login_files_open_installations(const struct login_source *source, const char *name, struct secret_value *value, struct error *err)
{
	const int64_t own = store_tenant(source->store);
	int64_t superadmin;
	int result = -1;

	if (store_find_tenant(source->store, "superadmin", &superadmin, err) > 0) {
		store_set_tenant(source->store, superadmin);
		result = secrets_open(source->store, &source->key, 0, name, value, err);
		store_set_tenant(source->store, own);
	}
	return result;
}

/* Opens what the reference names. */
static int
login_files_open(struct login_source *source, jv reference, struct secret_value *value, struct error *err)
{
	const char *public = json_string(reference);
	struct error none; /* then the tenant's is meant */
	bool is_generated;
	char *name;
	int got;

	*value = (struct secret_value){0};
	if (login_source_open(source, err) < 0)
		return -1;
	if (public)
		return login_key_open(source->store, &source->key, source->id ? cluster_id_of(source->id) : 0, public, value, err);
	name = credential_reference(reference, &is_generated);
	if (!name || is_generated)
		got = error_set(err, EX_CONFIG, "ssh-auth: expected a public key or {\"secret\": \"NAME\"}");
	else if (source->is_installations && login_files_open_installations(source, name, value, &none) == 0)
		got = 0;
	else
		got = secrets_open(source->store, &source->key, 0, name, value, err);
	free(name);
	return got;
}

static char *
login_file_name(const struct login_file *login, const struct login_part *part)
{
	return memory_printf("%s.%s", login->name, part->name);
}

/* Writes a file. A key has to end with a newline, which coopr-secret set takes away. */
static int
login_file_write(const struct login_file *login, const struct login_part *part, const struct secret_value *value, struct error *err)
{
	bool is_key = part->is_key && value->length && value->text[value->length - 1] != '\n';
	char *name = login_file_name(login, part), *bytes = sodium_malloc(value->length + 2);
	int result;

	if (!bytes) {
		free(name);
		return error_errno(err, EX_OSERR, "a key: no locked memory for it (see ulimit -l)");
	}
	memcpy(bytes, value->text, value->length);
	bytes[value->length] = '\n';
	result = memory_folder_write(&login->all->folder, name, bytes, value->length + is_key, err);
	sodium_free(bytes);
	free(name);
	return result;
}

static int
login_file_write_all(const struct login_file *login, struct login_source *source, jv wanted, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < PARTS && result == 0; i++) {
		jv reference = json_get(wanted, parts[i].name);
		struct secret_value value = {0};

		if (jv_is_valid(reference) && (result = login_files_open(source, reference, &value, err)) == 0)
			result = login_file_write(login, &parts[i], &value, err);
		secret_value_release(&value);
		jv_free(reference);
	}
	return result;
}

/* Returns the login of that text, a new one if there was none. */
static struct login_file *
login_files_find(struct login_files *files, const char *text)
{
	unsigned char hash[HASH_BYTES];
	struct login_file *login = files->first;

	while (login && strcmp(login->text, text) != 0)
		login = login->next;
	if (login)
		return login;
	login = memory_zeroed(1, sizeof *login);
	*login = (struct login_file){.all = files, .text = memory_string(text), .next = files->first};
	crypto_generichash(hash, sizeof hash, (const unsigned char *)text, strlen(text), NULL, 0);
	sodium_bin2hex(login->name, sizeof login->name, hash, sizeof hash);
	files->first = login;
	return login;
}

/* Returns whether the path is that of a file which is there: the worker has made it, and this is its coopr-exec. */
static bool
login_files_is_made(jv path)
{
	return json_string(path) && access(json_string(path), R_OK) == 0;
}

/* Returns a member of the object that the part is of, owned. */
static jv
login_part_get(const struct login_part *part, jv auth, const char *member)
{
	jv object = part->inside ? json_get(auth, part->inside) : jv_copy(auth), value = json_get(object, member);

	jv_free(object);
	return value;
}

/* Names the file of the part. */
static void
login_part_set_file(const struct login_part *part, jv *auth, const char *path)
{
	jv object;

	if (!part->inside) {
		json_set_string(auth, part->file, path);
		return;
	}
	object = json_get(*auth, part->inside);
	json_set_string(&object, part->file, path);
	json_set(auth, part->inside, object);
}

/* Takes what has to become a file out of auth: an object, empty if there is nothing. */
static jv
login_files_wanted(jv auth)
{
	jv wanted = jv_object();

	for (size_t i = 0; i < PARTS; i++) {
		jv reference = login_part_get(&parts[i], auth, parts[i].member), there = login_part_get(&parts[i], auth, parts[i].file);

		if (jv_is_valid(reference) && jv_get_kind(reference) != JV_KIND_NULL && !login_files_is_made(there))
			json_set(&wanted, parts[i].name, jv_copy(reference));
		jv_free(there);
		jv_free(reference);
	}
	return wanted;
}

/* Writes the files of the wanted parts, and names them in auth. */
static int
login_files_use(struct login_files *files, struct login_source *source, jv wanted, jv *auth, struct login_file **used,
    struct error *err)
{
	struct buffer text = {0};
	struct login_file *login;
	int result = 0;

	buffer_printf(&text, "%s %s %d ", source->tenant, source->id ? source->id : "", source->is_installations);
	json_dump(wanted, &text);
	if (!files->folder.held.path)
		result = files->lasting ? memory_folder_open_lasting(&files->folder, err) : memory_folder_open(&files->folder, err);
	login = login_files_find(files, text.data);
	if (result == 0 && login->users == 0)
		result = login_file_write_all(login, source, wanted, err);
	login->users++;
	*used = login;
	for (size_t i = 0; i < PARTS && result == 0; i++) {
		char *name = login_file_name(login, &parts[i]), *path = memory_printf("%s/%s", files->folder.held.path, name);

		if (jv_object_has(jv_copy(wanted), jv_string(parts[i].name)))
			login_part_set_file(&parts[i], auth, path);
		free(path);
		free(name);
	}
	buffer_release(&text);
	if (result < 0) {
		login_files_leave(login);
		*used = NULL;
	}
	return result;
}

int
login_files_fill(struct login_files *files, jv *record, struct login_file **used, struct error *err)
{
	jv machine = json_get(*record, "machine"), facts = json_get(machine, "facts"), auth = json_get(facts, "ssh-auth"),
	    wanted = login_files_wanted(auth);
	struct login_source source;
	int result = 0;

	*used = NULL;
	if (json_length(wanted) > 0) {
		login_source_of(*record, &source);
		result = login_files_use(files, &source, wanted, &auth, used, err);
		login_source_release(&source);
		if (result < 0 && (err->code == EX_NO || err->code == EX_NOINPUT))
			err->code = EX_CONFIG;
	}
	if (*used) {
		json_set(&facts, "ssh-auth", auth);
		json_set(&machine, "facts", facts);
		json_set(record, "machine", machine);
	} else {
		jv_free(auth);
		jv_free(facts);
		jv_free(machine);
	}
	jv_free(wanted);
	return result;
}

int
login_files_fill_text(struct login_files *files, struct buffer *record, struct login_file **used, struct error *err)
{
	int result;
	jv parsed;

	*used = NULL;
	if (!login_files_mentioned(record->data, record->length))
		return 0;
	if (json_parse("the task", record->data, record->length, &parsed, err) < 0)
		return -1;
	result = login_files_fill(files, &parsed, used, err);
	if (*used) {
		buffer_clear(record);
		json_dump(parsed, record);
		buffer_byte(record, '\n');
	}
	jv_free(parsed);
	return result;
}

static bool
login_files_is_key_wanted(const struct task *task)
{
	bool is_wanted;
	jv schema;

	if (task->action != ACTION_CREATE || !action_is_providers(task->action))
		return false;
	schema = plugin_schema("provider", task->type);
	is_wanted = json_is(schema, "cluster_key", JV_KIND_TRUE);
	jv_free(schema);
	return is_wanted;
}

/* Sets cluster.key. */
static int
login_files_put_key(jv *record, struct error *err)
{
	struct login_source source;
	char *public = NULL;
	int64_t id;
	jv cluster;
	int result;

	login_source_of(*record, &source);
	id = source.id ? cluster_id_of(source.id) : 0;
	result = id ? store_open(&source.store, NULL, STORE_WRITE, source.tenant, err) : error_set(err, EX_NO, "the task is of no cluster");
	if (result == 0)
		store_set_by(source.store, "coopr");
	if (result == 0)
		result = login_key_need(source.store, id, &public, err);
	if (result < 0 && (err->code == EX_NO || err->code == EX_NOINPUT))
		result = 0;
	if (public) {
		cluster = json_get(*record, "cluster");
		json_set_string(&cluster, "key", public);
		json_set(record, "cluster", cluster);
	}
	free(public);
	login_source_release(&source);
	return result;
}

int
login_files_add_key(const struct task *task, jv *record, struct error *err)
{
	return login_files_is_key_wanted(task) ? login_files_put_key(record, err) : 0;
}

int
login_files_add_key_text(struct buffer *record, struct error *err)
{
	int result;
	jv parsed;

	if (json_parse("the task", record->data, record->length, &parsed, err) < 0)
		return -1;
	result = login_files_put_key(&parsed, err);
	if (result == 0) {
		buffer_clear(record);
		json_dump(parsed, record);
		buffer_byte(record, '\n');
	}
	jv_free(parsed);
	return result;
}

void
login_files_leave(struct login_file *login)
{
	if (!login || --login->users > 0 || login->all->lasting || !login->all->folder.held.path)
		return;
	for (size_t i = 0; i < PARTS; i++) {
		char *name = login_file_name(login, &parts[i]);

		memory_folder_remove(&login->all->folder, name);
		free(name);
	}
}

void
login_files_close(struct login_files *files)
{
	struct login_file *login;

	while ((login = files->first)) {
		files->first = login->next;
		free(login->text);
		free(login);
	}
	memory_folder_close(&files->folder);
}

bool
login_files_mentioned(const char *record, size_t length)
{
	static const char *const begins[] = {"\"ssh-auth\":{\"bastion\":", "\"ssh-auth\":{\"key\":", "\"ssh-auth\":{\"pass", "\"passphrase\":{\"secret\":"};

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (memmem(record, length, begins[i], strlen(begins[i])))
			return true;
	return false;
}
