/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/container/files.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "content/key-pair.h"

enum { TAR_BYTES = 64 * 1024, KEY_BYTES = 16 * 1024 };

const char container_start[] =
    "PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin\n"
    "sshd=$(command -v sshd) || { echo 'there is no sshd in this image' >&2; exit 127; }\n"
    "mkdir -p /run/sshd\n"
    "exec \"$sshd\" -D -e -h " CONTAINER_FOLDER "/host_key -o 'AuthorizedKeysFile=" CONTAINER_FOLDER "/authorized_keys .ssh/authorized_keys'\n";

/* Adds a file, or a folder where text is NULL. */
static int
container_add(struct archive *archive, const char *path, const char *text, size_t length, unsigned mode)
{
	struct archive_entry *entry = archive_entry_new();
	int result;

	archive_entry_set_pathname(entry, path + 1);
	archive_entry_set_filetype(entry, text ? AE_IFREG : AE_IFDIR);
	archive_entry_set_perm(entry, mode);
	archive_entry_set_size(entry, (la_int64_t)length);
	result = archive_write_header(archive, entry);
	if (result == ARCHIVE_OK && text && archive_write_data(archive, text, length) != (la_ssize_t)length)
		result = ARCHIVE_FATAL;
	archive_entry_free(entry);
	return result;
}

int
container_pack(const struct key_pair *host_key, const char *key, char **tar, size_t *length, struct error *err)
{
	struct archive *archive = archive_write_new();
	char *line = memory_printf("%s\n", key);
	int result = -1;

	*tar = memory_zeroed(1, TAR_BYTES);
	*length = 0;
	if (archive && strlen(line) < KEY_BYTES && archive_write_set_format_ustar(archive) == ARCHIVE_OK &&
	    archive_write_open_memory(archive, *tar, TAR_BYTES, length) == ARCHIVE_OK &&
	    container_add(archive, CONTAINER_FOLDER, NULL, 0, 0755) == ARCHIVE_OK &&
	    container_add(archive, CONTAINER_FOLDER "/host_key", host_key->private, host_key->length, 0600) == ARCHIVE_OK &&
	    container_add(archive, CONTAINER_FOLDER "/host_key.pub", host_key->public, strlen(host_key->public), 0644) == ARCHIVE_OK &&
	    container_add(archive, CONTAINER_FOLDER "/authorized_keys", line, strlen(line), 0644) == ARCHIVE_OK &&
	    archive_write_close(archive) == ARCHIVE_OK)
		result = 0;
	else
		error_set(err, EX_SOFTWARE, "the keys of a container cannot be packed: %s", archive && archive_error_string(archive)
		    ? archive_error_string(archive) : "too long");
	if (archive)
		archive_write_free(archive);
	free(line);
	return result;
}
