/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/manifest.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "json/json.h"

enum { MANIFEST_FORMAT = 1 };

struct manifest_file *
manifest_add(struct manifest *manifest, const char *path)
{
	ARRAY_ROOM(manifest->files, manifest->count, manifest->capacity);
	manifest->files[manifest->count] = (struct manifest_file){.path = arena_string(&manifest->arena, path)};
	return &manifest->files[manifest->count++];
}

int64_t
manifest_bytes(const struct manifest *manifest)
{
	int64_t sum = 0;

	for (size_t i = 0; i < manifest->count; i++)
		sum += manifest->files[i].size;
	return sum;
}

static void
manifest_print_record(jv record, struct buffer *out)
{
	json_dump(record, out);
	buffer_byte(out, '\n');
	jv_free(record);
}

/* Appends the record that ends a manifest: the sum of all before it. */
static void
manifest_print_end(struct buffer *out)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	char sum[MANIFEST_HASH_SIZE];
	jv record = jv_object();

	crypto_hash_sha256(hash, (const unsigned char *)out->data, out->length);
	json_set_string(&record, "kind", "end");
	json_set_string(&record, "sha256", sodium_bin2hex(sum, sizeof sum, hash, sizeof hash));
	manifest_print_record(record, out);
}

void
manifest_print(const struct manifest *manifest, struct buffer *out)
{
	char at[CLOCK_RFC3339_SIZE];
	jv record = jv_object();

	json_set_string(&record, "kind", "backup");
	json_set_number(&record, "format", MANIFEST_FORMAT);
	json_set_string(&record, "at", clock_rfc3339(manifest->at_ms, at));
	json_set_string(&record, "host", manifest->host);
	json_set_string(&record, "coopr", manifest->version);
	json_set_string(&record, "state", manifest->state);
	json_set_string(&record, "key", manifest->key_mark);
	json_set_number(&record, "clusters", (double)manifest->clusters);
	json_set_number(&record, "jobs", (double)manifest->jobs);
	json_set_number(&record, "files", (double)manifest->count);
	manifest_print_record(record, out);
	for (size_t i = 0; i < manifest->count; i++) {
		const struct manifest_file *file = &manifest->files[i];

		record = jv_object();
		json_set_string(&record, "kind", "file");
		json_set_string(&record, "path", file->path);
		json_set_number(&record, "size", (double)file->size);
		json_set_string(&record, "sha256", *file->hash ? file->hash : NULL);
		manifest_print_record(record, out);
	}
	manifest_print_end(out);
}

static int
manifest_parse_header(struct manifest *manifest, jv record, struct error *err)
{
	const char *kind = json_arena_string(record, "kind", &manifest->arena), *at = json_arena_string(record, "at", &manifest->arena);
	double format = json_get_number(record, "format", 0);

	if (!kind || strcmp(kind, "backup") != 0 || format < 1)
		return error_set(err, EX_DATAERR, "the manifest does not begin with a record of the kind \"backup\"");
	if (format > MANIFEST_FORMAT)
		return error_set(err, EX_DATAERR, "the backup was made by a later version of coopr; install that version");
	manifest->at_ms = at ? clock_parse_rfc3339(at) : -1;
	manifest->host = json_arena_string(record, "host", &manifest->arena);
	manifest->version = json_arena_string(record, "coopr", &manifest->arena);
	manifest->state = json_arena_string(record, "state", &manifest->arena);
	manifest->key_mark = json_arena_string(record, "key", &manifest->arena);
	manifest->clusters = (int64_t)json_get_number(record, "clusters", 0);
	manifest->jobs = (int64_t)json_get_number(record, "jobs", 0);
	return manifest->at_ms >= 0 && manifest->host && manifest->version && manifest->state ? 0
	    : error_set(err, EX_DATAERR, "the manifest does not say when and where the backup was made");
}

static int
manifest_parse_file(struct manifest *manifest, jv record, struct error *err)
{
	const char *path = json_arena_string(record, "path", &manifest->arena), *hash = json_arena_string(record, "sha256", &manifest->arena);
	double size = json_get_number(record, "size", -1);
	struct manifest_file *file;

	if (!path || !(size >= 0 && size < 9e15) || (hash && strlen(hash) != MANIFEST_HASH_SIZE - 1))
		return error_set(err, EX_DATAERR, "the manifest is malformed: file %zu", manifest->count + 1);
	file = manifest_add(manifest, path);
	file->size = (int64_t)size;
	if (hash)
		memcpy(file->hash, hash, MANIFEST_HASH_SIZE);
	return 0;
}

/* Checks the record at the end. Returns the length of what is before it, or -1. */
static ssize_t
manifest_check_end(const char *text, size_t length, struct error *err)
{
	const char *newline = length > 1 && text[length - 1] == '\n' ? memrchr(text, '\n', length - 1) : NULL;
	struct buffer end = {0};
	size_t before = newline ? (size_t)(newline + 1 - text) : 0;
	bool same;

	if (before == 0)
		return error_set(err, EX_DATAERR, "the manifest does not match its checksum");
	buffer_append(&end, text, before);
	manifest_print_end(&end);
	same = end.length == length && memcmp(end.data, text, length) == 0;
	buffer_release(&end);
	return same ? (ssize_t)before : error_set(err, EX_DATAERR, "the manifest does not match its checksum");
}

int
manifest_parse(const char *text, size_t length, struct manifest *manifest, struct error *err)
{
	ssize_t before = manifest_check_end(text, length, err);
	const char *line = text, *newline;
	int result = before < 0 ? -1 : 0;
	jv record;

	while (result == 0 && line < text + before && (newline = strchr(line, '\n'))) {
		result = json_parse("the manifest", line, (size_t)(newline - line), &record, err);
		if (result == 0) {
			result = line == text ? manifest_parse_header(manifest, record, err) : manifest_parse_file(manifest, record, err);
			jv_free(record);
		}
		line = newline + 1;
	}
	return result;
}

void
manifest_release(struct manifest *manifest)
{
	arena_release(&manifest->arena);
	free(manifest->files);
	*manifest = (struct manifest){0};
}
