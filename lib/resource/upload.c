/* SPDX-License-Identifier: Apache-2.0 */
#include "resource/upload.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/quota.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "resource/tarball.h"
#include "ssh/bundle.h"
#include "store/store.h"

int
upload_begin(struct upload *upload, struct store *store, struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s/uploads.lock", state);
	bool taken = false;

	upload->place = file_make_dirs(AT_FDCWD, state, 0700, err) < 0 ? -1 : file_open(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, err);
	for (off_t i = 0; upload->place >= 0 && i < UPLOADS_AT_ONCE && !taken; i++) {
		struct flock place = {.l_type = F_WRLCK, .l_start = (off_t)store_tenant(store) * UPLOADS_AT_ONCE + i, .l_len = 1};

		taken = fcntl(upload->place, F_OFD_SETLK, &place) == 0;
	}
	free(path);
	free(state);
	if (upload->place < 0 || taken)
		return upload->place < 0 ? -1 : 0;
	return error_set(err, EX_TEMPFAIL, "%d uploads of the tenant are under way; try again when one has ended", UPLOADS_AT_ONCE);
}

static int
upload_read_folder(struct upload *upload, const char *path, struct error *err)
{
	struct bundle bundle = {.no_links = upload->no_links};
	int result = bundle_add_path(&bundle, path, upload->resource.name.name, err);

	if (result == 0)
		result = tarball_write(&bundle, upload->resource.name.name, false, &upload->made, err);
	else
		err->code = EX_DATAERR;
	bundle_release(&bundle);
	return result;
}

int
upload_read(struct upload *upload, const char *path, struct error *err)
{
	struct stat status;

	if (strcmp(path, "-") == 0)
		return incoming_read(&upload->incoming, STDIN_FILENO, "standard input", BUNDLE_BYTES, err);
	if (stat(path, &status) < 0)
		return error_errno(err, EX_NOINPUT, "%s", path);
	if (S_ISDIR(status.st_mode))
		return upload_read_folder(upload, path, err);
	if (!S_ISREG(status.st_mode))
		return error_set(err, EX_NOINPUT, "%s: neither a file nor a folder; - is standard input", path);
	return file_read(AT_FDCWD, path, BUNDLE_BYTES, &upload->made, err);
}

static const void *
upload_bytes(const struct upload *upload)
{
	return upload->incoming.bytes ? upload->incoming.bytes : buffer_string(&upload->made);
}

static size_t
upload_length(const struct upload *upload)
{
	return upload->incoming.bytes ? upload->incoming.length : upload->made.length;
}

/* Checks an archive, which is read from a file. */
static int
upload_check_archive(const struct upload *upload, struct error *err)
{
	struct incoming copy;
	int result;

	if (upload->incoming.bytes)
		return tarball_check(upload->incoming.fd, upload->resource.name.name, err);
	result = incoming_copy(&copy, upload_bytes(upload), upload_length(upload), err);
	if (result == 0)
		result = tarball_check(copy.fd, upload->resource.name.name, err);
	incoming_release(&copy);
	return result;
}

int
upload_check(struct upload *upload, struct error *err)
{
	struct resource *resource = &upload->resource;
	int result = resource->is_archive ? upload_check_archive(upload, err) : 0;

	content_digest(upload_bytes(upload), upload_length(upload), upload->digest);
	resource->sum = upload->digest;
	resource->bytes = (int64_t)upload_length(upload);
	return result;
}

int
upload_keep(struct upload *upload, struct store *store, struct error *err)
{
	if (upload_check(upload, err) < 0 || store_begin(store, err) < 0)
		return -1;
	if (store_finish(store, quota_reserve_upload(store, upload->digest, upload->resource.bytes, err), err) < 0)
		return -1;
	return content_put(upload_bytes(upload), upload_length(upload), upload->digest, err);
}

int
upload_record(struct upload *upload, struct store *store, struct error *err)
{
	/* It may have been there for long, named by nobody, and been removed just now. */
	if (!content_has(upload->digest) &&
	    content_put(upload_bytes(upload), upload_length(upload), upload->digest, err) < 0)
		return -1;
	if (quota_record_upload(store, upload->digest, err) < 0)
		return -1;
	return resources_add(store, &upload->resource, err);
}

int
upload_try(struct upload *upload, struct store *store, struct error *err)
{
	if (quota_reserve_upload(store, upload->digest, upload->resource.bytes, err) < 0)
		return -1;
	return resources_add(store, &upload->resource, err);
}

void
upload_release(struct upload *upload)
{
	buffer_release(&upload->made);
	if (upload->incoming.bytes)
		incoming_release(&upload->incoming);
	if (upload->place > 0)
		close(upload->place);
}
