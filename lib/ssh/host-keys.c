/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/host-keys.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "model/take/task.h"
#include "ssh/ssh.h"

enum { OUTPUT_BYTES = 64 * 1024, KEYS = 16 };

int
host_keys_scan(const struct machine *machine, struct arena *arena, struct string_list *keys, struct error *err)
{
	struct buffer shown = {0}, said = {0};
	char name[SSH_NAME_SIZE], *text, *line;
	struct arguments argv = {0};
	int failed;

	ssh_name(machine, name);
	if (!machine->address)
		return error_set(err, EX_TEMPFAIL, "%s: its address is not known", name);
	arguments_push_all(&argv, "ssh-keyscan", "-T", "10", "-t", "ed25519,ecdsa,rsa", "-p", NULL);
	arguments_printf(&argv, "%lld", (long long)machine->port);
	arguments_push_all(&argv, "--", machine->address, NULL);
	failed = process_run(argv.list, NULL, 0, &shown, &said, OUTPUT_BYTES, err) < 0;
	*keys = (struct string_list){0};
	text = shown.data;
	if (!failed)
		keys->list = arena_alloc(arena, KEYS, sizeof *keys->list);
	/* Lines "HOST ALGORITHM KEY", comments between. */
	while (!failed && text && (line = strsep(&text, "\n")) && keys->count < KEYS) {
		const char *key = strchr(line, ' ');

		if (*line != '#' && key && strchr(key + 1, ' '))
			keys->list[keys->count++] = arena_string(arena, key + 1);
	}
	if (!failed && keys->count == 0)
		failed = error_set(err, EX_TEMPFAIL, "%s: cannot be reached: it shows no host key", name);
	arguments_release(&argv);
	buffer_release(&shown);
	buffer_release(&said);
	return failed ? -1 : 0;
}

/* Names the key "ssh-ed25519" ed25519, "ecdsa-sha2-nistp256" ecdsa, "ssh-rsa" rsa. */
jv
host_keys_pin(const struct string_list *keys)
{
	jv pinned = jv_object();

	for (size_t i = 0; i < keys->count; i++) {
		const char *key = keys->list[i];
		size_t length;

		if (strncmp(key, "ssh-", 4) == 0)
			key += 4;
		length = strcspn(key, "- ");
		pinned = jv_object_set(pinned, jv_string_sized(key, (int)length), jv_string(keys->list[i]));
	}
	return pinned;
}
