/* SPDX-License-Identifier: Apache-2.0
 *
 * The disk that cloud-init reads, read by libarchive, which shares no code with what writes it.
 */
#include "cloud/libvirt/seed.h"

#include <archive.h>
#include <archive_entry.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "cloud/cloud.h"
#include "content/key-pair.h"
#include "tap.h"

enum { SECTOR = 2048, LABEL_AT = 16 * SECTOR + 40 };

/* Appends the file of that name. */
static bool
read_file(const struct buffer *disk, const char *name, struct buffer *out)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	char bytes[SECTOR];
	bool found = false;
	la_ssize_t n;

	archive_read_support_format_iso9660(archive);
	if (archive_read_open_memory(archive, disk->data, disk->length) == ARCHIVE_OK)
		while (archive_read_next_header(archive, &entry) == ARCHIVE_OK)
			if (strcmp(archive_entry_pathname(entry), name) == 0)
				for (found = true; (n = archive_read_data(archive, bytes, sizeof bytes)) > 0;)
					buffer_append(out, bytes, (size_t)n);
	archive_read_free(archive);
	return found;
}

/* Returns the document that has ours, which others may be before: one of an archive is a string of JSON. */
static char *
ours_of(const char *user_data)
{
	const char *start = strchr(user_data, '['), *end = strrchr(user_data, ']');
	struct error err;
	jv list, document;
	char *text;

	if (strncmp(user_data, "#cloud-config-archive\n", strlen("#cloud-config-archive\n")) != 0)
		return memory_string(user_data);
	if (!start || !end || json_parse("archive", start, (size_t)(end + 1 - start), &list, &err) < 0)
		return memory_string("");
	document = json_element(list, 1);
	text = json_get_string(document, "content");
	jv_free(document);
	jv_free(list);
	return text;
}

static void
test_seed(const char *hostname, const char *cloud_config, const struct key_pair *pair, const char *what)
{
	const struct cloud cloud = {.cloud_config = cloud_config};
	struct buffer disk = {0}, meta = {0}, user = {0}, key = {0};
	char *wanted = memory_printf("instance-id: 4dea22b3\nlocal-hostname: %s\n", hostname), *line = NULL, *rest, *ours;

	seed_write(&(struct seed){"4dea22b3", hostname, &cloud, "ssh-ed25519 AAAA ours", pair}, &disk);
	tap_ok(disk.length % SECTOR == 0 && memcmp(disk.data + LABEL_AT, "CIDATA  ", 8) == 0, "%s: the label is CIDATA, and sectors are whole", what);
	tap_ok(read_file(&disk, "META-DATA", &meta) && strcmp(buffer_string(&meta), wanted) == 0, "%s: meta-data", what);
	tap_ok(read_file(&disk, "USER-DATA", &user) && strstr(buffer_string(&user), "  - ssh-ed25519 AAAA ours"), "%s: user-data admit the key", what);
	tap_ok(!cloud_config || strstr(buffer_string(&user), "packages"), "%s: user-data have the provider's document", what);
	ours = ours_of(buffer_string(&user));
	rest = strstr(ours, "ed25519_private: |\n");
	for (rest = rest ? strchr(rest, '\n') + 1 : NULL; rest && (line = strsep(&rest, "\n")) && strncmp(line, "    ", 4) == 0;)
		buffer_printf(&key, "%s\n", line + 4);
	tap_ok(strcmp(buffer_string(&key), pair->private) == 0, "%s: the private key is a block of YAML", what);
	tap_ok(rest && line && strstr(line, pair->public), "%s: the public one stands behind it", what);
	free(ours);
	free(wanted);
	buffer_release(&key);
	buffer_release(&user);
	buffer_release(&meta);
	buffer_release(&disk);
}

int
main(void)
{
	struct key_pair pair;
	struct error err;
	char *large = memory_zeroed(3 * SECTOR + 2, 1), *hostname = memory_zeroed(SECTOR - 40, 1);

	if (key_pair_make("test", &pair, &err) < 0)
		return 1;
	memset(large, '#', 3 * SECTOR);
	memcpy(large, "#cloud-config\npackages: [nginx]\n", strlen("#cloud-config\npackages: [nginx]\n"));
	large[3 * SECTOR] = '\n';
	memset(hostname, 'a', SECTOR - 41);
	test_seed("shop42-1000", NULL, &pair, "a small one");
	test_seed(hostname, large, &pair, "one of several sectors");
	sodium_free(pair.private);
	free(pair.public);
	free(hostname);
	free(large);
	return tap_end();
}
