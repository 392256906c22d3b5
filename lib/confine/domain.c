/* SPDX-License-Identifier: Apache-2.0 */
#include "confine/domain.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

/* The kernel's interface, whole: the headers of a system may be older than the kernel that runs. */
enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	REMOVE_DIR = 1 << 4,
	REMOVE_FILE = 1 << 5,
	MAKE_CHAR = 1 << 6,
	MAKE_DIR = 1 << 7,
	MAKE_REG = 1 << 8,
	MAKE_SOCK = 1 << 9,
	MAKE_FIFO = 1 << 10,
	MAKE_BLOCK = 1 << 11,
	MAKE_SYM = 1 << 12,
	REFER = 1 << 13,     /* from version 2 on */
	TRUNCATE = 1 << 14,  /* 3 */
	IOCTL_DEV = 1 << 15, /* 5 */
	OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV, /* the others are of folders */
	TCP = 1 << 0 | 1 << 1,    /* bind, connect; 4 */
	SCOPES = 1 << 0 | 1 << 1, /* abstract sockets, signals; 6 */
	CREATE_VERSION = 1 << 0,
	RULE_PATH_BENEATH = 1,
	LAST_VERSION = 6,
};

struct ruleset {
	uint64_t files, network, scopes;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

int
domain_version(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

	return version > 0 ? (int)version : 0;
}

/* A kernel that does not know a member wants it to be 0. */
void
domain_open(struct domain *domain, bool network)
{
	static const uint64_t since[LAST_VERSION + 1] = {[1] = REFER - 1, [2] = REFER, [3] = TRUNCATE, [5] = IOCTL_DEV};
	struct ruleset ruleset = {.files = 0};
	int version = domain_version();

	for (int i = 1; i <= version && i <= LAST_VERSION; i++)
		ruleset.files |= since[i];
	ruleset.network = version >= 4 && !network ? TCP : 0;
	ruleset.scopes = version >= 6 ? SCOPES : 0;
	domain->handled = ruleset.files;
	domain->fd = version ? (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0) : -1;
}

void
domain_close(struct domain *domain)
{
	if (domain->fd >= 0)
		close(domain->fd);
	domain->fd = -1;
}

static uint64_t
domain_kernel_rights(unsigned rights)
{
	uint64_t allowed = 0;

	allowed |= rights & DOMAIN_READ_FILE ? READ_FILE : 0;
	allowed |= rights & DOMAIN_LIST ? READ_DIR : 0;
	allowed |= rights & DOMAIN_RUN ? EXECUTE : 0;
	allowed |= rights & DOMAIN_APPEND ? WRITE_FILE | MAKE_REG : 0;
	allowed |= rights & DOMAIN_REMOVE ? REMOVE_FILE : 0;
	if (rights & DOMAIN_CHANGE)
		allowed |= WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_SYM | REFER |
		    TRUNCATE | IOCTL_DEV;
	return allowed;
}

/* Allows what is open at fd, and closes it. */
static void
domain_allow_open(const struct domain *domain, int fd, unsigned rights)
{
	struct path_beneath rule = {domain_kernel_rights(rights) & domain->handled, fd};
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed &= OF_FILES;
	if (rule.allowed)
		syscall(SYS_landlock_add_rule, domain->fd, RULE_PATH_BENEATH, &rule, 0);
	close(fd);
}

void
domain_allow(struct domain *domain, const char *path, unsigned rights)
{
	if (domain->fd >= 0)
		domain_allow_open(domain, open(path, O_PATH | O_CLOEXEC), rights);
}

/* Returns whether path, of length bytes, is a hole; *around, whether one is below it. */
static bool
domain_is_hole(const char *path, const char *const *holes, size_t count, bool *around)
{
	size_t length = strlen(path);

	*around = false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(path, holes[i]) == 0)
			return true;
		*around |= strncmp(path, holes[i], length) == 0 && holes[i][length] == '/';
	}
	return false;
}

/* Allows what the folder (the root: "") has. A link is passed over: what it leads to has a place of its own. */
static void
domain_allow_entries(struct domain *domain, const char *folder, const char *const *holes, size_t count, unsigned rights)
{
	DIR *dir = opendir(*folder ? folder : "/");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		char *path;
		bool around;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || entry->d_type == DT_LNK)
			continue;
		path = memory_printf("%s/%s", folder, name);
		if (!domain_is_hole(path, holes, count, &around)) {
			if (around)
				domain_allow_entries(domain, path, holes, count, rights);
			else
				domain_allow_open(domain, openat(dirfd(dir), name, O_PATH | O_NOFOLLOW | O_CLOEXEC), rights);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
}

void
domain_allow_around(struct domain *domain, const char *path, const char *const *holes, size_t count, unsigned rights)
{
	char *folder = realpath(path, NULL);
	bool around = false;

	if (domain->fd >= 0 && folder) {
		if (strcmp(folder, "/") == 0)
			*folder = '\0';
		if (!domain_is_hole(folder, holes, count, &around)) {
			if (around)
				domain_allow_entries(domain, folder, holes, count, rights);
			else
				domain_allow(domain, *folder ? folder : "/", rights);
		}
	}
	free(folder);
}
