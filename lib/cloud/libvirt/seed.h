/* SPDX-License-Identifier: Apache-2.0
 *
 * The disk from which cloud-init takes what a machine is to be at its first start, its data source NoCloud: a file system of ISO 9660 with the
 * label CIDATA and two files. It is made in memory, as it has a private key in it.
 */
#ifndef CLOUD_LIBVIRT_SEED_H
#define CLOUD_LIBVIRT_SEED_H

struct buffer;
struct cloud;
struct key_pair;

struct seed {
	const char *instance;  /* by whose change cloud-init knows another machine */
	const char *hostname;
	const struct cloud *cloud;
	const char *key;       /* that opens it */
	const struct key_pair *host_key; /* that the machine is to show */
};

/* Writes the disk, which the caller releases after sodium_memzero. */
void seed_write(const struct seed *seed, struct buffer *disk);

#endif
