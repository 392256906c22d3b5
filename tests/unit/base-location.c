/* SPDX-License-Identifier: Apache-2.0 */
#include "base/location.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "tap.h"

static char *folder; /* a fresh directory */
static struct error err;

/* Whether a string, which is freed, is what it shall be. */
static void
check(char *found, const char *expected, const char *title)
{
	tap_is_text(found, expected, "%s", title);
	free(found);
}

static void
test_state(void)
{
	char *spool;

	setenv("HOME", "/home/x", 1);
	unsetenv("COOPR_SPOOL");
	unsetenv("COOPR_STATE");
	unsetenv("XDG_STATE_HOME");
	if (geteuid() == 0) {
		check(location_spool(NULL), "/var/spool/coopr", "root's spool");
		check(location_state(), "/var/lib/coopr", "root's state");
	} else {
		check(location_spool(NULL), "/home/x/.local/state/coopr/spool", "a person's spool");
		check(location_state(), "/home/x/.local/state/coopr", "a person's state");
		setenv("XDG_STATE_HOME", "/s", 1);
		check(location_state(), "/s/coopr", "below XDG_STATE_HOME");
		setenv("XDG_STATE_HOME", "s", 1);
		check(location_state(), "/home/x/.local/state/coopr", "which is ignored where it is relative");
	}
	setenv("COOPR_SPOOL", "/from/environment", 1);
	setenv("COOPR_STATE", "/state", 1);
	check(location_spool(NULL), "/from/environment", "the environment is stronger than the default");
	check(location_spool("given"), "given", "and an option is stronger than that");
	check(location_state(), "/state", "COOPR_STATE is the state");
	setenv("COOPR_SPOOL", "", 1);
	spool = location_spool(NULL);
	tap_ok(*spool, "an empty variable does not count");
	free(spool);
}

/* Whether the folder for sockets is another one; it is not left behind where it was made for this. */
static bool
is_elsewhere(const char *path)
{
	char *found = location_runtime();
	bool elsewhere = found && strcmp(found, path) != 0;

	if (elsewhere)
		rmdir(found);
	free(found);
	return elsewhere;
}

/* Somebody else's folder in /tmp, here that of a user who has no other place, must not stop us. */
static void
test_runtime_taken(void)
{
	uid_t uid = 1000000000 + (uid_t)getpid(); /* of nobody, and of no other run of this test */
	char *taken = memory_printf("/tmp/coopr-%lu", (unsigned long)uid), *found;
	struct stat st;

	if (geteuid() != 0) {
		tap_ok(true, "a taken folder in /tmp # SKIP needs root");
		free(taken);
		return;
	}
	tap_ok(mkdir(taken, 0755) == 0 && seteuid(uid) == 0, "a folder in /tmp is taken");
	found = location_runtime();
	tap_ok(found && strncmp(found, taken, strlen(taken)) == 0 && stat(found, &st) == 0 && st.st_uid == uid &&
	    (st.st_mode & 0777) == 0700, "a fresh one is made, ours alone");
	if (found)
		check(location_runtime(), found, "and is found the next time");
	if (found)
		rmdir(found);
	tap_ok(seteuid(0) == 0 && rmdir(taken) == 0, "and is taken away");
	free(taken);
	free(found);
}

/* Whether the folder, which is removed, is one of ours alone, and no link. */
static bool
is_ours(char *found)
{
	struct stat st;
	bool ours = found && lstat(found, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700;

	if (ours)
		rmdir(found);
	free(found);
	return ours;
}

/* Puts everything that it can into the place of the folder, as somebody else, until it is killed. */
static void
attack_runtime(const char *coopr, const char *trap)
{
	for (;;) {
		if (symlink(trap, coopr) == 0)
			unlink(coopr);
		if (mkdir(coopr, 0777) == 0) {
			chmod(coopr, 0777);
			rmdir(coopr);
		}
		if (mkfifo(coopr, 0666) == 0)
			unlink(coopr);
		if (rename(coopr, trap) == 0)
			_exit(1);
	}
}

static void
test_runtime_attacked(const char *path, const char *coopr)
{
	uid_t us = 1000000000 + (uid_t)getpid();
	int ours = 0, status = 0, rounds = 500;
	char *trap = memory_printf("%s.trap", path);
	pid_t attacker;

	if (geteuid() != 0) {
		tap_skip("needs root", "somebody else in the same folder");
		free(trap);
		return;
	}
	chmod(folder, 0755);
	chmod(path, 01777);
	mkdir(trap, 0777);
	chmod(trap, 01777);
	attacker = fork();
	if (attacker == 0 && setuid(us + 1) == 0)
		attack_runtime(coopr, trap);
	if (seteuid(us) == 0)
		for (int i = 0; i < rounds; i++)
			ours += is_ours(location_runtime());
	tap_ok(seteuid(0) == 0 && waitpid(attacker, &status, WNOHANG) == 0, "nobody takes our folder away");
	kill(attacker, SIGKILL);
	waitpid(attacker, NULL, 0);
	tap_is_number(ours, rounds, "whatever somebody else puts into its place, it is a folder of ours alone");
	file_remove_tree(AT_FDCWD, coopr, &err);
	unlink(coopr);
	chmod(path, 0700);
	free(trap);
}

static void
test_runtime(void)
{
	char *path = memory_printf("%s/run", folder), *coopr = memory_printf("%s/coopr", path);
	struct stat st;

	file_make_dirs(AT_FDCWD, path, 0700, &err);
	setenv("XDG_RUNTIME_DIR", path, 1);
	check(location_runtime(), coopr, "sockets are below XDG_RUNTIME_DIR");
	tap_ok(stat(coopr, &st) == 0 && (st.st_mode & 0777) == 0700, "in a folder that is ours alone");
	check(location_runtime(), coopr, "the same one the next time");
	chmod(coopr, 0755);
	tap_ok(is_elsewhere(coopr), "one that others can enter is not used");
	rmdir(coopr);
	tap_ok(symlink("/tmp", coopr) == 0 && is_elsewhere(coopr), "nor one behind a link");
	unlink(coopr);
	tap_ok(symlink("/nonexistent/coopr", coopr) == 0 && is_elsewhere(coopr), "nor one behind a link to nothing");
	unlink(coopr);
	tap_ok(mkfifo(coopr, 0700) == 0 && is_elsewhere(coopr), "nor what is no folder");
	unlink(coopr);
	tap_ok(mkdir(coopr, 0700) == 0 && chmod(coopr, 0770) == 0 && is_elsewhere(coopr), "nor one of a group");
	rmdir(coopr);
	tap_ok(chmod(path, 0777) == 0 && is_elsewhere(coopr), "nor one in a folder where others can exchange it");
	tap_ok(chmod(path, 0770) == 0 && is_elsewhere(coopr), "be it those of a group");
	chmod(path, 0700);
	test_runtime_attacked(path, coopr);
	test_runtime_taken();
	free(path);
	free(coopr);
}

static void
make_program(const char *path, mode_t mode)
{
	file_replace(AT_FDCWD, path, "#!/bin/sh\n", 10, mode, &err);
}

static void
test_plugin(void)
{
	char *first = memory_printf("%s/first/provider", folder), *second = memory_printf("%s/second/provider", folder);
	char *list = memory_printf("%s/first::%s/second", folder, folder), *path, *found;

	file_make_dirs(AT_FDCWD, first, 0700, &err);
	file_make_dirs(AT_FDCWD, second, 0700, &err);
	setenv("COOPR_PLUGINS", list, 1);
	path = memory_printf("%s/mine", second);
	make_program(path, 0755);
	check(location_plugin("provider", "mine"), path, "a plugin is found in a folder of COOPR_PLUGINS");
	free(path);
	path = memory_printf("%s/mine", first);
	make_program(path, 0644);
	found = location_plugin("provider", "mine");
	tap_ok(found && strcmp(found, path) != 0, "a file that cannot be run is none");
	free(found);
	chmod(path, 0755);
	check(location_plugin("provider", "mine"), path, "the first folder comes first");
	check(location_plugin("automator", "mine"), NULL, "each kind has its own folder");
	check(location_plugin("provider", "../provider/mine"), NULL, "no name leads out of it");
	check(location_plugin("provider", ".."), NULL, "not .. either");
	check(location_plugin("provider", ""), NULL, "and none is empty");
	free(path);
	free(first);
	free(second);
	free(list);
}

int
main(void)
{
	char *catalogue = location_installed("share/coopr/catalogue");
	const char *parent = getenv("TMPDIR");

	folder = memory_printf("%s/base-location.XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(folder))
		return EX_CANTCREAT;
	test_state();
	test_runtime();
	test_plugin();
	unsetenv("COOPR_CATALOGUE");
	check(location_catalogue(NULL), catalogue, "the catalogue is the installation's");
	check(location_catalogue("mine"), "mine", "or the one that is given");
	free(catalogue);
	tap_is_number(file_remove_tree(AT_FDCWD, folder, &err), 0, "the directory of this test is removed");
	free(folder);
	return tap_end();
}
