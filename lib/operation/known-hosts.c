/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/known-hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "json/record.h"
#include "operation/workdir.h"

enum { SSH_PORT = 22 };

static void
known_hosts_add_name(const char *name, int port, struct buffer *names)
{
	if (!name)
		return;
	if (names->length)
		buffer_byte(names, ',');
	if (port == SSH_PORT)
		buffer_text(names, name);
	else
		buffer_printf(names, "[%s]:%d", name, port);
}

/* Appends all names of the node, its addresses and its host name, with commas between. */
static void
known_hosts_join_names(jv node, int port, struct buffer *names)
{
	jv addresses = json_get(node, "ipaddresses"), host = json_get(node, "hostname");

	if (jv_get_kind(addresses) == JV_KIND_OBJECT) {
		jv_object_foreach(addresses, type, address) {
			known_hosts_add_name(json_string(address), port, names);
			jv_free(address);
			jv_free(type);
		}
	}
	known_hosts_add_name(json_string(host), port, names);
	jv_free(host);
	jv_free(addresses);
}

/* Adds the line of the bastion that leads to the node. */
static void
known_hosts_add_bastion(jv auth, struct buffer *lines)
{
	jv bastion = json_get(auth, "bastion");
	char *host = json_get_string(bastion, "host"), *key = json_get_string(bastion, "hostkey");
	struct buffer name = {0};

	known_hosts_add_name(host, (int)json_get_number(bastion, "port", SSH_PORT), &name);
	if (host && key && !key[strcspn(key, "\n\r\t")])
		buffer_printf(lines, "%s %s\n", name.data, key);
	buffer_release(&name);
	free(key);
	free(host);
	jv_free(bastion);
}

/* Prints one line for each key. One that holds a control character came from no sshd, and could make a line of its own. */
void
known_hosts_add(jv node, struct buffer *lines)
{
	jv facts = json_get(node, "facts"), keys = json_get(facts, "ssh_host_keys"), auth = json_get(facts, "ssh-auth");
	struct buffer names = {0};

	known_hosts_join_names(node, (int)json_get_number(auth, "port", SSH_PORT), &names);
	if (names.length && jv_get_kind(keys) == JV_KIND_OBJECT) {
		jv_object_foreach(keys, algorithm, key) {
			const char *text = json_string(key);

			if (text && !text[strcspn(text, "\n\r\t")])
				buffer_printf(lines, "%s %s\n", names.data, text);
			jv_free(key);
			jv_free(algorithm);
		}
	}
	known_hosts_add_bastion(auth, lines);
	buffer_release(&names);
	jv_free(auth);
	jv_free(keys);
	jv_free(facts);
}

int
known_hosts_keep(const struct workdir *workdir, const char *layout, struct error *err)
{
	char *path = workdir_path(workdir, layout);
	struct record_reader reader;
	struct buffer lines = {0};
	int got = record_reader_open(&reader, path, err);
	jv record;

	while (got == 0 && (got = record_read(&reader, &record, err)) > 0) {
		if (strcmp(record_kind(record), "node") == 0)
			known_hosts_add(record, &lines);
		jv_free(record);
		got = 0;
	}
	if (got == 0)
		got = workdir_write(workdir, "known_hosts", buffer_string(&lines), lines.length, err);
	record_reader_release(&reader);
	buffer_release(&lines);
	free(path);
	return got;
}
