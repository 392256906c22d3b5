/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "tap.h"

static int dir; /* a fresh directory */
static struct error err;

static void
make_link(const char *to, const char *path)
{
	if (symlinkat(to, dir, path) < 0)
		exit(EX_CANTCREAT);
}

static void
test_read(void)
{
	struct buffer text = {0};

	tap_is_number(file_read(dir, "absent", 100, &text, &err), -1, "a file that is not there cannot be read");
	tap_is_number(err.code, EX_NOINPUT, "that is EX_NOINPUT");
	tap_is_text(err.text, "absent: No such file or directory", "and names the file");
	file_replace(dir, "ten", "0123456789", 10, 0600, &err);
	tap_is_number(file_read(dir, "ten", 10, &text, &err), 0, "a file of just the limit can be read");
	tap_is_text(text.data, "0123456789", "whole");
	tap_is_number(file_read(dir, "ten", 9, &text, &err), -1, "one byte over the limit cannot");
	tap_is_number(err.code, EX_DATAERR, "that is EX_DATAERR");
	buffer_release(&text);
}

static void
test_replace(void)
{
	struct buffer text = {0};
	struct stat st;

	umask(077);
	tap_is_number(file_replace(dir, "file", "old", 3, 0644, &err), 0, "a file can be made");
	fstatat(dir, "file", &st, 0);
	tap_is_number(st.st_mode & 0777, 0644, "with the mode asked for, whatever the umask");
	tap_is_number(file_replace(dir, "file", "newer", 5, 0600, &err), 0, "and replaced");
	file_read(dir, "file", 100, &text, &err);
	tap_is_text(text.data, "newer", "what is read is the new text");
	tap_is_number(file_replace(dir, "absent/file", "x", 1, 0600, &err), -1, "not in a directory that is absent");
	mkdirat(dir, "folder", 0700);
	tap_is_number(file_replace(dir, "folder", "x", 1, 0600, &err), -1, "not in place of a directory");
	tap_ok(strncmp(err.text, "folder: ", 8) == 0, "the message names the path: %s", err.text);
	buffer_release(&text);
}

/* A reader sees the old or the new text at every moment; a link is replaced, not followed. */
static void
test_replace_link(void)
{
	struct buffer text = {0};
	struct stat st;

	file_replace(dir, "target", "precious", 8, 0600, &err);
	make_link("target", "link");
	tap_is_number(file_replace(dir, "link", "new", 3, 0600, &err), 0, "a link can be replaced");
	fstatat(dir, "link", &st, AT_SYMLINK_NOFOLLOW);
	tap_ok(S_ISREG(st.st_mode), "by a file");
	file_read(dir, "target", 100, &text, &err);
	tap_is_text(text.data, "precious", "what it pointed to is untouched");
	buffer_release(&text);
}

/* Returns how many names the directory has. */
static int
count_names(void)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 0;
	DIR *stream = fdopendir(fd);

	while (readdir(stream))
		count++;
	closedir(stream);
	return count - 2;
}

/* Writes the file again and again, each time long and of one letter, until it is killed. */
static void
write_for_ever(char letter)
{
	static char text[256 * 1024];

	memset(text, letter, sizeof text);
	for (size_t length = sizeof text;; length = length == 1 ? sizeof text : length / 2)
		file_replace(dir, "written", text, length, 0600, &err);
}

static bool
is_of_one_letter(const struct buffer *text)
{
	return text->length > 0 && strspn(text->data, (char[]){text->data[0], '\0'}) == text->length;
}

/* Several processes write one file, and each is killed wherever it is. */
static void
test_replace_killed(void)
{
	int before = count_names(), bad = 0;
	struct buffer text = {0};
	pid_t writers[4];

	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
			if ((writers[i] = fork()) == 0)
				write_for_ever((char)('a' + (int)i));
		while (!file_exists(dir, "written"))
			usleep(1000);
		for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
			for (int reads = 0; reads < 20; reads++) {
				buffer_clear(&text);
				bad += file_read(dir, "written", 1 << 20, &text, &err) < 0 || !is_of_one_letter(&text);
			}
			kill(writers[i], SIGKILL);
			waitpid(writers[i], NULL, 0);
		}
	}
	tap_is_number(bad, 0, "while processes write a file and are killed, it is always whole");
	tap_ok(count_names() <= before + 2, "beside it there is at most one that they have left: %d", count_names() - before - 1);
	tap_is_number(file_replace(dir, "written", "short", 5, 0600, &err), 0, "the next who writes it");
	tap_is_number(count_names(), before + 1, "leaves none");
	buffer_clear(&text);
	file_read(dir, "written", 100, &text, &err);
	tap_is_text(text.data, "short", "and has nothing of what was left in it");
	buffer_release(&text);
}

static void
test_make(void)
{
	char *fresh = memory_printf("first.%u.new", (unsigned)geteuid());
	int before = count_names();
	struct buffer text = {0};

	tap_is_number(file_make(dir, "first", "one", 3, 0600, &err), 0, "a file can be made where nothing is");
	tap_is_number(file_make(dir, "first", "two", 3, 0600, &err), 0, "that it is there already is no error");
	file_read(dir, "first", 100, &text, &err);
	tap_is_text(text.data, "one", "and it stays");
	tap_is_number(count_names(), before + 1, "nothing else is left");
	tap_is_number(linkat(dir, "first", dir, fresh, 0), 0, "one who makes it is killed with both names there");
	tap_is_number(file_replace(dir, "other", "x", 1, 0600, &err), 0, "others are not concerned");
	tap_is_number(file_make(dir, "first", "two", 3, 0600, &err), 0, "and who makes it");
	buffer_clear(&text);
	file_read(dir, "first", 100, &text, &err);
	tap_is_text(text.data, "one", "does not write into it");
	tap_is_number(count_names(), before + 2, "nothing else is left then, too");
	buffer_release(&text);
	free(fresh);
}

static void
test_remove(void)
{
	char *fresh = memory_printf("gone.%u.new", (unsigned)geteuid());
	int before = count_names(), held;

	file_replace(dir, "gone", "x", 1, 0600, &err);
	close(openat(dir, fresh, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	tap_is_number(file_remove(dir, "gone", &err), 0, "a file is removed");
	tap_is_number(count_names(), before, "with what one who was killed has left beside it");
	tap_is_number(file_remove(dir, "gone", &err), 0, "one that is not there is no error");
	held = openat(dir, fresh, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	flock(held, LOCK_EX);
	file_remove(dir, "gone", &err);
	tap_ok(file_exists(dir, fresh), "what somebody writes just now is not taken away");
	close(held);
	tap_is_number(file_remove(dir, "absent/gone", &err), 0, "nor is it an error that there is no directory");
	file_remove(dir, "gone", &err);
	make_link("/dev/full", fresh);
	tap_is_number(file_replace(dir, "gone", "x", 1, 0600, &err), -1, "a link in the place of what is written first is not followed");
	unlinkat(dir, fresh, 0);
	free(fresh);
}

static void
test_make_dirs(void)
{
	tap_is_number(file_make_dirs(dir, "a/b/c", 0700, &err), 0, "directories are made with those above");
	tap_is_number(file_make_dirs(dir, "a/b/c", 0700, &err), 0, "it does not matter that they are there");
	tap_is_number(file_make_dirs(dir, "a/b/c/", 0700, &err), 0, "nor a slash at the end");
	file_replace(dir, "a/plain", "", 0, 0600, &err);
	tap_is_number(file_make_dirs(dir, "a/plain/x", 0700, &err), -1, "a file is in the way");
}

static void
test_remove_tree(void)
{
	file_make_dirs(dir, "outside", 0700, &err);
	file_replace(dir, "outside/kept", "x", 1, 0600, &err);
	file_make_dirs(dir, "tree/deep/er", 0700, &err);
	file_replace(dir, "tree/deep/file", "x", 1, 0600, &err);
	make_link("../outside", "tree/link");
	make_link("../../outside/kept", "tree/deep/link");
	make_link("nowhere", "tree/dangling");
	tap_is_number(file_remove_tree(dir, "tree", &err), 0, "a tree can be removed");
	tap_ok(!file_exists(dir, "tree"), "it is gone");
	tap_ok(file_exists(dir, "outside/kept"), "links in it were not followed");
	tap_is_number(file_remove_tree(dir, "tree", &err), 0, "a tree that is not there is fine");
	make_link("outside", "alias");
	tap_is_number(file_remove_tree(dir, "alias", &err), 0, "a link is removed");
	tap_ok(file_exists(dir, "outside/kept"), "not what it points to");
	tap_is_number(file_remove_tree(dir, "outside/kept", &err), 0, "so is a file");
}

static void
test_write_all(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	tap_is_number(file_write_all(fd, "x", 1), -1, "a full device is an error");
	close(fd);
}

int
main(void)
{
	const char *folder = getenv("TMPDIR");
	char *path = memory_printf("%s/base-file.XXXXXX", folder ? folder : "/tmp");

	if (!mkdtemp(path) || (dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return EX_CANTCREAT;
	test_read();
	test_replace();
	test_replace_link();
	test_replace_killed();
	test_make();
	test_remove();
	test_make_dirs();
	test_remove_tree();
	test_write_all();
	tap_is_text(file_base_name("/a/b"), "b", "the base name is behind the last slash");
	tap_is_text(file_base_name("b"), "b", "or all of it");
	tap_is_number(file_remove_tree(AT_FDCWD, path, &err), 0, "the directory of this test is removed");
	close(dir);
	free(path);
	return tap_end();
}
