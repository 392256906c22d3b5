/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "sandbox/address.h"
#include "sandbox/disk.h"
#include "sandbox/hostfiles.h"
#include "sandbox/hosts.h"
#include "sandbox/ids.h"
#include "sandbox/image/image.h"
#include "sandbox/key.h"
#include "sandbox/limits.h"
#include "sandbox/network.h"
#include "sandbox/root.h"
#include "sandbox/route.h"
#include "sandbox/start.h"
#include "sandbox/state.h"

enum { NAME_DIGITS = 12 }; /* behind the node's id and "-" */

static int
machine_lock_sandbox(struct error *err)
{
	char *path = state_path("");
	int lock = state_lock(path, err);

	free(path);
	return lock;
}

/* Takes away the cable of a machine, and finds the address that it has, "" for none. The address stays the machine's,
 * whose folder we have locked; the others need not wait while the kernel takes the cable apart. */
static int
machine_unplug(const char *name, char address[ADDRESS_SIZE], struct error *err)
{
	char *path = state_path("");
	int sandbox = file_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, err), result;

	free(path);
	if (sandbox < 0)
		return -1;
	if (!address_find(sandbox, name, address))
		*address = '\0';
	result = *address ? network_disconnect(address, err) : 0;
	close(sandbox);
	return result;
}

/* Takes the machine off the network and the hosts file, and its network's bridge if it was the last there. */
static int
machine_disconnect(const char *name, const struct machine *machine, struct error *err)
{
	char address[ADDRESS_SIZE];
	struct network network;
	int sandbox, result = 0;

	if (machine_unplug(name, address, err) < 0)
		return -1;
	sandbox = machine_lock_sandbox(err);
	if (sandbox < 0)
		return -1;
	if (*address && machine->cluster)
		result = hosts_remove(sandbox, machine->cluster, address, err);
	if (*address && result == 0)
		address_release(sandbox, address);
	if (result == 0) {
		if (machine->cluster && !hosts_any(sandbox, machine->cluster))
			address_release_tables(sandbox, machine->cluster);
		ids_release(sandbox, name);
		hostfiles_release(name);
	}
	if (result == 0 && machine->network && network_parse(machine->network, &network, err) == 0 &&
	    !address_any(sandbox, &network))
		result = network_down(&network, err);
	close(sandbox);
	return result;
}

static int
machine_remove_files(int dir, const char *const *files, struct error *err)
{
	int result = 0;

	for (; *files && result == 0; files++)
		result = file_remove_tree(dir, *files, err);
	return result;
}

/* Takes down all of a machine but its folder, dir, which is locked. What it has written goes first: where the disk is full, nothing else
 * can be done before. The record goes last: while anything else is left, it says what. */
static int
machine_take_down(int dir, const char *name, struct error *err)
{
	static const char *const written[] = {"layer", "disk", NULL};
	static const char *const others[] = {"root", "lower", "copy", "key", "key.pub", "authorized_keys", "console", "life", "relay",
	    "machine.new", "authorized_keys.new", "machine", NULL};
	struct machine machine = {.name = name};
	struct error ignored;
	int result;

	if (start_end(dir, err) < 0)
		return -1;
	limits_remove(name);
	/* Without a record it has no more than an address: the record is written first. */
	if (machine_read(dir, &machine, &ignored) < 0)
		machine.cluster = machine.network = NULL;
	result = machine_remove_files(dir, written, err) < 0 ? -1 : machine_disconnect(name, &machine, err);
	if (result == 0)
		image_release(name);
	machine_release(&machine);
	return result < 0 ? -1 : machine_remove_files(dir, others, err);
}

/* Checks what the image is, and has the tree of one that is packed. */
static int
machine_find_image(struct machine *wanted, struct error *err)
{
	const bool host = strcmp(wanted->image, "host") == 0;
	enum image_kind kind;
	char *root;
	bool has;

	if (*wanted->image != '/' && !host)
		return error_set(err, EX_CONFIG, "image %s: is neither \"host\" nor the absolute path of a directory tree, an archive or an OCI "
		    "layout; correct the image type", wanted->image);
	kind = host ? IMAGE_TREE : image_look(wanted->image);
	if (kind == IMAGE_NONE)
		return error_set(err, EX_CONFIG, "image %s: neither a directory tree nor an archive or OCI layout on this host; make it "
		    "(debootstrap does)", wanted->image);
	if (kind == IMAGE_PACKED && !(wanted->tree = image_claim(wanted->image, wanted->nested ? IDS_NESTED : 0, wanted->name, &wanted->arena, err)))
		return -1;
	root = wanted->tree ? image_path(wanted->tree) : memory_string(host ? "/" : wanted->image);
	has = image_has(root, "usr/sbin/sshd");
	free(root);
	return has ? 0 : error_set(err, EX_CONFIG, "image %s: has no /usr/sbin/sshd; install openssh-server there", wanted->image);
}

static int
machine_check_shares(const struct machine *wanted, struct error *err)
{
	const char *shares = wanted->shares;
	int result = 0;
	char *path;

	while (result == 0 && (path = location_next(&shares))) {
		struct stat st;

		if (location_is_own(path))
			result = error_set(err, EX_CONFIG, "share %s: it is, or holds, coopr's own, which is for no node", path);
		else if (*path != '/' || stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
			result = error_set(err, EX_CONFIG,
			    "share %s: not a directory on this host; make it, or take it out of the provider \"%s\"", path,
			    wanted->provider);
		free(path);
	}
	return result;
}

/* Opens or closes the route of the machine's network, as its provider says. */
static int
machine_route(struct machine *wanted, const struct network *network, struct error *err)
{
	if (!wanted->route) {
		route_close(network);
		return 0;
	}
	wanted->resolvers = route_resolvers(&wanted->arena);
	return route_open(network, wanted->provider, err);
}

static int
machine_claim_ids(int sandbox, struct machine *wanted, struct error *err)
{
	uint32_t first = IDS_NESTED;

	if (!wanted->nested && ids_claim(sandbox, wanted->name, &first, err) < 0)
		return -1;
	wanted->ids = arena_printf(&wanted->arena, "%u", first);
	return 0;
}

/* Gives the machine what it needs outside of itself: an address, the bridge, its names in the cluster. */
static int
machine_register(int dir, struct machine *wanted, const struct network *network, struct error *err)
{
	int sandbox = machine_lock_sandbox(err), result;
	char address[ADDRESS_SIZE];
	uint32_t table;

	if (sandbox < 0)
		return -1;
	result = network_up(network, wanted->provider, err);
	if (result == 0)
		result = machine_route(wanted, network, err);
	if (result == 0 && !wanted->unconfined)
		result = machine_claim_ids(sandbox, wanted, err);
	if (result == 0 && strcmp(wanted->image, "host") == 0 &&
	    !(wanted->files = hostfiles_claim(wanted->name, wanted->nested ? IDS_NESTED : 0, &wanted->arena, err)))
		result = -1;
	if (result == 0)
		result = address_claim_table(sandbox, network, wanted->cluster, &table, err);
	if (result == 0)
		result = address_claim(sandbox, network, wanted->name, address, err);
	if (result == 0) {
		wanted->address = arena_string(&wanted->arena, address);
		wanted->table = arena_printf(&wanted->arena, "%u", table);
		result = machine_write(dir, wanted, err);
	}
	if (result == 0)
		result = hosts_add(sandbox, wanted->cluster, address, wanted->hostname, err);
	close(sandbox);
	return result;
}

/* Returns the public key that may log in, which the caller frees; NULL with a reason. */
static char *
machine_login_key(const struct machine *wanted, struct error *err)
{
	char *path, *public;

	if (wanted->login)
		return memory_string(wanted->login);
	path = key_login(err);
	public = path ? key_public(path, err) : NULL;
	free(path);
	return public;
}

static int
machine_make_keys(int dir, struct machine *wanted, struct error *err)
{
	char *folder = state_machine_path(wanted->name), *path = memory_printf("%s/key", folder), *host = NULL,
	     *user = machine_login_key(wanted, err), *line = NULL;
	int result = -1;

	if (user && key_make(path, wanted->hostname, err) == 0 && (host = key_public(path, err))) {
		wanted->host_key = arena_string(&wanted->arena, host);
		line = memory_printf("%s coopr\n", user);
		result = state_write(dir, "authorized_keys", line, err);
	}
	free(line);
	free(user);
	free(host);
	free(path);
	free(folder);
	return result;
}

/* Makes the machine's disk, or says why it has none. */
static void
machine_make_disk(int dir, struct machine *wanted, char notice[NOTICE_SIZE])
{
	struct error why;

	if (wanted->nested)
		return; /* only root has loop devices; the maker says it */
	if (disk_make(dir, wanted, &why) == 0)
		return;
	unlinkat(dir, "disk", 0);
	root_tell(notice, "its disk is not limited: %s", why.text);
}

/* Makes the machine in its folder, which is empty: the record first, then all else. */
static int
machine_make(int dir, struct machine *wanted, char notice[256], struct error *err)
{
	char unlimited[NOTICE_SIZE] = "";
	struct network network;

	if (machine_check_shares(wanted, err) < 0 || network_parse(wanted->network, &network, err) < 0)
		return -1;
	if (machine_write(dir, wanted, err) < 0 || machine_find_image(wanted, err) < 0 || machine_register(dir, wanted, &network, err) < 0 ||
	    machine_make_keys(dir, wanted, err) < 0)
		return -1;
	machine_make_disk(dir, wanted, unlimited);
	if (start_machine(dir, wanted, &network, notice, err) < 0)
		return -1;
	if (*unlimited)
		root_tell(notice, "%s", unlimited);
	return 0;
}

/* Returns whether the folder holds the machine already, running, and then copies what is known of it to wanted. */
static bool
machine_is_made(int dir, struct machine *wanted)
{
	struct machine found = {.name = NULL};
	struct error ignored;
	bool made = machine_read(dir, &found, &ignored) == 0 && found.pid && found.address &&
	    found.host_key && start_is_alive(dir);

	if (made) {
		wanted->address = arena_string(&wanted->arena, found.address);
		wanted->host_key = arena_string(&wanted->arena, found.host_key);
		wanted->login = found.login ? arena_string(&wanted->arena, found.login) : NULL;
		wanted->pid = arena_string(&wanted->arena, found.pid);
	}
	machine_release(&found);
	return made;
}

/* Removes what a process that was killed may have left of the sandbox's folder when no machine is there. */
static void
machine_tidy(void)
{
	char *path = state_path("");
	struct error ignored;
	int sandbox = state_lock_existing(path, &ignored);

	if (sandbox >= 0) {
		state_tidy(sandbox);
		if (!file_exists(sandbox, "machines"))
			limits_tidy();
		close(sandbox);
	}
	free(path);
}

/* Removes the folder, dir, with all that was made of the machine. */
static int
machine_remove(int dir, const char *name, struct error *err)
{
	char *path = state_machine_path(name);
	int result = machine_take_down(dir, name, err);

	if (result == 0 && rmdir(path) < 0 && errno != ENOENT)
		result = error_errno(err, EX_IOERR, "%s", path);
	machine_tidy();
	free(path);
	return result;
}

static int
machine_create(struct machine *wanted, char notice[256], struct error *err)
{
	struct error ignored;
	char *path;
	int dir, result = 0;

	*notice = '\0';
	wanted->name = machine_name(wanted->node, wanted->token, &wanted->arena);
	path = state_machine_path(wanted->name);
	dir = state_lock(path, err);
	free(path);
	if (dir < 0)
		return -1;
	if (!machine_is_made(dir, wanted)) {
		result = machine_take_down(dir, wanted->name, err);
		if (result == 0 && machine_make(dir, wanted, notice, err) < 0) {
			machine_remove(dir, wanted->name, &ignored);
			result = -1;
		}
	}
	close(dir);
	return result < 0 ? error_prefix(err, "%s", wanted->node) : 0;
}

static int
machine_delete(const char *name, struct error *err)
{
	char *path = state_machine_path(name);
	int dir = state_lock_existing(path, err), result;

	free(path);
	if (dir < 0 && err->code == EX_NO) {
		machine_tidy();
		return 0;
	}
	if (dir < 0)
		return -1;
	result = machine_remove(dir, name, err);
	close(dir);
	return result < 0 ? error_prefix(err, "%s", name) : 0;
}

static int
machine_open(const char *name, struct error *err)
{
	char *path = state_machine_path(name);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		error_errno(err, errno == ENOENT ? EX_NO : EX_NOINPUT, "%s", path);
	free(path);
	return dir;
}

/* Reads what is known of a machine. Fails with EX_NO if there is no such machine. */
static int
machine_look(const char *name, struct found *found, struct error *err)
{
	struct machine *machine = &found->machine;
	int dir = machine_open(name, err);
	struct error ignored;

	if (dir < 0)
		return -1;
	if (machine_read(dir, machine, &ignored) == 0 && machine->pid)
		found->state = start_is_alive(dir) ? MACHINE_RUNNING : MACHINE_DEAD;
	machine->name = arena_string(&machine->arena, name);
	close(dir);
	return 0;
}

/* Returns whether name is the name of a machine of node. */
static bool
machine_is_of_node(const char *name, const char *node)
{
	size_t length = strlen(node);

	return strncmp(name, node, length) == 0 && name[length] == '-' &&
	    strlen(name) == length + 1 + NAME_DIGITS;
}

/* Appends the machine, unless it has gone since its name was read. */
static int
machine_find_one(const char *name, struct found_list *all, struct error *err)
{
	struct found found = {.state = MACHINE_HALF};

	if (machine_look(name, &found, err) < 0)
		return err->code == EX_NO ? 0 : -1;
	*found_add(all) = found;
	return 0;
}

static int
machine_find(const char *name, const char *node, struct found_list *all, struct error *err)
{
	char *path = state_path("machines");
	struct dirent **entries = NULL;
	int n, result = 0;

	if (name) {
		free(path);
		return machine_find_one(name, all, err);
	}
	n = scandir(path, &entries, NULL, versionsort);
	if (n < 0 && errno != ENOENT)
		result = error_errno(err, EX_NOINPUT, "%s", path);
	for (int i = 0; i < n; i++) {
		const char *entry = entries[i]->d_name;

		if (result == 0 && *entry != '.' && (!node || machine_is_of_node(entry, node)))
			result = machine_find_one(entry, all, err);
		free(entries[i]);
	}
	free(entries);
	free(path);
	return result;
}

const struct maker machine_maker = {machine_create, machine_delete, machine_find};
