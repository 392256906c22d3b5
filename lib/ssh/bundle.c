/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"

static int
bundle_add_entry(struct bundle *bundle, const char *name, struct bundle_file *file, struct error *err)
{
	int same = names_find(&bundle->names, name);

	if (same != NAMES_NONE && file->is_folder && bundle->list[same].is_folder) {
		buffer_release(&file->content);
		return 0;
	}
	if (same != NAMES_NONE)
		return error_set(err, EX_CONFIG, "two files would be called \"%s\" on the node", name);
	if (bundle->count == BUNDLE_FILES)
		return error_set(err, EX_CONFIG, "%s: more than %d files for one script", name, BUNDLE_FILES);
	ARRAY_ROOM(bundle->list, bundle->count, bundle->capacity);
	file->name = memory_string(name);
	file->cached = bundle->caches;
	names_intern(&bundle->names, file->name);
	bundle->list[bundle->count++] = *file;
	bundle->bytes += file->content.length;
	return 0;
}

int
bundle_put(struct bundle *bundle, const char *name, enum bundle_kind kind, const void *bytes, size_t length, struct error *err)
{
	struct bundle_file file = {.is_folder = kind == BUNDLE_FOLDER, .executable = kind == BUNDLE_PROGRAM,
	    .has_secrets = kind == BUNDLE_SECRET};

	if (length > BUNDLE_BYTES - bundle->bytes)
		return error_set(err, EX_CONFIG, "%s: more than %d MiB for one script", name, BUNDLE_BYTES / (1 << 20));
	buffer_append(&file.content, bytes, length);
	if (bundle_add_entry(bundle, name, &file, err) == 0)
		return 0;
	buffer_release(&file.content);
	return -1;
}

static int
bundle_add_file(struct bundle *bundle, int fd, const struct stat *st, const char *name, struct error *err)
{
	struct bundle_file file = {.executable = (st->st_mode & 0100) != 0};

	if (file_read_fd(fd, name, BUNDLE_BYTES - bundle->bytes, &file.content, err) == 0 &&
	    bundle_add_entry(bundle, name, &file, err) == 0)
		return 0;
	err->code = EX_CONFIG;
	buffer_release(&file.content);
	return -1;
}

static int bundle_add_from(struct bundle *bundle, int dir, const char *entry, const char *name, int depth,
    struct error *err);

/* Opens an entry of a folder for reading; a pipe or device could be waited for without end. The kernel refuses what leads elsewhere
 * where all has to be beneath. */
static int
bundle_open(const struct bundle *bundle, int dir, const char *entry)
{
	const struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
	    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	if (!bundle->beneath)
		return openat(dir, entry, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (bundle->no_links ? O_NOFOLLOW : 0));
	return (int)syscall(SYS_openat2, dir, entry, &how, sizeof how);
}

static int
bundle_is_shown(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int
bundle_add_folder(struct bundle *bundle, int dir, const char *name, int depth, struct error *err)
{
	struct bundle_file folder = {.is_folder = true};
	struct dirent **entries;
	int count, failed = 0;

	if (depth == BUNDLE_DEPTH)
		return error_set(err, EX_CONFIG, "%s: folders more than %d deep", name, BUNDLE_DEPTH);
	if (bundle_add_entry(bundle, name, &folder, err) < 0)
		return -1;
	count = scandirat(dir, ".", &entries, bundle_is_shown, alphasort);
	if (count < 0)
		return error_errno(err, EX_CONFIG, "%s", name);
	for (int i = 0; i < count; i++) {
		char *inner = memory_printf("%s/%s", name, entries[i]->d_name);

		if (!failed)
			failed = bundle_add_from(bundle, dir, entries[i]->d_name, inner, depth + 1, err);
		free(inner);
		free(entries[i]);
	}
	free(entries);
	return failed;
}

/* Returns whether what stands at entry in dir is coopr's own, where it cannot be opened. Leaves errno as it was. */
static bool
bundle_is_own(int dir, const char *entry)
{
	char *path = dir == AT_FDCWD || *entry == '/' ? memory_string(entry) : memory_printf("/proc/self/fd/%d/%s", dir, entry);
	int reason = errno;
	bool is_own = location_is_own(path);

	free(path);
	errno = reason;
	return is_own;
}

/* Adds what stands at entry in dir under name. A link that may be followed is asked where it has led. */
static int
bundle_add_from(struct bundle *bundle, int dir, const char *entry, const char *name, int depth, struct error *err)
{
	int fd = bundle_open(bundle, dir, entry), failed;
	char *place = memory_printf("/proc/self/fd/%d", fd);
	struct stat st;
	bool known = fd >= 0 && fstat(fd, &st) == 0;
	/* What the confinement of plugins has refused to open was not looked at. */
	bool own = known ? !S_ISDIR(st.st_mode) && location_is_own(place) : fd < 0 && errno == EACCES && bundle_is_own(dir, entry);

	if (fd < 0 && bundle->beneath && (errno == ELOOP || errno == EXDEV))
		failed = error_set(err, EX_NOPERM, "%s: a link leads there, which is followed for no tenant", name);
	else if (fd < 0 && bundle->no_links && errno == ELOOP)
		failed = error_set(err, EX_CONFIG, "%s: a link; resources have none", name);
	else if (own)
		failed = error_set(err, EX_CONFIG, "%s: it is coopr's own, which is for no node", name);
	else if (!known)
		failed = error_errno(err, EX_CONFIG, "%s", name);
	else if (S_ISDIR(st.st_mode))
		failed = bundle_add_folder(bundle, fd, name, depth, err);
	else if (S_ISREG(st.st_mode))
		failed = bundle_add_file(bundle, fd, &st, name, err);
	else
		failed = error_set(err, EX_CONFIG, "%s: neither a file nor a folder", name);
	free(place);
	if (fd >= 0)
		close(fd);
	return failed;
}

int
bundle_add_path(struct bundle *bundle, const char *path, const char *name, struct error *err)
{
	return bundle_add_from(bundle, AT_FDCWD, path, name, 0, err);
}

int
bundle_add_all(struct bundle *bundle, const char *catalogue, const char *type, struct error *err)
{
	char *path = memory_printf("%s/%s/%s", catalogue, bundle->plugin, type);
	int failed = file_exists(AT_FDCWD, path) ? bundle_add_path(bundle, path, type, err) : 0;

	free(path);
	return failed;
}

int
bundle_put_parents(struct bundle *bundle, const char *name, struct error *err)
{
	int failed = 0;

	for (const char *slash = strchr(name, '/'); slash && !failed; slash = strchr(slash + 1, '/')) {
		struct bundle_file folder = {.is_folder = true};
		char *parent = memory_substring(name, (size_t)(slash - name));

		failed = bundle_add_entry(bundle, parent, &folder, err);
		free(parent);
	}
	return failed;
}

/* Adds what a tenant has named, which is at path: the name in a folder of scripts. */
static int
bundle_add_beneath(struct bundle *bundle, const char *path, const char *name, struct error *err)
{
	char *folder = memory_substring(path, strlen(path) - strlen(name));
	int dir = -1, failed = -1;

	if (*name == '/')
		error_set(err, EX_NOPERM, "%s: a tenant's document names no path of the host", name);
	else if ((dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		error_errno(err, EX_CONFIG, "%s", folder);
	else if (bundle_put_parents(bundle, name, err) == 0)
		failed = bundle_add_from(bundle, dir, name, name, 0, err);
	if (dir >= 0)
		close(dir);
	free(folder);
	return failed;
}

int
bundle_add(struct bundle *bundle, const char *catalogue, const char *name, struct error *err)
{
	char *path = location_script(catalogue, bundle->plugin, name, err);
	bool absolute = *name == '/';
	int failed = -1;

	if (path && bundle->beneath)
		failed = bundle_add_beneath(bundle, path, name, err);
	else if (path && (absolute || bundle_put_parents(bundle, name, err) == 0))
		failed = bundle_add_from(bundle, AT_FDCWD, path, absolute ? file_base_name(name) : name, 0, err);
	free(path);
	return failed;
}

bool
bundle_mentions(const struct bundle *bundle, const char *word)
{
	size_t i = 0;

	while (i < bundle->count && !buffer_contains(&bundle->list[i].content, word))
		i++;
	return i < bundle->count;
}

void
bundle_release(struct bundle *bundle)
{
	for (size_t i = 0; i < bundle->count; i++) {
		free(bundle->list[i].name);
		buffer_release(&bundle->list[i].content);
	}
	free(bundle->list);
	names_release(&bundle->names);
	*bundle = (struct bundle){0};
}
