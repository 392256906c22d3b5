/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/image/image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"
#include "sandbox/image/layout.h"
#include "confine/apart.h"
#include "sandbox/image/extract.h"

enum { NAME_LIMIT = 16 * 1024 };

struct source { /* an image, open */
	const char *image;
	uid_t first; /* whose number user 0 of it gets */
	int fd;
	bool layout;
	char *key;                       /* is another one when the image is */
	char digest[LAYOUT_DIGEST_SIZE]; /* of a layout's manifest */
};

/* Returns the folder of FOLDER:TAG, the caller frees it; NULL: it has no tag. */
static char *
image_folder(const char *image)
{
	const char *colon = strrchr(image, ':');

	return colon && colon > image && !strchr(colon, '/') ? memory_substring(image, (size_t)(colon - image)) : NULL;
}

enum image_kind
image_look(const char *image)
{
	char *folder, *layout;
	enum image_kind kind = IMAGE_NONE;
	struct stat st;

	if (stat(image, &st) == 0) {
		layout = memory_printf("%s/oci-layout", image);
		if (S_ISREG(st.st_mode) || (S_ISDIR(st.st_mode) && access(layout, F_OK) == 0))
			kind = IMAGE_PACKED;
		else if (S_ISDIR(st.st_mode))
			kind = IMAGE_TREE;
		free(layout);
		return kind;
	}
	folder = image_folder(image);
	if (folder) {
		layout = memory_printf("%s/oci-layout", folder);
		kind = access(layout, F_OK) == 0 ? IMAGE_PACKED : IMAGE_NONE;
		free(layout);
	}
	free(folder);
	return kind;
}

static int
source_open(const char *image, struct source *source, struct error *err)
{
	char *folder = access(image, F_OK) == 0 ? NULL : image_folder(image);
	const char *tag = folder ? image + strlen(folder) + 1 : NULL;
	struct stat st;
	int result = -1;

	*source = (struct source){.image = image, .fd = file_open(AT_FDCWD, folder ? folder : image, O_RDONLY | O_NONBLOCK, 0, err)};
	free(folder);
	if (source->fd < 0)
		return -1;
	if (fstat(source->fd, &st) < 0)
		return error_errno(err, EX_NOINPUT, "%s", image);
	source->layout = S_ISDIR(st.st_mode);
	if (source->layout)
		result = layout_find(source->fd, tag, source->digest, err);
	else if (S_ISREG(st.st_mode))
		result = 0;
	else
		error_set(err, EX_CONFIG, "neither a file nor a folder");
	if (result == 0)
		source->key = source->layout ? memory_printf("layout %s", source->digest)
		    : memory_printf("file %llu:%llu %lld %lld.%09ld", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		        (long long)st.st_size, (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	return result;
}

static void
source_close(struct source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	free(source->key);
}

/* Opens the folder of images. Returns -1 if there is none, which is an error if it is to be made. */
static int
image_open_store(bool make, struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s/sandbox-images", state), *names = memory_printf("%s/names", path);
	int fd = -1;

	if (!make)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else if (file_make_dirs(AT_FDCWD, path, 0700, err) == 0 && file_make_dirs(AT_FDCWD, names, 0700, err) == 0)
		fd = file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, err);
	free(names);
	free(path);
	free(state);
	return fd;
}

char *
image_path(const char *digest)
{
	char *state = location_state(), *path = memory_printf("%s/sandbox-images/%s/root", state, digest);

	free(state);
	return path;
}

/* The file names/HASH: the image, its key and its digest, a line each. */
struct known {
	char *image, *key, *digest;
	struct buffer text;
};

/* Reads a name. Returns whether it is whole; known is released in any case. */
static bool
known_read(int store, const char *path, struct known *known)
{
	struct error ignored;
	char *at;

	*known = (struct known){.image = NULL};
	if (file_read(store, path, NAME_LIMIT, &known->text, &ignored) < 0 || known->text.length == 0)
		return false;
	buffer_string(&known->text);
	at = known->text.data;
	known->image = strsep(&at, "\n");
	known->key = strsep(&at, "\n");
	known->digest = strsep(&at, "\n");
	return known->digest && strlen(known->digest) == LAYOUT_DIGEST_SIZE - 1;
}

static char *
known_path(const char *image)
{
	return memory_printf("names/%016llx", (unsigned long long)hash_text(HASH_START, image));
}

static int
known_write(int store, const struct source *source, const char *digest, struct error *err)
{
	char *path = known_path(source->image), *text = memory_printf("%s\n%s\n%s\n", source->image, source->key, digest);
	int result = file_replace(store, path, text, strlen(text), 0600, err);

	free(text);
	free(path);
	return result;
}

/* Says that the machine uses the tree, of which the store is locked. */
static int
image_mark(int store, const char *digest, const char *machine, struct error *err)
{
	char *users = memory_printf("%s/users", digest), *user = memory_printf("%s/%s", users, machine);
	int fd = -1;

	/* Who removes the tree removes this folder first, and may have been killed then. */
	if (mkdirat(store, users, 0700) == 0 || errno == EEXIST)
		fd = file_open(store, user, O_WRONLY | O_CREAT, 0600, err);
	else
		error_errno(err, EX_CANTCREAT, "sandbox-images/%s", users);
	free(user);
	free(users);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

/* Finds the tree, if the image is known and is still what it was, and marks it for the machine: 1, else 0. */
static int
image_find(int store, const struct source *source, const char *machine, char digest[LAYOUT_DIGEST_SIZE], struct error *err)
{
	char *path = known_path(source->image);
	struct known known = {0};
	int result = 0;

	if (lock_wait(store, LOCK_EX) < 0)
		result = error_errno(err, EX_OSERR, "sandbox-images: cannot be locked");
	else if (known_read(store, path, &known) && strcmp(known.image, source->image) == 0 && strcmp(known.key, source->key) == 0 &&
	    file_exists(store, known.digest)) {
		memcpy(digest, known.digest, LAYOUT_DIGEST_SIZE);
		result = image_mark(store, digest, machine, err) < 0 ? -1 : 1;
	}
	buffer_release(&known.text);
	flock(store, LOCK_UN);
	free(path);
	return result;
}

static int
image_extract_layout(const struct source *source, int root, struct error *err)
{
	struct extract_room room = {EXTRACT_BYTES, EXTRACT_ENTRIES, source->first};
	struct arena arena = {NULL};
	struct string_list layers = {NULL, 0};
	int result = layout_read_layers(source->fd, source->digest, &arena, &layers, err);

	for (size_t i = 0; result == 0 && i < layers.count; i++) {
		int blob = layout_open_blob(source->fd, layers.list[i], err);

		result = blob < 0 ? -1 : extract_tar(blob, layers.list[i], true, root, &room, err);
		if (blob >= 0)
			close(blob);
	}
	arena_release(&arena);
	return result;
}

struct unpacking {
	const struct source *source;
	int root;
};

/* Unpacks the image, in a process of its own. */
static int
image_extract(void *context, struct error *err)
{
	const struct unpacking *unpacking = context;
	struct extract_room room = {EXTRACT_BYTES, EXTRACT_ENTRIES, unpacking->source->first};

	return unpacking->source->layout ? image_extract_layout(unpacking->source, unpacking->root, err)
	    : extract_tar(unpacking->source->fd, "archive", false, unpacking->root, &room, err);
}

/* Makes the tree in "new", on disk: one that was killed half way is made again. */
static int
image_unpack(int store, const struct source *source, struct error *err)
{
	struct unpacking unpacking = {.source = source};
	struct error ignored;
	int root = -1, result = file_remove_tree(store, "new", err);

	if (result == 0 && (file_make_dirs(store, "new/users", 0700, err) < 0 || file_make_dirs(store, "new/root", 0755, err) < 0))
		result = -1;
	if (result == 0 && (root = file_open(store, "new/root", O_RDONLY | O_DIRECTORY, 0, err)) < 0)
		result = -1;
	unpacking.root = root;
	if (result == 0)
		result = apart_do(source->fd, root, image_extract, &unpacking, err);
	if (result == 0 && syncfs(root) < 0)
		result = error_errno(err, EX_CANTCREAT, "sandbox-images/new");
	if (root >= 0)
		close(root);
	if (result < 0)
		file_remove_tree(store, "new", &ignored);
	return result;
}

/* Returns whether an image is the tree of that digest. A name whose image is gone goes, too. */
static bool
image_is_named(int store, const char *digest)
{
	int fd = openat(store, "names", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool named = false;

	while (names && (entry = readdir(names))) {
		struct known known;

		if (*entry->d_name == '.')
			continue;
		if (!known_read(fd, entry->d_name, &known) || image_look(known.image) != IMAGE_PACKED)
			unlinkat(fd, entry->d_name, 0);
		else if (strcmp(known.digest, digest) == 0)
			named = true;
		buffer_release(&known.text);
	}
	if (names)
		closedir(names);
	return named;
}

/* Removes the tree if nobody uses it: in one step from its name, so that none that is half removed has one. */
static void
image_remove(int store, const char *digest)
{
	char *users = memory_printf("%s/users", digest);
	struct error ignored;

	if ((unlinkat(store, users, AT_REMOVEDIR) == 0 || errno == ENOENT) && file_remove_tree(store, "old", &ignored) == 0 &&
	    renameat(store, digest, store, "old") == 0)
		file_remove_tree(store, "old", &ignored);
	free(users);
}

/* Says that the machine (NULL: nobody new) uses no tree, and removes those that nobody uses and that no image is. The store is locked. */
static void
image_sweep(int store, const char *machine)
{
	int fd = openat(store, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *trees = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (trees && (entry = readdir(trees))) {
		char *user = memory_printf("%s/users/%s", entry->d_name, machine ? machine : "");

		if (strlen(entry->d_name) == LAYOUT_DIGEST_SIZE - 1) {
			if (machine)
				unlinkat(store, user, 0);
			if (!image_is_named(store, entry->d_name))
				image_remove(store, entry->d_name);
		}
		free(user);
	}
	if (trees)
		closedir(trees);
}

/* Puts the tree in its place, if it has just been made, and marks it. */
static int
image_enter(int store, const struct source *source, const char *digest, const char *machine, bool fresh, struct error *err)
{
	int result = 0;

	if (lock_wait(store, LOCK_EX) < 0)
		return error_errno(err, EX_OSERR, "sandbox-images: cannot be locked");
	if (fresh && renameat(store, "new", store, digest) < 0)
		result = error_errno(err, EX_CANTCREAT, "sandbox-images/%s", digest);
	if (result == 0)
		result = image_mark(store, digest, machine, err);
	if (result == 0)
		result = known_write(store, source, digest, err);
	if (result == 0)
		image_sweep(store, NULL);
	flock(store, LOCK_UN);
	return result;
}

/* Finds or makes the tree while nobody else makes one. Machines of trees that there are do not wait for that. */
static int
image_make(int store, struct source *source, const char *machine, char digest[LAYOUT_DIGEST_SIZE], struct error *err)
{
	int making = file_open(store, "making", O_WRONLY | O_CREAT, 0600, err), result = -1;
	bool fresh;

	if (making >= 0 && lock_wait(making, LOCK_EX) < 0)
		error_errno(err, EX_OSERR, "sandbox-images/making: cannot be locked");
	else if (making >= 0)
		result = image_find(store, source, machine, digest, err); /* meanwhile */
	if (result == 0) {
		if (source->layout)
			memcpy(digest, source->digest, LAYOUT_DIGEST_SIZE);
		else
			result = layout_digest(source->fd, "archive", digest, err);
		fresh = result == 0 && !file_exists(store, digest);
		if (fresh)
			result = image_unpack(store, source, err);
		if (result == 0)
			result = image_enter(store, source, digest, machine, fresh, err);
	}
	if (making >= 0)
		close(making);
	return result;
}

const char *
image_claim(const char *image, uid_t first, const char *machine, struct arena *arena, struct error *err)
{
	char digest[LAYOUT_DIGEST_SIZE];
	struct source source = {.fd = -1};
	int store = image_open_store(true, err), result = store < 0 ? -1 : source_open(image, &source, err);

	source.first = first;
	if (result == 0)
		result = image_find(store, &source, machine, digest, err);
	if (result == 0)
		result = image_make(store, &source, machine, digest, err);
	source_close(&source);
	if (store >= 0)
		close(store);
	if (result < 0)
		error_prefix(err, "image %s", image);
	return result < 0 ? NULL : arena_string(arena, digest);
}

void
image_release(const char *machine)
{
	struct error ignored;
	int store = image_open_store(false, &ignored);

	if (store < 0)
		return;
	if (lock_wait(store, LOCK_EX) == 0)
		image_sweep(store, machine);
	close(store);
}

bool
image_has(const char *path, const char *file)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = root < 0 ? -1 : (int)syscall(SYS_openat2, root, file, &how, sizeof how);

	if (root >= 0)
		close(root);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
