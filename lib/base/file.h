/* SPDX-License-Identifier: Apache-2.0
 *
 * Files, through directory descriptors. Every descriptor opened here is O_CLOEXEC; dir
 * may be AT_FDCWD. A return of -1 comes with a reason in err that names the path.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buffer;
struct error;

/* Opens a file as openat(2) does; a new file gets mode. Fails with EX_NOINPUT if it is to be read, with
 * EX_CANTCREAT if it is to be written. */
int file_open(int dir, const char *path, int flags, mode_t mode, struct error *err);

/* Appends the whole of a file, at most limit bytes of it (more is EX_DATAERR). */
int file_read(int dir, const char *path, size_t limit, struct buffer *out, struct error *err);
int file_read_fd(int fd, const char *name, size_t limit, struct buffer *out, struct error *err);

/* Writes all of it, also through short writes and EINTR. Returns 0, or -1 with errno. */
int file_write_all(int fd, const void *bytes, size_t length);

/* Replaces the file at path, so that the old or the new one is there as a whole, also after a crash: tmp, write, fsync, rename,
 * fsync of the directory. Fails with EX_CANTCREAT if no file can be made there, else with EX_IOERR. */
int file_replace(int dir, const char *path, const void *bytes, size_t length, mode_t mode,
    struct error *err);

/* The same where nothing is at path; what is there stays. Of two who make it at a time one has made it, and both return 0. */
int file_make(int dir, const char *path, const void *bytes, size_t length, mode_t mode, struct error *err);

/* Removes a file that these two write, with what one of them that was killed has left beside it. path need not exist. */
int file_remove(int dir, const char *path, struct error *err);

/* Brings the data of a file to disk. A refusal is final: the kernel reports it once, forgets which pages it could not write,
 * and calls the next fsync a success. So this sets *refused, which all who write the file share, and every later call fails with
 * EIO until the file is written anew under its name. Returns 0, or -1 with errno. A caller without a place for such a mark
 * undoes what it has written, and writes it again. */
int file_sync_data(int fd, uint32_t *refused);

/* Makes the names in a directory durable. Returns 0, or -1 with errno. */
int file_sync_dir(int dir, const char *path);

/* Makes a directory and those above it, as mkdir -p does. */
int file_make_dirs(int dir, const char *path, mode_t mode, struct error *err);

/* Brings to disk the entries of a folder and of all folders above it in its file system: whoever made them may have been stopped
 * before. Stops without an error at one that may not be read. -1 with errno. */
int file_sync_up(int dir);

/* Removes a tree as rm -rf does, without following links or leaving the file system; path need not exist. */
int file_remove_tree(int dir, const char *path, struct error *err);

/* Returns whether something exists at path. */
bool file_exists(int dir, const char *path);

/* Returns whether nothing exists at path; false, with errno, also where that cannot be known. */
bool file_is_absent(int dir, const char *path);

/* Returns whether path is a regular file that we may execute. */
bool file_is_program(const char *path);

/* Returns the part of path behind its last slash. */
const char *file_base_name(const char *path);

#endif
