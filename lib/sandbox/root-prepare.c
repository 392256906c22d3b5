/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "sandbox/record.h"
#include "sandbox/root.h"

enum { FILE_LIMIT = 4 * 1024 * 1024, PROGRAM_LIMIT = 64 * 1024 * 1024, ID_BYTES = 16 };

/* The connection never leaves the host: of the key exchanges, the ones made against future quantum computers cost
 * ten times the rest of a connection and buy nothing. */
static const char sshd_config[] =
    "Port 22\n"
    "HostKey /etc/ssh/ssh_host_ed25519_key\n"
    "KexAlgorithms -sntrup*,mlkem*\n"
    "AuthenticationMethods publickey\n"
    "PasswordAuthentication no\n"
    "KbdInteractiveAuthentication no\n"
    "PermitRootLogin prohibit-password\n"
    "UsePAM no\n"
    "UseDNS no\n"
    "MaxSessions 1000\n"
    "MaxStartups 1000:30:2000\n"
    "PrintMotd no\n"
    "PrintLastLog no\n"
    "Subsystem sftp internal-sftp\n";

/* Puts a new file at path. What the image has there may be a link, and is not followed. */
static int
root_put(const struct root *root, const char *path, mode_t mode, const char *text, size_t length, struct error *err)
{
	int fd, result = 0;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0 || (root->owner && fchown(fd, root->owner, root->owner) < 0) || fchmod(fd, mode) < 0 ||
	    file_write_all(fd, text, length) < 0)
		result = error_errno(err, EX_CANTCREAT, "%s", path);
	if (fd >= 0)
		close(fd);
	return result;
}

static int
root_put_text(const struct root *root, const char *path, mode_t mode, const char *text, struct error *err)
{
	return root_put(root, path, mode, text, strlen(text), err);
}

/* Puts a copy of a file of the machine's folder at path. */
static int
root_put_copy(const struct root *root, const char *name, const char *path, mode_t mode, struct error *err)
{
	struct buffer text = {0};
	int result = file_read(root->folder, name, FILE_LIMIT, &text, err);

	if (result == 0)
		result = root_put(root, path, mode, text.data, text.length, err);
	buffer_release(&text);
	return result;
}

/* Replaces the second member of each line of the file, the password, by "*". */
static int
root_remove_passwords_of(const struct root *root, const char *path, struct error *err)
{
	struct buffer old = {0}, new = {0};
	struct stat st;
	int result = 0;

	if (stat(path, &st) < 0)
		return 0;
	if (file_read(AT_FDCWD, path, FILE_LIMIT, &old, err) < 0)
		result = -1;
	for (size_t at = 0; result == 0 && at < old.length;) {
		const char *line = old.data + at;
		size_t end = strcspn(line, "\n"), user = strcspn(line, ":\n"),
		       rest = user < end ? user + 1 + strcspn(line + user + 1, ":\n") : end;

		buffer_printf(&new, "%.*s:*%.*s\n", (int)user, line, (int)(end - rest), line + rest);
		at += end + 1;
	}
	if (result == 0 && new.length)
		result = root_put(root, path, st.st_mode & 07777, new.data, new.length, err);
	if (result == 0 && chown(path, st.st_uid, st.st_gid) < 0)
		result = error_errno(err, EX_CANTCREAT, "%s", path);
	buffer_release(&old);
	buffer_release(&new);
	return result;
}

/* Removes all passwords, also from the copies that passwd(1) and others keep: nobody enters by one, so there is none to be read or
 * guessed. A "*" does not lock an account, which would keep sshd from accepting a key. */
static int
root_remove_passwords(const struct root *root, struct error *err)
{
	static const char *const files[] = {"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (root_remove_passwords_of(root, files[i], err) < 0)
			return -1;
	return 0;
}

static int
root_put_machine_id(const struct root *root, struct error *err)
{
	unsigned char bytes[ID_BYTES];
	char text[2 * ID_BYTES + 2] = "";

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return error_errno(err, EX_OSERR, "machine-id: no random bytes");
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	text[2 * ID_BYTES] = '\n';
	return root_put_text(root, "/etc/machine-id", 0444, text, err);
}

/* Puts a resolv.conf(5) of the addresses in list, spaces between; NULL or "": without any. */
static int
root_put_resolvers(const struct root *root, const char *list, struct error *err)
{
	struct buffer text = {0};
	int result;

	if (!list || !*list)
		buffer_text(&text, "# names are in /etc/hosts; there is no resolver\n");
	for (; list && *list; list += strcspn(list, " "), list += *list == ' ')
		buffer_printf(&text, "nameserver %.*s\n", (int)strcspn(list, " "), list);
	result = root_put_text(root, "/etc/resolv.conf", 0644, text.data, err);
	buffer_release(&text);
	return result;
}

static int
root_put_names(const struct machine *machine, const struct root *root, struct error *err)
{
	size_t label = strcspn(machine->hostname, ".");
	struct buffer text = {0};
	int result = 0;

	buffer_printf(&text, "%.*s\n", (int)label, machine->hostname);
	if (sethostname(machine->hostname, label) < 0)
		result = error_errno(err, EX_OSERR, "hostname %s", machine->hostname);
	if (result == 0)
		result = root_put_text(root, "/etc/hostname", 0644, text.data, err);
	if (result == 0)
		result = root_put_resolvers(root, machine->resolvers, err);
	unlink("/etc/hosts");
	if (result == 0 && symlink("/run/cluster/hosts", "/etc/hosts") < 0)
		result = error_errno(err, EX_CANTCREAT, "/etc/hosts");
	if (result == 0)
		result = root_give(root, "/etc/hosts", err);
	buffer_release(&text);
	return result;
}

/* Puts the configuration of sshd. From OpenSSH 9.8 on, who connects without logging in, as confirm does, is shut out after a
 * while, unless that is switched off by a keyword that earlier ones do not start with. To ask sshd costs as much as to start it. */
static int
root_put_sshd_config(const struct root *root, struct error *err)
{
	struct buffer text = {0}, program = {0};
	struct error ignored;
	int result;

	buffer_text(&text, sshd_config);
	if (file_read(AT_FDCWD, "/usr/sbin/sshd", PROGRAM_LIMIT, &program, &ignored) == 0 &&
	    buffer_contains(&program, "persourcepenalties"))
		buffer_text(&text, "PerSourcePenalties no\n");
	result = root_put_text(root, "/etc/ssh/sshd_config", 0644, text.data, err);
	buffer_release(&program);
	buffer_release(&text);
	return result;
}

static int
root_put_keys(const struct root *root, struct error *err)
{
	if (mkdir("/root/.ssh", 0700) < 0 && errno != EEXIST)
		return error_errno(err, EX_CANTCREAT, "/root/.ssh");
	if (root_give(root, "/root/.ssh", err) < 0 || root_put_sshd_config(root, err) < 0 ||
	    root_put_copy(root, "key", "/etc/ssh/ssh_host_ed25519_key", 0600, err) < 0 ||
	    root_put_copy(root, "key.pub", "/etc/ssh/ssh_host_ed25519_key.pub", 0644, err) < 0)
		return -1;
	return root_put_copy(root, "authorized_keys", "/root/.ssh/authorized_keys", 0600, err);
}

int
root_prepare(const struct machine *machine, const struct root *root, struct error *err)
{
	if (root_put_names(machine, root, err) < 0 || root_put_machine_id(root, err) < 0 ||
	    (!machine->files && root_remove_passwords(root, err) < 0))
		return -1;
	return root_put_keys(root, err);
}
