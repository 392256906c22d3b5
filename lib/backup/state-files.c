/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/state-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"

enum { STATE_DEPTH = 64, STATE_BLOCK = 64 * 1024, STATE_PATH_MAX = 1000 };

struct state_files {
	struct pack *pack;
	const struct places *places;
	int scratch;
	void (*tell)(const char *text);
	struct error *err;
};

static void
state_files_tell(const struct state_files *files, const char *path, const char *what)
{
	char *text = memory_printf("%s/%s: %s; it is not in the backup", files->places->state, path, what);

	files->tell(text);
	free(text);
}

/* Returns whether a name can stand in a manifest, which is JSON. */
static bool
state_files_is_text(const char *path)
{
	jv text = jv_string(path);
	bool is = strcmp(jv_string_value(text), path) == 0;

	jv_free(text);
	return is && strlen(path) < STATE_PATH_MAX;
}

static int
state_files_pack_file(const struct state_files *files, int fd, const char *path)
{
	char block[STATE_BLOCK], *name;
	int64_t size = 0;
	ssize_t got;
	int result;

	if (lseek(files->scratch, 0, SEEK_SET) < 0 || ftruncate(files->scratch, 0) < 0)
		return error_errno(files->err, EX_IOERR, "%s", path);
	while ((got = read(fd, block, sizeof block)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno(files->err, EX_IOERR, "%s/%s", files->places->state, path);
		if (file_write_all(files->scratch, block, (size_t)got) < 0)
			return error_errno(files->err, EX_IOERR, "%s/%s: copy", files->places->state, path);
		size += got;
	}
	name = memory_printf("state/%s", path);
	result = pack_file(files->pack, name, files->scratch, size, files->err);
	free(name);
	return result;
}

static int state_files_pack_folder(const struct state_files *files, int folder, const char *path, int depth);

/* Packs what is open as fd, which this closes. path ends without a slash. */
static int
state_files_pack_entry(const struct state_files *files, int fd, const char *path, int depth)
{
	struct stat st;
	char *name;
	int result = 0;

	if (fstat(fd, &st) < 0)
		result = error_errno(files->err, EX_IOERR, "%s/%s", files->places->state, path);
	else if (!state_files_is_text(path))
		state_files_tell(files, path, "its name is not UTF-8, or too long");
	else if (S_ISREG(st.st_mode))
		result = state_files_pack_file(files, fd, path);
	else if (S_ISDIR(st.st_mode) && depth < STATE_DEPTH) {
		name = memory_printf("state/%s/", path);
		result = pack_folder(files->pack, name, files->err);
		free(name);
		if (result == 0)
			result = state_files_pack_folder(files, fd, path, depth + 1);
	} else {
		state_files_tell(files, path, "not a file");
	}
	close(fd);
	return result;
}

/* Packs what is in a folder; path is "" or ends without a slash. What disappears meanwhile is left out. */
static int
state_files_pack_folder(const struct state_files *files, int folder, const char *path, int depth)
{
	struct dirent **entries;
	int count = scandirat(folder, ".", &entries, NULL, alphasort), result = 0;

	if (count < 0)
		return error_errno(files->err, EX_NOINPUT, "%s/%s", files->places->state, path);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char *below = memory_printf("%s%s%s", path, *path ? "/" : "", name);
		int fd;

		if (result == 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && places_keeps(files->places, below)) {
			fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
			if (fd >= 0)
				result = state_files_pack_entry(files, fd, below, depth);
			else if (errno == ELOOP)
				state_files_tell(files, below, "a symbolic link");
			else if (errno != ENOENT && errno != ENXIO) /* ENXIO: a socket */
				result = error_errno(files->err, EX_NOINPUT, "%s/%s", files->places->state, below);
		}
		free(below);
		free(entries[i]);
	}
	free(entries);
	return result;
}

int
state_files_pack(struct pack *pack, const struct places *places, int scratch, void (*tell)(const char *text), struct error *err)
{
	const struct state_files files = {pack, places, scratch, tell, err};
	int folder = open(places->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;

	if (folder < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_NOINPUT, "%s", places->state);
	result = state_files_pack_folder(&files, folder, "", 0);
	close(folder);
	return result;
}
