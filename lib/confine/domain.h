/* SPDX-License-Identifier: Apache-2.0
 *
 * A Landlock domain, landlock(7): what may be done with files, with TCP, and with processes outside, by a process and all that it ever
 * starts. Everything is refused that was not allowed before the domain is entered. Where the kernel has no Landlock, or not all of
 * it, a domain refuses less, or nothing, and no call here fails.
 */
#ifndef CONFINE_DOMAIN_H
#define CONFINE_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum domain_right {
	DOMAIN_READ_FILE = 1 << 0,
	DOMAIN_LIST = 1 << 1,
	DOMAIN_RUN = 1 << 2,
	DOMAIN_APPEND = 1 << 3, /* write to files that exist, and make new ones */
	DOMAIN_CHANGE = 1 << 4, /* anything but reading, and making devices: by one, root would read a disk whole */
	DOMAIN_REMOVE = 1 << 5, /* remove files */
	DOMAIN_READ = DOMAIN_READ_FILE | DOMAIN_LIST | DOMAIN_RUN,
};

struct domain {
	int fd; /* of the ruleset; -1 where there is none */
	uint64_t handled;
};

/* Returns the version of the kernel's Landlock, 0 where it has none. */
int domain_version(void);

/* Begins one in which nothing is allowed, but TCP where network says so. */
void domain_open(struct domain *domain, bool network);
void domain_close(struct domain *domain);

/* Allows rights (of enum domain_right) to path and to all below it, now and later. Nothing is allowed where there is none. */
void domain_allow(struct domain *domain, const char *path, unsigned rights);

/* Allows the same, but not to what is in, or below, any of the holes, which are canonical paths. What appears later in a folder around
 * a hole is not allowed. */
void domain_allow_around(struct domain *domain, const char *path, const char *const *holes, size_t count, unsigned rights);

#endif
