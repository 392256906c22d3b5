/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "sandbox/hosts.h"
#include "sandbox/record.h"
#include "sandbox/state.h"
#include "tap.h"

static void
test_record(int dir)
{
	struct machine machine = {.token = "00000042-001:t1", .image = "/srv/a = b", .hostname = "x"}, read = {.name = NULL};
	struct error err;

	tap_ok(machine_read(dir, &read, &err) < 0 && err.code == EX_NO, "where there is no record, that is said");
	tap_ok(machine_write(dir, &machine, &err) == 0 && machine_read(dir, &read, &err) == 0,
	    "a record is written and read");
	tap_is_text(read.token, machine.token, "a value comes back");
	tap_is_text(read.image, machine.image, "also one with an equals sign");
	tap_is_text(read.pid, NULL, "what was not set is not set");
	machine_release(&read);

	state_write(dir, "machine", "", &err);
	tap_ok(machine_read(dir, &read, &err) < 0 && err.code == EX_DATAERR, "an empty record is refused");
	machine_release(&read);
	state_write(dir, "machine", "token=x\ngarbage\n", &err);
	tap_ok(machine_read(dir, &read, &err) < 0, "a line that is none is refused");
	tap_is_text(err.text, "machine: unknown line \"garbage\"", "and named");
	machine_release(&read);
}

static void
test_name(void)
{
	struct arena arena = {0};
	const char *one = machine_name("00000042-1000", "00000042-001:t1", &arena);

	tap_is_text(machine_name("00000042-1000", "00000042-001:t1", &arena), one, "a token makes one name");
	tap_ok(strcmp(machine_name("00000042-1000", "00000042-001:t2", &arena), one) != 0, "another makes another");
	tap_ok(strncmp(one, "00000042-1000-", 14) == 0 && strlen(one) == 26, "it begins with the node's id");
	arena_release(&arena);
}

/* The hosts file of the cluster; the caller frees it. */
static char *
hosts_of(int dir, const char *cluster)
{
	char *path = memory_printf("clusters/%s/hosts", cluster);
	struct buffer text = {0};
	struct error err;

	if (file_read(dir, path, 1 << 20, &text, &err) < 0)
		buffer_text(&text, "none");
	free(path);
	return buffer_take(&text);
}

static void
is_hosts(int dir, const char *cluster, const char *expected, const char *title)
{
	char *found = hosts_of(dir, cluster);

	tap_is_text(found, expected, "%s", title);
	free(found);
}

static void
test_hosts(int dir)
{
#define HEADING "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"
	struct error err;

	hosts_add(dir, "c", "10.0.0.2", "a.example.net", &err);
	is_hosts(dir, "c", HEADING "10.0.0.2 a.example.net a\n", "a machine has a long and a short name");
	hosts_add(dir, "c", "10.0.0.22", "b", &err);
	is_hosts(dir, "c", HEADING "10.0.0.2 a.example.net a\n10.0.0.22 b\n", "or a short one only");
	hosts_add(dir, "c", "10.0.0.22", "c", &err);
	is_hosts(dir, "c", HEADING "10.0.0.2 a.example.net a\n10.0.0.22 c\n", "an address has the last name given");
	hosts_remove(dir, "c", "10.0.0.2", &err);
	is_hosts(dir, "c", HEADING "10.0.0.22 c\n", "an address that begins alike stays");
	tap_ok(hosts_remove(dir, "c", "10.0.0.2", &err) == 0, "removing twice is fine");
	hosts_remove(dir, "c", "10.0.0.22", &err);
	is_hosts(dir, "c", "none", "the last machine takes the file along");
	tap_ok(hosts_remove(dir, "c", "10.0.0.22", &err) == 0, "removing where nothing is, too");
}

int
main(void)
{
	char path[] = "/tmp/coopr-unit.XXXXXX";
	struct error err;
	int dir;

	test_name();
	dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (tap_ok(dir >= 0, "there is a directory for the test")) {
		test_record(dir);
		test_hosts(dir);
	}
	close(dir);
	file_remove_tree(AT_FDCWD, path, &err);
	return tap_end();
}
