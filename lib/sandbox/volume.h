/* SPDX-License-Identifier: Apache-2.0
 *
 * Volumes of machines: each a folder in "sandbox-volumes" of location_state(), whose disk is a file system of its own in a sparse file.
 * They are no part of the sandbox's folder, and go with no machine. What is in such a folder, which is locked around all that is done
 * with it:
 *
 *	disk      the file system; not there until it is whole
 *	volume    one line of JSON: which it is, and the machine that has it mounted, or had; written before it is mounted
 *
 * The disk is mounted for one machine at a time. A machine has it as long as its processes live, and no other gets it before.
 */
#ifndef SANDBOX_VOLUME_H
#define SANDBOX_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct error;

struct sandbox_volume { /* strings are borrowed; any but id may be NULL */
	const char *id;
	const char *provider; /* its entity */
	const char *node, *machine; /* that has it, or had it last */
	const char *of;       /* the volume or snapshot that it is a copy of */
	const char *path;     /* where it is mounted */
	int64_t size_gb;
	bool keep;
};

/* Makes the volume, if it is not there, and mounts it in the machine, which runs, if it is not. Fails with EX_TEMPFAIL where another
 * machine that runs has it. */
int volume_attach(const struct sandbox_volume *wanted, struct error *err);

/* Ends that the machine, which does not run any more, has the volume, and removes it unless it is kept. One that another machine has, or
 * that is not there, is fine. */
int volume_release(const struct sandbox_volume *volume, struct error *err);

/* Makes a copy of the volume that it is of, at one moment. Fails with EX_TEMPFAIL where a machine is using that and the file system cannot
 * do it. Again is fine. */
int volume_snapshot(const struct sandbox_volume *wanted, struct error *err);

/* Removes the volume. One that is not there is fine; EX_TEMPFAIL where a machine that runs has it. */
int volume_discard(const struct sandbox_volume *volume, struct error *err);

/* Calls each for all that there are, by id. */
int volume_list(void (*each)(const struct sandbox_volume *volume), struct error *err);

#endif
