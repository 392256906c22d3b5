/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks whether a backup can be restored here; restore-run.c does it.
 */
#include "backup/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/unpack.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/plural.h"
#include "base/process.h"
#include "confine/confine.h"
#include "queue/queue.h"
#include "queue/read.h"

enum { READY_BYTES = 1024 };

static bool
restore_allows(const void *context, const char *path)
{
	const struct restore *restore = context;

	if (strncmp(path, "spool/", 6) == 0)
		return queue_copy_has(NULL, path + 6);
	if (strncmp(path, "state/", 6) == 0)
		return path[6] && places_keeps(&restore->places, path + 6);
	return strcmp(path, RESTORE_STORE) == 0;
}

/* Reads the archive, which is to have a store in it. */
static int
restore_check_archive(struct restore *restore, struct error *err)
{
	const struct unpack unpack = restore_unpack(restore);
	bool has_store = false;

	if (unpack_check(&unpack, &restore->manifest, err) < 0)
		return -1;
	for (size_t i = 0; i < restore->manifest.count; i++)
		has_store |= strcmp(restore->manifest.files[i].path, RESTORE_STORE) == 0;
	return has_store ? 0 : error_set(err, EX_DATAERR, "%s: it contains no store, so it is not a backup of coopr", restore->file);
}

static int
restore_check_store(const struct restore *restore, struct error *err)
{
	static const char *const endings[] = {"", "-wal", "-shm", ".lock"};
	int result = 0;

	for (size_t i = 0; i < sizeof endings / sizeof *endings && result == 0; i++) {
		char *path = memory_printf("%s%s", restore->places.store, endings[i]);

		if (!file_is_absent(AT_FDCWD, path))
			result = error_set(err, EX_CANTCREAT, i == 0
			    ? "%s: there is a store already; a backup is restored into an empty installation (COOPR_STATE names another folder; remove the store if nothing "
		      "is in it)"
			    : "%s: it belongs to another store; move it away", path);
		free(path);
	}
	return result;
}

static int
restore_check_queue(const struct restore *restore, struct error *err)
{
	struct arguments ids = {0};
	struct queue *queue;
	size_t all = 0, fit;
	int result;

	queue = queue_open(NULL, QUEUE_READ, err);
	if (!queue)
		return err->absent ? 0 : -1;
	result = queue_ids(queue, &ids, err);
	if (result == 0)
		result = queue_workers(queue, NULL, &all, &fit, err);
	if (result == 0 && all > 0)
		result = error_set(err, EX_TEMPFAIL, "%s: %zu worker%s running; stop all workers, restore, and start them again",
		    restore->places.spool, all, plural(all, " is", "s are"));
	if (result == 0 && ids.count > 0 && !restore->begun)
		result = error_set(err, EX_CANTCREAT, "%s: has jobs already (%s%s); a backup is restored into an empty installation",
		    restore->places.spool, ids.list[0], ids.count > 1 ? ", ..." : "");
	arguments_release(&ids);
	queue_close(queue);
	return result;
}

/* Sets the sum of a file that is open. */
static int
restore_sum(int fd, char sum[MANIFEST_HASH_SIZE])
{
	unsigned char block[16 * 1024], hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	ssize_t got;

	crypto_hash_sha256_init(&state);
	while ((got = read(fd, block, sizeof block)) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			crypto_hash_sha256_update(&state, block, (unsigned long long)got);
	crypto_hash_sha256_final(&state, hash);
	sodium_bin2hex(sum, MANIFEST_HASH_SIZE, hash, sizeof hash);
	return got < 0 ? -1 : 0;
}

/* Checks that nothing else is where a file of the state folder is to be. */
static int
restore_check_file(const struct restore *restore, const struct manifest_file *file, struct error *err)
{
	char *path = memory_printf("%s/%s", restore->places.state, file->path + strlen("state/")), sum[MANIFEST_HASH_SIZE] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = 0;
	struct stat st;

	if (fd < 0 && errno != ENOENT)
		result = error_errno(err, EX_CANTCREAT, "%s", path);
	else if (fd >= 0 && (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode) != !*file->hash ||
	    (S_ISREG(st.st_mode) && (restore_sum(fd, sum) < 0 || strcmp(sum, file->hash) != 0))))
		result = error_set(err, EX_CANTCREAT, "%s: the file exists already, and differs from the one in the backup; move it away", path);
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

static int
restore_check_state(const struct restore *restore, struct error *err)
{
	for (size_t i = 0; i < restore->manifest.count; i++)
		if (strncmp(restore->manifest.files[i].path, "state/", 6) == 0 &&
		    restore_check_file(restore, &restore->manifest.files[i], err) < 0)
			return -1;
	return 0;
}

/* Reads the key that was given, and the one that is there, which are to be that of the backup. */
static int
restore_check_key(struct restore *restore, const char *key_file, struct error *err)
{
	const char *expected = restore->manifest.key_mark;
	struct store_key there;

	if (key_file && !expected)
		return error_set(err, EX_USAGE, "%s: the backup has no secrets; leave out --key-file", restore->file);
	if (key_file && store_key_load(key_file, &restore->key, err) < 0)
		return -1;
	if (key_file && !store_key_has_mark(&restore->key, expected))
		return error_set(err, EX_DATAERR, "%s: it is not the key of this backup", key_file);
	if (!file_exists(AT_FDCWD, restore->places.key))
		return 0;
	if (store_key_load(restore->places.key, &there, err) < 0)
		return -1;
	restore->has_key = expected && store_key_has_mark(&there, expected);
	store_key_release(&there);
	return restore->has_key ? 0
	                        : error_set(err, EX_CANTCREAT, "%s: it is the key of another store; move it away", restore->places.key);
}

void
restore_describe(const struct restore *restore, struct buffer *out)
{
	const struct manifest *manifest = &restore->manifest;
	char at[CLOCK_RFC3339_SIZE];

	buffer_printf(out, "%s of %s", clock_rfc3339(manifest->at_ms, at), manifest->host);
	for (size_t i = 0; i < manifest->count; i++)
		if (strcmp(manifest->files[i].path, RESTORE_STORE) == 0)
			buffer_printf(out, " (store %s)", manifest->files[i].hash);
	buffer_byte(out, '\n');
}

/* Finds out whether an earlier restore was interrupted when all was ready: then it must have been of this backup. */
static int
restore_check_begun(struct restore *restore, struct error *err)
{
	struct buffer text = {0}, mine = {0};
	int result = 0;

	if (!file_exists(AT_FDCWD, restore->ready))
		return 0;
	result = file_read(AT_FDCWD, restore->ready, READY_BYTES, &text, err);
	restore_describe(restore, &mine);
	if (result == 0 && strcmp(buffer_string(&text), buffer_string(&mine)) != 0)
		result = error_set(err, EX_CANTCREAT, "%s: the restore of another backup was interrupted; run it again with that file: %.*s",
		    restore->staging, (int)strcspn(buffer_string(&text), "\n"), buffer_string(&text));
	restore->begun = result == 0;
	buffer_release(&text);
	buffer_release(&mine);
	return result;
}

/* From now on this process, which reads the archive, changes only where the parts of the backup go. */
static void
restore_confine(const struct restore *restore, const char *key_file)
{
	char *store = memory_substring(restore->places.store, (size_t)(file_base_name(restore->places.store) - restore->places.store));
	char *key = memory_substring(restore->places.key, (size_t)(file_base_name(restore->places.key) - restore->places.key));

	confine_restorer((const char *const[]){restore->file, key_file}, 2,
	    (const char *const[]){restore->places.state, restore->places.spool, store, key}, 4);
	free(key);
	free(store);
}

int
restore_open(struct restore *restore, const char *file, const char *key_file, struct error *err)
{
	*restore = (struct restore){.file = file, .fd = -1};
	places_find(&restore->places);
	restore->staging = memory_printf("%s/.restore", restore->places.state);
	restore->ready = memory_printf("%s/ready", restore->staging);
	restore->store = memory_printf("%s.restore", restore->places.store);
	if (location_check_owner(restore->places.state, err) < 0)
		return -1;
	restore_confine(restore, key_file);
	restore->fd = file_open(AT_FDCWD, file, O_RDONLY | O_NONBLOCK, 0, err);
	if (restore->fd < 0 || restore_check_archive(restore, err) < 0 || restore_check_begun(restore, err) < 0 ||
	    restore_check_key(restore, key_file, err) < 0)
		return -1;
	if ((!restore->begun && restore_check_store(restore, err) < 0) || restore_check_queue(restore, err) < 0)
		return -1;
	return restore->begun ? 0 : restore_check_state(restore, err);
}

struct unpack
restore_unpack(const struct restore *restore)
{
	return (struct unpack){restore->fd, restore->file, restore_allows, restore, places_room(&restore->places)};
}

void
restore_release(struct restore *restore)
{
	if (restore->fd >= 0)
		close(restore->fd);
	store_key_release(&restore->key);
	manifest_release(&restore->manifest);
	places_release(&restore->places);
	free(restore->staging);
	free(restore->ready);
	free(restore->store);
	*restore = (struct restore){.fd = -1};
}
