/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/ssh.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/location.h"
#include "base/memory.h"
#include "event/tail.h"
#include "model/take/task.h"
#include "ssh/bastion.h"
#include "ssh/options.h"
#include "ssh/sockets.h"

char *
ssh_name(const struct machine *machine, char text[SSH_NAME_SIZE])
{
	bool is_v6 = machine->address && strchr(machine->address, ':');

	if (machine->address)
		snprintf(text, SSH_NAME_SIZE, is_v6 ? "node %s ([%s]:%lld)" : "node %s (%s:%lld)", machine->id,
		    machine->address, (long long)machine->port);
	else
		snprintf(text, SSH_NAME_SIZE, "node %s", machine->id);
	return text;
}

void
ssh_print_known_hosts(const struct machine *machine, struct buffer *lines)
{
	for (size_t i = 0; i < machine->host_keys.count; i++)
		buffer_printf(lines, "%s %s\n", machine->id, machine->host_keys.list[i]);
	bastion_add_known_host(machine, lines);
}

/* Writes the pinned keys to a file that is nowhere but in memory, so that nothing is left behind, come what may. */
static int
ssh_write_known_hosts(const struct machine *machine, struct error *err)
{
	struct buffer lines = {0};
	int fd = memfd_create("known_hosts", MFD_CLOEXEC), failed;

	ssh_print_known_hosts(machine, &lines);
	failed = fd < 0 || file_write_all(fd, lines.data, lines.length) < 0;
	buffer_release(&lines);
	if (!failed)
		return fd;
	error_errno(err, EX_OSERR, "known_hosts in memory");
	if (fd >= 0)
		close(fd);
	return -1;
}

char *
ssh_socket(const struct machine *machine)
{
	const char *sockets = getenv(SOCKETS_VARIABLE);
	uint64_t hash = HASH_START;
	char port[32];

	if (!sockets || !*sockets || !machine->address)
		return NULL;
	snprintf(port, sizeof port, "%lld", (long long)machine->port);
	hash = hash_field(hash, machine->id);
	hash = hash_field(hash, machine->address);
	hash = hash_field(hash, port);
	hash = hash_field(hash, machine->user);
	hash = hash_field(hash, machine->identityfile ? machine->identityfile : "");
	for (size_t i = 0; i < machine->host_keys.count; i++)
		hash = hash_field(hash, machine->host_keys.list[i]);
	if (machine->bastion.host)
		hash = bastion_hash(machine, hash);
	return memory_printf("%s/%016llx", sockets, (unsigned long long)hash);
}

/* Begins the command. Where a passphrase or a password is needed, ssh asks libexec/coopr/askpass for it; of two values of an option it
 * takes the first. What a machine itself asks for is never given the passphrase. */
void
ssh_begin(const struct machine *machine, struct arguments *argv)
{
	char *program = location_installed("libexec/coopr/askpass");

	if (machine->passphrasefile || machine->passwordfile) {
		arguments_push_all(argv, "env", "SSH_ASKPASS_REQUIRE=force", NULL);
		arguments_printf(argv, "SSH_ASKPASS=%s", program);
		arguments_printf(argv, "COOPR_PASSPHRASEFILE=%s", machine->passphrasefile ? machine->passphrasefile : "");
		arguments_printf(argv, "COOPR_PASSWORDFILE=%s", machine->passwordfile ? machine->passwordfile : "");
	}
	arguments_push(argv, "ssh");
	if (machine->passphrasefile || machine->passwordfile)
		arguments_push_all(argv, "-o", "BatchMode=no", "-o", "NumberOfPasswordPrompts=1", NULL);
	if (!machine->passwordfile && machine->passphrasefile)
		arguments_push_all(argv, "-o", "PasswordAuthentication=no", "-o", "KbdInteractiveAuthentication=no", NULL);
	if (machine->passwordfile && !machine->identityfile)
		arguments_push_all(argv, "-o", "PubkeyAuthentication=no", NULL);
	free(program);
}

void
ssh_share(const struct machine *machine, struct ssh *ssh)
{
	char *socket = ssh_socket(machine);

	if (socket)
		arguments_push_all(&ssh->argv, "-o", "ControlMaster=auto", "-o", "ControlPersist=60", "-S", socket, NULL);
	free(socket);
}

void
ssh_hold(const char *socket, struct ssh *ssh)
{
	arguments_push_all(&ssh->argv, "-M", "-N", "-S", socket, NULL);
}

void
ssh_address(const struct machine *machine, struct ssh *ssh)
{
	arguments_push(&ssh->argv, "-p");
	arguments_printf(&ssh->argv, "%lld", (long long)machine->port);
	arguments_push_all(&ssh->argv, "-l", machine->user, "--", machine->address, NULL);
}

int
ssh_prepare_by(const struct machine *machine, const char *known_hosts, struct ssh *ssh, struct error *err)
{
	char name[SSH_NAME_SIZE];

	ssh->known_hosts = -1;
	if (!machine->address)
		return error_set(err, EX_TEMPFAIL, "%s: its address is not known", ssh_name(machine, name));
	if (machine->host_keys.count == 0)
		return error_set(err, EX_NOPERM, "%s: its host key is not pinned: its provider has told none (facts.ssh_host_keys)",
		    ssh_name(machine, name));
	if (bastion_check(machine, err) < 0)
		return -1;
	ssh_begin(machine, &ssh->argv);
	options_push(&ssh->argv);
	arguments_push(&ssh->argv, "-o");
	arguments_printf(&ssh->argv, "UserKnownHostsFile=%s", known_hosts);
	bastion_push_proxy(machine, known_hosts, &ssh->argv);
	arguments_push(&ssh->argv, "-o");
	arguments_printf(&ssh->argv, "HostKeyAlias=%s", machine->id);
	if (machine->identityfile)
		arguments_push_all(&ssh->argv, "-o", "IdentitiesOnly=yes", "-i", machine->identityfile, NULL);
	return 0;
}

int
ssh_prepare(const struct machine *machine, struct ssh *ssh, struct error *err)
{
	int fd = ssh_write_known_hosts(machine, err), result;
	char known_hosts[64];

	if (fd < 0)
		return -1;
	snprintf(known_hosts, sizeof known_hosts, "/proc/%d/fd/%d", (int)getpid(), fd);
	result = ssh_prepare_by(machine, known_hosts, ssh, err);
	if (result == 0)
		ssh->known_hosts = fd;
	else
		close(fd);
	return result;
}

void
ssh_release(struct ssh *ssh)
{
	if (ssh->argv.count > 0 && ssh->known_hosts >= 0)
		close(ssh->known_hosts);
	arguments_release(&ssh->argv);
}

/* Returns the last part of "ssh: connect to host 203.0.113.4 port 22: Connection refused", which is the reason. */
static const char *
ssh_reason_in(const char *line)
{
	const char *colon = strncmp(line, "ssh: ", 5) == 0 ? strrchr(line, ':') : NULL;
	const char *reason = colon ? colon + 1 + strspn(colon + 1, " ") : line;

	return *reason ? reason : *line ? line : "ssh ended without a message";
}

/* Sets why the login failed: a key that is not there is the first cause. */
static void
ssh_explain_refusal(const struct machine *machine, const char *name, const char *last, struct error *err)
{
	if (machine->identityfile && access(machine->identityfile, R_OK) < 0)
		error_set(err, EX_NOPERM, "%s: login as %s was refused, since the private key %s cannot be read: %s; put the key there",
		    name, machine->user, machine->identityfile, strerror(errno));
	else
		error_set(err, EX_NOPERM, "%s: login as %s was refused: %s", name, machine->user, last);
}

int
ssh_explain(const struct machine *machine, const struct tail *said, struct error *err)
{
	char name[SSH_NAME_SIZE], *last = tail_last_line(said);

	ssh_name(machine, name);
	if (bastion_explain(machine, name, said, err) < 0)
		;
	else if (buffer_contains(&said->kept, "Host key verification failed") || buffer_contains(&said->kept, "HOST IDENTIFICATION HAS CHANGED"))
		error_set(err, EX_NOPERM, "%s: its host key is not the one that was pinned; another machine answers, "
		    "or it was made again", name);
	else if (buffer_contains(&said->kept, "Permission denied") || buffer_contains(&said->kept, "Too many authentication failures"))
		ssh_explain_refusal(machine, name, last, err);
	else
		error_set(err, EX_TEMPFAIL, "%s: cannot be reached: %s", name, ssh_reason_in(last));
	free(last);
	return -1;
}
