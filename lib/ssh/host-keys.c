/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/host-keys.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "event/tail.h"
#include "model/take/task.h"
#include "ssh/bastion.h"
#include "ssh/options.h"
#include "ssh/ssh.h"

enum { OUTPUT_BYTES = 64 * 1024, KEYS = 16, LINE_BYTES = 8 * 1024 };

/* Appends what ssh-keyscan says. */
static int
host_keys_ask(const struct machine *machine, struct buffer *shown, struct error *err)
{
	struct arguments argv = {0};
	struct buffer said = {0};
	int result;

	arguments_push_all(&argv, "ssh-keyscan", "-T", "10", "-t", "ed25519,ecdsa,rsa", "-p", NULL);
	arguments_printf(&argv, "%lld", (long long)machine->port);
	arguments_push_all(&argv, "--", machine->address, NULL);
	result = process_run(argv.list, NULL, 0, shown, &said, OUTPUT_BYTES, err) < 0 ? -1 : 0;
	arguments_release(&argv);
	buffer_release(&said);
	return result;
}

/* Reads the file from its beginning. */
static int
host_keys_read_file(int fd, struct buffer *shown, struct error *err)
{
	char bytes[LINE_BYTES];
	ssize_t n = pread(fd, bytes, sizeof bytes, 0);

	if (n < 0)
		return error_errno(err, EX_OSERR, "known_hosts in memory");
	buffer_append(shown, bytes, (size_t)n);
	return 0;
}

/* Appends the one that an ssh writes down which comes through the bastion, as ssh-keyscan does not. It tries no login. */
static int
host_keys_ask_through(const struct machine *machine, struct buffer *shown, struct error *err)
{
	struct buffer bastion_line = {0};
	struct tail said = {.dropped = 0};
	struct arguments argv = {0};
	int fd = memfd_create("shown", MFD_CLOEXEC), known = memfd_create("bastion", MFD_CLOEXEC), result = -1;
	char path[64], name[SSH_NAME_SIZE];

	bastion_add_known_host(machine, &bastion_line);
	if (fd < 0 || known < 0 || file_write_all(known, bastion_line.data, bastion_line.length) < 0) {
		error_errno(err, EX_OSERR, "known_hosts in memory");
	} else if (bastion_check(machine, err) == 0) {
		arguments_push_all(&argv, "ssh", "-o", "StrictHostKeyChecking=accept-new", "-o", "PreferredAuthentications=none", "-o", "HashKnownHosts=no",
		    "-o", "HostKeyAlgorithms=ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,rsa-sha2-256", "-o", NULL);
		arguments_printf(&argv, "UserKnownHostsFile=/proc/%d/fd/%d", (int)getpid(), fd);
		options_push(&argv);
		snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), known);
		bastion_push_proxy(machine, path, &argv);
		arguments_push(&argv, "-p");
		arguments_printf(&argv, "%lld", (long long)machine->port);
		arguments_push_all(&argv, "-l", machine->user, "--", machine->address, "true", NULL);
		if (process_run(argv.list, NULL, 0, NULL, &said.kept, OUTPUT_BYTES, err) >= 0 && host_keys_read_file(fd, shown, err) == 0)
			result = shown->length > 0 ? 0 : bastion_explain(machine, ssh_name(machine, name), &said, err);
	}
	arguments_release(&argv);
	tail_release(&said);
	buffer_release(&bastion_line);
	if (fd >= 0)
		close(fd);
	if (known >= 0)
		close(known);
	return result;
}

int
host_keys_scan(const struct machine *machine, struct arena *arena, struct string_list *keys, struct error *err)
{
	struct buffer shown = {0};
	char name[SSH_NAME_SIZE], *text, *line;
	int result;

	ssh_name(machine, name);
	if (!machine->address)
		return error_set(err, EX_TEMPFAIL, "%s: its address is not known", name);
	result = machine->bastion.host ? host_keys_ask_through(machine, &shown, err) : host_keys_ask(machine, &shown, err);
	*keys = (struct string_list){0};
	text = shown.data;
	if (result == 0)
		keys->list = arena_alloc(arena, KEYS, sizeof *keys->list);
	/* Lines "HOST ALGORITHM KEY", comments between. */
	while (result == 0 && text && (line = strsep(&text, "\n")) && keys->count < KEYS) {
		const char *key = strchr(line, ' ');

		if (*line != '#' && key && strchr(key + 1, ' '))
			keys->list[keys->count++] = arena_string(arena, key + 1);
	}
	if (result == 0 && keys->count == 0)
		result = error_set(err, EX_TEMPFAIL, "%s: cannot be reached: it shows no host key", name);
	buffer_release(&shown);
	return result;
}

/* Names the key "ssh-ed25519" ed25519, "ecdsa-sha2-nistp256" ecdsa, "ssh-rsa" rsa. */
jv
host_keys_pin(const struct string_list *keys)
{
	jv pinned = jv_object();

	for (size_t i = 0; i < keys->count; i++) {
		const char *key = keys->list[i];
		size_t length;

		if (strncmp(key, "ssh-", 4) == 0)
			key += 4;
		length = strcspn(key, "- ");
		pinned = jv_object_set(pinned, jv_string_sized(key, (int)length), jv_string(keys->list[i]));
	}
	return pinned;
}
