/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/image/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { JSON_LIMIT = 4 * 1024 * 1024, LAYERS_MAX = 200, BLOCK = 256 * 1024 };

#define SHA256 "sha256:"
#define TAG "org.opencontainers.image.ref.name"

_Static_assert(LAYOUT_DIGEST_SIZE == 2 * crypto_hash_sha256_BYTES + 1, "a digest fits");

bool
layout_is_one(int folder)
{
	return file_exists(folder, "oci-layout");
}

int
layout_digest(int fd, const char *name, char digest[static LAYOUT_DIGEST_SIZE], struct error *err)
{
	unsigned char *block = memory_resize(NULL, BLOCK, 1), hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	ssize_t n = 0;
	off_t at = 0;

	crypto_hash_sha256_init(&state);
	while ((n = pread(fd, block, BLOCK, at)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0) {
			crypto_hash_sha256_update(&state, block, (size_t)n);
			at += n;
		}
	crypto_hash_sha256_final(&state, hash);
	free(block);
	sodium_bin2hex(digest, LAYOUT_DIGEST_SIZE, hash, sizeof hash);
	return n < 0 ? error_errno(err, EX_NOINPUT, "%s", name) : 0;
}

/* Takes the digest of a descriptor. */
static int
layout_take_digest(const struct place *descriptor, char digest[static LAYOUT_DIGEST_SIZE], struct error *err)
{
	struct place member = place_member(descriptor, "digest");
	const char *text = json_string(member.value), *hex = text && strncmp(text, SHA256, strlen(SHA256)) == 0 ? text + strlen(SHA256) : NULL;

	if (!hex || strlen(hex) != LAYOUT_DIGEST_SIZE - 1 || strspn(hex, "0123456789abcdef") != LAYOUT_DIGEST_SIZE - 1)
		return error_set(err, EX_DATAERR, "OCI layout: %s is no sha256 digest", text ? text : "what names a blob");
	memcpy(digest, hex, LAYOUT_DIGEST_SIZE);
	return 0;
}

int
layout_open_blob(int folder, const char *digest, struct error *err)
{
	char *path = memory_printf("blobs/sha256/%s", digest), found[LAYOUT_DIGEST_SIZE];
	int fd = file_open(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, err), result = fd < 0 ? -1 : 0;
	struct stat st;

	if (result == 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		result = error_set(err, EX_DATAERR, "%s: is not a file", path);
	if (result == 0)
		result = layout_digest(fd, path, found, err);
	if (result == 0 && strcmp(found, digest) != 0)
		result = error_set(err, EX_DATAERR, "%s: is damaged: its digest is %s", path, found);
	if (result < 0 && fd >= 0)
		close(fd);
	free(path);
	return result < 0 ? -1 : fd;
}

/* Reads a document: the index, or a blob of that digest. */
static int
layout_read_json(int folder, const char *digest, jv *value, struct error *err)
{
	const char *name = digest ? digest : "index.json";
	int fd = digest ? layout_open_blob(folder, digest, err) : file_open(folder, name, O_RDONLY | O_NONBLOCK, 0, err), result = -1;
	struct buffer text = {0};

	*value = jv_invalid();
	if (fd >= 0 && file_read_fd(fd, name, JSON_LIMIT, &text, err) == 0)
		result = json_parse(name, buffer_string(&text), text.length, value, err);
	if (fd >= 0)
		close(fd);
	buffer_release(&text);
	return result;
}

/* Returns the name that container images have for this host's processor. */
static const char *
layout_processor(void)
{
	static const char *const names[][2] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"armv7l", "arm"}, {"i686", "386"}, {"ppc64le", "ppc64le"},
	    {"riscv64", "riscv64"}, {"s390x", "s390x"}};
	struct utsname host;

	for (size_t i = 0; uname(&host) == 0 && i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i][0], host.machine) == 0)
			return names[i][1];
	return "";
}

static bool
layout_says(const struct place *object, const char *name, const char *value)
{
	const struct place member = place_member(object, name);
	const char *text = json_string(member.value);

	return text && strcmp(text, value) == 0;
}

/* Returns whether the image of a descriptor is for another processor. */
static bool
layout_is_foreign(const struct place *descriptor)
{
	const struct place platform = place_member(descriptor, "platform");
	struct place architecture;

	if (!place_object(&platform, NEED_OPTIONAL))
		return false;
	architecture = place_member(&platform, "architecture");
	return place_present(&architecture) && !layout_says(&platform, "architecture", layout_processor());
}

/* Takes the digest of the only image in an index that is called tag and runs on this host. */
static int
layout_choose(const struct place *index, const char *tag, char digest[static LAYOUT_DIGEST_SIZE], bool *nested, struct error *err)
{
	const struct place manifests = place_member(index, "manifests");
	const int count = place_array(&manifests, NEED_REQUIRED) ? jv_array_length(jv_copy(manifests.value)) : 0;
	int found = 0;

	for (int i = 0; i < count; i++) {
		const struct place one = place_element(&manifests, (size_t)i), annotations = place_member(&one, "annotations");

		if (!place_object(&one, NEED_REQUIRED) || layout_is_foreign(&one) ||
		    (tag && !(place_object(&annotations, NEED_OPTIONAL) && layout_says(&annotations, TAG, tag))))
			continue;
		if (layout_take_digest(&one, digest, err) < 0)
			return -1;
		*nested = layout_says(&one, "mediaType", "application/vnd.oci.image.index.v1+json") ||
		    layout_says(&one, "mediaType", "application/vnd.docker.distribution.manifest.list.v2+json");
		found++;
	}
	if (found == 0)
		return error_set(err, EX_CONFIG, "OCI layout: has no image%s%s for the processor of this host", tag ? " " : "", tag ? tag : "");
	if (found > 1)
		return error_set(err, EX_CONFIG, "OCI layout: has more than one image%s%s; name one, as FOLDER:TAG", tag ? " " : "", tag ? tag : "");
	return 0;
}

static int
layout_choose_in(int folder, const char *index, const char *tag, char digest[static LAYOUT_DIGEST_SIZE], bool *nested, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	jv value;
	int result;

	if (layout_read_json(folder, index, &value, err) < 0)
		return -1;
	place = place_root(value, &problems);
	result = place_object(&place, NEED_REQUIRED) ? layout_choose(&place, tag, digest, nested, err) : -1;
	if (problems.total)
		result = problems_error(&problems, "OCI layout", EX_DATAERR, err);
	problems_release(&problems);
	jv_free(value);
	return result;
}

int
layout_find(int folder, const char *tag, char digest[static LAYOUT_DIGEST_SIZE], struct error *err)
{
	char index[LAYOUT_DIGEST_SIZE];
	bool nested = false;

	if (layout_choose_in(folder, NULL, tag, digest, &nested, err) < 0)
		return -1;
	if (!nested)
		return 0;
	memcpy(index, digest, sizeof index);
	if (layout_choose_in(folder, index, NULL, digest, &nested, err) < 0)
		return -1;
	return nested ? error_set(err, EX_DATAERR, "OCI layout: an index of indices of indices") : 0;
}

static int
layout_take_layers(const struct place *manifest, struct arena *arena, struct string_list *layers, struct error *err)
{
	const struct place list = place_member(manifest, "layers");
	const int count = place_array(&list, NEED_REQUIRED) ? jv_array_length(jv_copy(list.value)) : 0;

	if (count == 0 || count > LAYERS_MAX)
		return error_set(err, EX_DATAERR, "OCI layout: an image has 1 to %d layers, this one has %d", LAYERS_MAX, count);
	layers->list = arena_alloc(arena, (size_t)count, sizeof *layers->list);
	for (layers->count = 0; layers->count < (size_t)count; layers->count++) {
		const struct place one = place_element(&list, layers->count);
		char digest[LAYOUT_DIGEST_SIZE];

		if (!place_object(&one, NEED_REQUIRED) || layout_take_digest(&one, digest, err) < 0)
			return -1;
		layers->list[layers->count] = arena_string(arena, digest);
	}
	return 0;
}

int
layout_read_layers(int folder, const char *manifest, struct arena *arena, struct string_list *layers, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	jv value;
	int result;

	if (layout_read_json(folder, manifest, &value, err) < 0)
		return -1;
	place = place_root(value, &problems);
	result = place_object(&place, NEED_REQUIRED) ? layout_take_layers(&place, arena, layers, err) : -1;
	if (problems.total)
		result = problems_error(&problems, "OCI layout", EX_DATAERR, err);
	problems_release(&problems);
	jv_free(value);
	return result;
}
