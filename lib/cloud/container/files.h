/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a container a machine: files that are put into it before it starts, in a tar as the daemon takes it, and the words that start sshd
 * with them. The image needs sshd and a shell, and nothing in it is changed but CONTAINER_FOLDER.
 */
#ifndef CLOUD_CONTAINER_FILES_H
#define CLOUD_CONTAINER_FILES_H

#include <stddef.h>

struct error;
struct key_pair;

#define CONTAINER_PARENT "/etc/ssh"
#define CONTAINER_FOLDER CONTAINER_PARENT "/coopr"

/* The script for /bin/sh -c; it ends with 127 where there is no sshd. */
extern const char container_start[];

/* Sets *tar, which the caller wipes and frees, to the files: the private host key, and the key that logs in, as any user. */
int container_pack(const struct key_pair *host_key, const char *key, char **tar, size_t *length, struct error *err);

#endif
