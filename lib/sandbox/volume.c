/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/volume.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "json/place.h"
#include "sandbox/disk.h"
#include "sandbox/machine.h"
#include "sandbox/state.h"
#include "sandbox/volume-mount.h"

enum {
	RECORD_BYTES = 64 * 1024,
	FREED_MS = 10 * 1000, /* so long the kernel may take to unmount what a machine had that has ended */
	TURN_NS = 20 * 1000 * 1000,
};

#define GIB (INT64_C(1024) * 1024 * 1024)

static char *
volume_path(const char *id)
{
	char *state = location_state(), *path = memory_printf("%s/sandbox-volumes%s%s", state, *id ? "/" : "", id);

	free(state);
	return path;
}

/* --- its record --- */

static int
volume_write(int dir, const struct sandbox_volume *volume, struct error *err)
{
	const char *const members[][2] = {{"id", volume->id}, {"kind", "volume"}, {"machine", volume->machine}, {"node", volume->node},
	    {"of", volume->of}, {"path", volume->path}, {"provider", volume->provider}};
	struct buffer text = {0};
	jv record = jv_object();
	int result;

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i][1])
			json_set_string(&record, members[i][0], members[i][1]);
	json_set(&record, "keep", jv_bool(volume->keep));
	json_set_number(&record, "size_gb", (double)volume->size_gb);
	json_dump(record, &text);
	buffer_byte(&text, '\n');
	result = file_replace(dir, "volume", text.data, text.length, 0600, err);
	buffer_release(&text);
	jv_free(record);
	return result;
}

/* Reads the record, with strings in the arena; one without a record has only its id. */
static int
volume_read(int dir, const char *id, struct arena *arena, struct sandbox_volume *volume, struct error *err)
{
	struct buffer text = {0};
	jv record;

	*volume = (struct sandbox_volume){.id = arena_string(arena, id), .keep = true};
	if (!file_exists(dir, "volume"))
		return 0;
	if (file_read(dir, "volume", RECORD_BYTES, &text, err) < 0 || json_parse(id, text.data, text.length, &record, err) < 0) {
		buffer_release(&text);
		return error_prefix(err, "volume %s", id);
	}
	*volume = (struct sandbox_volume){.id = volume->id, .provider = json_arena_string(record, "provider", arena),
	    .node = json_arena_string(record, "node", arena), .machine = json_arena_string(record, "machine", arena),
	    .of = json_arena_string(record, "of", arena), .path = json_arena_string(record, "path", arena),
	    .size_gb = (int64_t)json_get_number(record, "size_gb", 0), .keep = !json_is(record, "keep", JV_KIND_FALSE)};
	jv_free(record);
	buffer_release(&text);
	return 0;
}

/* --- who has it --- */

/* Fails with EX_TEMPFAIL where the machine that has the volume may still write to it. */
static int
volume_check_free(const struct sandbox_volume *volume, struct error *err)
{
	struct found_list found = {.list = NULL};
	int result = volume->machine ? machine_maker.find(volume->machine, NULL, &found, err) : 0;

	for (size_t i = 0; i < found.count && result == 0; i++)
		if (found.list[i].state != MACHINE_DEAD)
			result = error_set(err, EX_TEMPFAIL, "volume %s: the machine %s has it, and is %s", volume->id, volume->machine,
			    machine_state_name(found.list[i].state));
	found_release(&found);
	return result;
}

/* Returns whether anything else has the disk open: a loop device has it as long as it is mounted anywhere. The kernel grants a lease for
 * writing to the only one who has a file open. */
static bool
volume_is_in_use(int disk)
{
	if (fcntl(disk, F_SETLEASE, F_WRLCK) < 0)
		return errno == EAGAIN;
	fcntl(disk, F_SETLEASE, F_UNLCK);
	return false;
}

/* Waits until the kernel has unmounted what a machine had that has ended. */
static int
volume_await_freed(const struct sandbox_volume *volume, int disk, struct error *err)
{
	const int64_t until = clock_monotonic_ms() + FREED_MS;

	while (volume_is_in_use(disk)) {
		if (clock_monotonic_ms() > until)
			return error_set(err, EX_TEMPFAIL, "volume %s: it is still mounted somewhere", volume->id);
		nanosleep(&(struct timespec){0, TURN_NS}, NULL);
	}
	return 0;
}

/* --- its disk --- */

/* Copies the disk of another volume, which no machine has, or whose file system copies a file at one moment. */
static int
volume_copy(const struct sandbox_volume *volume, int to, struct error *err)
{
	struct arena arena = {0};
	struct sandbox_volume original;
	char *path = volume_path(volume->of);
	int dir = state_lock_existing(path, err), from = -1, result = -1;

	if (dir < 0)
		error_set(err, EX_CONFIG, "volume %s: there is no volume %s to copy", volume->id, volume->of);
	else if (volume_read(dir, volume->of, &arena, &original, err) == 0 && (from = file_open(dir, "disk", O_RDWR, 0, err)) >= 0) {
		if (ioctl(to, FICLONE, from) == 0)
			result = 0;
		else if (volume_check_free(&original, err) < 0)
			error_prefix(err, "the file system here copies only a volume that no machine has");
		else if (volume_await_freed(&original, from, err) == 0)
			result = disk_copy(from, to) < 0 ? error_errno(err, EX_CANTCREAT, "volume %s", volume->id) : 0;
	}
	if (from >= 0)
		close(from);
	if (dir >= 0)
		close(dir);
	arena_release(&arena);
	free(path);
	return result;
}

/* Makes the disk in the locked folder, whole or not at all. */
static int
volume_make_disk(int dir, const struct sandbox_volume *volume, struct error *err)
{
	int fd = openat(dir, "disk.new", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), result = -1;
	char *path = memory_printf("/proc/%d/fd/%d", (int)getpid(), fd);

	if (fd < 0 || ftruncate(fd, volume->size_gb * GIB) < 0)
		error_errno(err, EX_CANTCREAT, "volume %s", volume->id);
	else
		result = volume->of ? volume_copy(volume, fd, err) : disk_format(path, DISK_OF_VOLUME, err);
	if (result == 0 && (fsync(fd) < 0 || renameat(dir, "disk.new", dir, "disk") < 0 || file_sync_up(dir) < 0))
		result = error_errno(err, EX_CANTCREAT, "volume %s", volume->id);
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

/* Opens the folder of a volume, locked, makes it where it is not there, and reads its record. Returns its descriptor. */
static int
volume_open(const struct sandbox_volume *wanted, struct arena *arena, struct sandbox_volume *found, struct error *err)
{
	char *path = volume_path(wanted->id);
	int dir = state_lock(path, err), result = dir < 0 ? -1 : volume_read(dir, wanted->id, arena, found, err);

	free(path);
	if (result == 0 && !file_exists(dir, "disk")) {
		result = volume_write(dir, wanted, err);
		if (result == 0)
			result = volume_make_disk(dir, wanted, err);
	}
	if (result < 0 && dir >= 0)
		close(dir);
	return result < 0 ? -1 : dir;
}

/* --- what is done with it --- */

/* Mounts the volume, whose disk is open, in the machine that it is for, unless it is there. */
static int
volume_hand_over(int dir, int disk, const struct sandbox_volume *wanted, const struct sandbox_volume *found, struct error *err)
{
	if (found->machine && strcmp(found->machine, wanted->machine) == 0 && volume_is_in_use(disk) && volume_mount_is_there(wanted))
		return 0;
	if (found->machine && strcmp(found->machine, wanted->machine) != 0 && volume_check_free(found, err) < 0)
		return -1;
	if (volume_await_freed(wanted, disk, err) < 0 || volume_write(dir, wanted, err) < 0)
		return -1;
	return volume_mount(wanted, disk, err);
}

int
volume_attach(const struct sandbox_volume *wanted, struct error *err)
{
	struct sandbox_volume fresh = *wanted, found;
	struct arena arena = {0};
	int dir, disk = -1, result = -1;

	fresh.machine = fresh.node = NULL; /* it is nobody's until its disk is whole */
	dir = volume_open(&fresh, &arena, &found, err);
	if (dir >= 0)
		disk = file_open(dir, "disk", O_RDWR, 0, err);
	if (disk >= 0)
		result = volume_hand_over(dir, disk, wanted, &found, err);
	if (disk >= 0)
		close(disk);
	if (dir >= 0)
		close(dir);
	arena_release(&arena);
	return result;
}

/* Removes the folder, which is locked. */
static int
volume_remove(const char *id, struct error *err)
{
	char *path = volume_path(id);
	int result = file_remove_tree(AT_FDCWD, path, err);

	free(path);
	return result;
}

/* Opens the folder of a volume that is there, locked, and reads its record: 1; 0 where there is none; -1. */
static int
volume_find(const char *id, int *dir, struct arena *arena, struct sandbox_volume *found, struct error *err)
{
	char *path = volume_path(id);

	*dir = state_lock_existing(path, err);
	free(path);
	if (*dir < 0)
		return err->code == EX_NO ? 0 : -1;
	if (volume_read(*dir, id, arena, found, err) == 0)
		return 1;
	close(*dir);
	return -1;
}

int
volume_release(const struct sandbox_volume *volume, struct error *err)
{
	struct sandbox_volume found;
	struct arena arena = {0};
	int dir, got = volume_find(volume->id, &dir, &arena, &found, err);

	if (got > 0) {
		bool is_its = !found.node || strcmp(found.node, volume->node) == 0;

		got = is_its ? volume_check_free(&found, err) : 0;
		if (got == 0 && is_its && !volume->keep)
			got = volume_remove(volume->id, err);
		else if (got == 0 && is_its && found.node) {
			found.node = found.machine = NULL;
			got = volume_write(dir, &found, err);
		}
		close(dir);
	}
	arena_release(&arena);
	return got;
}

int
volume_snapshot(const struct sandbox_volume *wanted, struct error *err)
{
	struct sandbox_volume found;
	struct arena arena = {0};
	int dir = volume_open(wanted, &arena, &found, err);

	if (dir >= 0)
		close(dir);
	arena_release(&arena);
	return dir < 0 ? -1 : 0;
}

int
volume_discard(const struct sandbox_volume *volume, struct error *err)
{
	struct sandbox_volume found;
	struct arena arena = {0};
	int dir, got = volume_find(volume->id, &dir, &arena, &found, err);

	if (got > 0) {
		got = volume_check_free(&found, err) < 0 ? -1 : volume_remove(volume->id, err);
		close(dir);
	}
	arena_release(&arena);
	return got;
}

int
volume_list(void (*each)(const struct sandbox_volume *volume), struct error *err)
{
	char *path = volume_path("");
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, NULL, versionsort), result = 0;

	if (n < 0 && errno != ENOENT)
		result = error_errno(err, EX_NOINPUT, "%s", path);
	for (int i = 0; i < n; i++) {
		struct sandbox_volume found;
		struct arena arena = {0};
		int dir, got = 0;

		if (result == 0 && *entries[i]->d_name != '.')
			got = volume_find(entries[i]->d_name, &dir, &arena, &found, err);
		if (got > 0) {
			each(&found);
			close(dir);
		}
		result = got < 0 ? -1 : result;
		arena_release(&arena);
		free(entries[i]);
	}
	free(entries);
	free(path);
	return result;
}
