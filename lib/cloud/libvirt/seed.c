/* SPDX-License-Identifier: Apache-2.0
 *
 * Sectors of 2048 bytes: 16 is the descriptor of the volume, 17 the last one, 18 and 19 are the tables of paths, 20 is the root folder, and from 21
 * on are the files; readers look at more sectors than a small one needs. Numbers are written twice, in both orders of bytes.
 */
#include "cloud/libvirt/seed.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cloud/cloud.h"
#include "content/key-pair.h"

enum { SECTOR = 2048, DESCRIPTOR = 16, PATHS = 18, ROOT = 20, FILES = 21, LEAST = 64, RECORD = 33, PATH_TABLE = 10 };

static void
seed_put16(unsigned char *at, unsigned number)
{
	at[0] = at[3] = (unsigned char)number;
	at[1] = at[2] = (unsigned char)(number >> 8);
}

static void
seed_put32(unsigned char *at, uint32_t number)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = at[7 - i] = (unsigned char)(number >> 8 * i);
}

/* Writes the record of a file or, of flags 2, a folder. Returns its length. */
static size_t
seed_put_record(unsigned char *at, const char *name, size_t name_length, unsigned flags, uint32_t sector, uint32_t length)
{
	size_t size = (RECORD + name_length + 1) & ~(size_t)1;

	at[0] = (unsigned char)size;
	seed_put32(at + 2, sector);
	seed_put32(at + 10, length);
	at[18] = 100, at[19] = at[20] = 1; /* it was made in 2000 */
	at[25] = (unsigned char)flags;
	seed_put16(at + 28, 1);
	at[32] = (unsigned char)name_length;
	memcpy(at + RECORD, name, name_length);
	return size;
}

static void
seed_put_descriptor(unsigned char *at, uint32_t sectors)
{
	static const char label[] = "CIDATA";

	memcpy(at, "\1CD001\1", 7);
	memset(at + 8, ' ', 64);
	memcpy(at + 40, label, strlen(label));
	seed_put32(at + 80, sectors);
	seed_put16(at + 120, 1);
	seed_put16(at + 124, 1);
	seed_put16(at + 128, SECTOR);
	seed_put32(at + 132, PATH_TABLE);
	at[140] = PATHS;
	at[151] = PATHS + 1;
	seed_put_record(at + 156, "", 1, 2, ROOT, SECTOR);
	memset(at + 190, ' ', 623);
	memset(at + 813, '0', 16);
	memset(at + 830, '0', 16);
	memset(at + 847, '0', 16);
	memset(at + 864, '0', 16);
	at[881] = 1;
	memcpy(at + SECTOR, "\377CD001\1", 7);
}

static void
seed_put_paths(unsigned char *at)
{
	at[0] = at[SECTOR] = 1; /* the length of the root's name */
	at[2] = at[SECTOR + 5] = ROOT;
	at[6] = at[SECTOR + 7] = 1;
}

/* Linux shows these names in small letters, and without what is behind them. */
static void
seed_put_files(unsigned char *disk, const char *meta_data, const char *user_data)
{
	static const char meta_name[] = "META-DATA.;1", user_name[] = "USER-DATA.;1";
	uint32_t meta_length = (uint32_t)strlen(meta_data), user_length = (uint32_t)strlen(user_data);
	uint32_t user_sector = FILES + (meta_length + SECTOR - 1) / SECTOR;
	unsigned char *at = disk + ROOT * SECTOR;

	at += seed_put_record(at, "", 1, 2, ROOT, SECTOR);
	at += seed_put_record(at, "\1", 1, 2, ROOT, SECTOR);
	at += seed_put_record(at, meta_name, strlen(meta_name), 0, FILES, meta_length);
	seed_put_record(at, user_name, strlen(user_name), 0, user_sector, user_length);
	memcpy(disk + FILES * SECTOR, meta_data, meta_length);
	memcpy(disk + (size_t)user_sector * SECTOR, user_data, user_length);
}

static void
seed_write_files(const char *meta_data, const char *user_data, struct buffer *disk)
{
	uint32_t sectors = FILES + (uint32_t)((strlen(meta_data) + SECTOR - 1) / SECTOR + (strlen(user_data) + SECTOR - 1) / SECTOR);
	size_t length;
	unsigned char *bytes;

	if (sectors < LEAST)
		sectors = LEAST;
	length = (size_t)sectors * SECTOR;
	bytes = (unsigned char *)buffer_room(disk, length);
	memset(bytes, 0, length);
	seed_put_descriptor(bytes + DESCRIPTOR * SECTOR, sectors);
	seed_put_paths(bytes + PATHS * SECTOR);
	seed_put_files(bytes, meta_data, user_data);
	disk->length += length;
}

/* Appends the private key as a block of YAML. */
static void
seed_add_key(const struct key_pair *key, struct buffer *text)
{
	const char *line = key->private;

	buffer_text(text, "ssh_deletekeys: true\nssh_keys:\n  ed25519_private: |\n");
	while (*line) {
		size_t length = strcspn(line, "\n");

		buffer_text(text, "    ");
		buffer_append(text, line, length);
		buffer_byte(text, '\n');
		line += length + (line[length] == '\n');
	}
	buffer_printf(text, "  ed25519_public: %s\n", key->public);
}

void
seed_write(const struct seed *seed, struct buffer *disk)
{
	char *meta_data = memory_printf("instance-id: %s\nlocal-hostname: %s\n", seed->instance, seed->hostname);
	struct buffer host_key = {0}, user_data = {0};

	/* Room for all of it at once: no copy is left behind where it grows. */
	buffer_room(&host_key, 2 * seed->host_key->length + SECTOR);
	seed_add_key(seed->host_key, &host_key);
	buffer_room(&user_data, 2 * host_key.length + SECTOR);
	cloud_user_data(seed->cloud, seed->key, buffer_string(&host_key), &user_data);
	sodium_memzero(host_key.data, host_key.length);
	buffer_release(&host_key);
	seed_write_files(meta_data, buffer_string(&user_data), disk);
	sodium_memzero(user_data.data, user_data.length);
	buffer_release(&user_data);
	free(meta_data);
}
