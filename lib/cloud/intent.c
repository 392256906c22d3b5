/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/intent.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "cloud/cloud.h"
#include "json/json.h"

enum { TOKEN_BYTES = 16, INTENT_BYTES = 64 * 1024 };

static const char *
intent_random(struct arena *arena)
{
	unsigned char bytes[TOKEN_BYTES];
	char text[2 * TOKEN_BYTES + 1];

	randombytes_buf(bytes, sizeof bytes);
	return arena_string(arena, sodium_bin2hex(text, sizeof text, bytes, sizeof bytes));
}

/* Returns a name as one of a file, in which no two names are one: what is no letter, digit, - or . becomes _ and its number. */
static char *
intent_file_name(const char *name)
{
	struct buffer text = {0};

	for (const char *at = name; *at; at++)
		if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '-' || (*at == '.' && at > name))
			buffer_byte(&text, *at);
		else
			buffer_printf(&text, "_%02x", (unsigned char)*at);
	return buffer_take(&text);
}

/* Returns the folder of the provider's intents, or the file of a node's, which the caller frees. */
static char *
intent_path(const struct cloud *cloud, const char *node)
{
	char *state = location_state(), *provider = intent_file_name(cloud->name);
	char *file = node ? intent_file_name(node) : NULL, *path;

	path = memory_printf("%s/%s/%s%s%s", state, cloud->api->name, provider, node ? "/" : "", node ? file : "");
	free(file);
	free(provider);
	free(state);
	return path;
}

/* Returns when the last request was sent. The wall clock, which may jump, says no more than that one was: then it is taken to have been now, so
 * that a machine that may still appear is waited for. */
static int64_t
intent_asked(jv value)
{
	char boot[CLOCK_BOOT_ID_SIZE], *asked_in = json_get_string(value, "boot");
	int64_t now_ms = clock_boottime_ms(), asked_ms = now_ms;

	if (json_get_number(value, "asked_ms", 0) <= 0)
		asked_ms = 0;
	else if (asked_in && strcmp(asked_in, clock_boot_id(boot)) == 0)
		asked_ms = (int64_t)json_get_number(value, "asked_boottime_ms", (double)now_ms);
	free(asked_in);
	return asked_ms < now_ms ? asked_ms : now_ms;
}

bool
intent_read(const struct cloud *cloud, const char *node, struct arena *arena, struct intent *intent)
{
	char *path = intent_path(cloud, node);
	struct buffer text = {0};
	struct error ignored;
	jv value = jv_invalid();

	*intent = (struct intent){.token = NULL};
	if (file_read(AT_FDCWD, path, INTENT_BYTES, &text, &ignored) == 0 &&
	    json_parse(path, text.data, text.length, &value, &ignored) == 0) {
		jv kept = json_get(value, "kept");

		intent->token = json_arena_string(value, "token", arena);
		intent->asked_ms = intent_asked(value);
		intent->since_ms = (int64_t)json_get_number(value, "since_ms", json_get_number(value, "asked_ms", 0));
		intent->choice = (int64_t)json_get_number(value, "choice", 0);
		intent->kept = jv_get_kind(kept) == JV_KIND_TRUE;
		jv_free(kept);
	}
	jv_free(value);
	buffer_release(&text);
	free(path);
	return intent->token != NULL;
}

void
intent_draw(struct intent *intent, struct arena *arena)
{
	*intent = (struct intent){.token = intent_random(arena), .choice = intent->choice};
}

int
intent_write(const struct cloud *cloud, const char *node, const struct intent *intent, struct error *err)
{
	char *folder = intent_path(cloud, NULL), *path = intent_path(cloud, node);
	char boot[CLOCK_BOOT_ID_SIZE];
	struct buffer text = {0};
	jv value = jv_object();
	int result;

	json_set_string(&value, "token", intent->token);
	/* For people, and for earlier versions, which go by it. */
	json_set_number(&value, "asked_ms", intent->asked_ms ? (double)(clock_wall_ms() - (clock_boottime_ms() - intent->asked_ms)) : 0);
	json_set_number(&value, "asked_boottime_ms", (double)intent->asked_ms);
	json_set_string(&value, "boot", clock_boot_id(boot));
	json_set_number(&value, "since_ms", (double)intent->since_ms);
	if (intent->choice > 0)
		json_set_number(&value, "choice", (double)intent->choice);
	json_set(&value, "kept", intent->kept ? jv_true() : jv_false());
	json_set_string(&value, "node", node);
	json_dump(value, &text);
	buffer_byte(&text, '\n');
	result = file_make_dirs(AT_FDCWD, folder, 0700, err);
	if (result == 0)
		result = file_replace(AT_FDCWD, path, text.data, text.length, 0600, err);
	jv_free(value);
	buffer_release(&text);
	free(path);
	free(folder);
	return result;
}

int
intent_remove(const struct cloud *cloud, const char *node, struct error *err)
{
	char *path = intent_path(cloud, node);
	int result = file_remove(AT_FDCWD, path, err);

	free(path);
	return result;
}

const char *
intent_installation(const char *plugin, struct arena *arena, struct error *err)
{
	char *state = location_state(), *folder = memory_printf("%s/%s", state, plugin), *path = memory_printf("%s/installation", folder);
	struct buffer text = {0};
	const char *id = NULL;
	int result = file_make_dirs(AT_FDCWD, folder, 0700, err);

	/* Of two who draw one at a time, one makes the file, and the other reads that. */
	if (result == 0 && !file_exists(AT_FDCWD, path)) {
		id = intent_random(arena);
		result = file_make(AT_FDCWD, path, id, strlen(id), 0600, err);
	}
	if (result == 0 && file_read(AT_FDCWD, path, INTENT_BYTES, &text, err) == 0)
		id = arena_substring(arena, buffer_string(&text), strcspn(buffer_string(&text), "\r\n"));
	else
		id = NULL;
	buffer_release(&text);
	free(path);
	free(folder);
	free(state);
	return id;
}
