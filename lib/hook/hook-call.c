/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/hook-call.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/process.h"
#include "base/toolbox.h"
#include "hook/hook-list.h"
#include "json/json.h"
#include "store/key.h"
#include "store/outbox.h"
#include "store/secrets.h"
#include "store/store.h"

enum { SAID_BYTES = 64 * 1024, KEY_BYTES = 64 * 1024, TIMED_OUT = 124, KILLED = 137 };

/* Copies the last line of text that is not blank, as much as fits. */
static void
hook_last_line(const struct buffer *text, char *line, size_t size)
{
	size_t end = text->length, begin;

	while (end && strchr(" \t\r\n", text->data[end - 1]))
		end--;
	for (begin = end; begin && text->data[begin - 1] != '\n'; begin--)
		;
	if (end - begin >= size)
		end = begin + size - 1;
	if (end > begin)
		memcpy(line, text->data + begin, end - begin);
	line[end - begin] = '\0';
}

static enum hook_answer
hook_call_answer(const struct hook *hook, enum hook_answer kind, const char *reason, struct error *err)
{
	error_set(err, kind == HOOK_REFUSES ? EX_NO : EX_TEMPFAIL, "hook %s: %s", hook->name, reason);
	return kind;
}

/* timeout(1) ends all that the program has started. */
static enum hook_answer
hook_call_program(const struct hook *hook, const struct outbox_message *message, struct error *err)
{
	struct arguments argv = {0};
	struct buffer said = {0};
	char line[500], reason[560];
	int code;

	toolbox_push_unasked(&argv);
	arguments_push_all(&argv, "timeout", "--kill-after=5", NULL);
	arguments_printf(&argv, "%lld", (long long)hook->timeout_s);
	arguments_push_all(&argv, hook->program, message->event, message->operation, NULL);
	code = process_run(argv.list, message->body, strlen(message->body), &said, &said, SAID_BYTES, err);
	hook_last_line(&said, line, sizeof line);
	arguments_release(&argv);
	buffer_release(&said);
	if (code == 0)
		return HOOK_ACCEPTS;
	if (code < 0)
		return hook_call_answer(hook, HOOK_FAILS, "it cannot be run", err);
	if (code == TIMED_OUT || code == KILLED)
		return hook_call_answer(hook, HOOK_FAILS, "it has not ended in time", err);
	snprintf(reason, sizeof reason, "%s", line);
	if (!*line)
		snprintf(reason, sizeof reason, "exit code %d", code);
	return hook_call_answer(hook, code == EX_TEMPFAIL ? HOOK_FAILS : HOOK_REFUSES, reason, err);
}

/* Reads the key from a file that nobody else may read; a newline at its end does not belong to it. */
static int
hook_read_key_file(const char *path, struct buffer *key, struct error *err)
{
	int fd = file_open(AT_FDCWD, path, O_RDONLY, 0, err);
	struct stat st;
	int result;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && (st.st_mode & 077))
		result = error_set(err, EX_CONFIG, "%s: others may read this secret; it needs chmod 600", path);
	else
		result = file_read_fd(fd, path, KEY_BYTES, key, err);
	close(fd);
	while (result == 0 && key->length && strchr("\r\n", key->data[key->length - 1]))
		key->length--;
	if (result == 0 && key->length == 0)
		result = error_set(err, EX_CONFIG, "%s: it is empty", path);
	return result;
}

static int
hook_read_key_store(const char *name, const char *tenant, struct buffer *key, struct error *err)
{
	struct secret_value value;
	struct store_key sealing;
	struct store *store;
	int result = store_open(&store, NULL, STORE_READ, tenant ? tenant : "default", err);

	if (result == 0 && (result = store_key_read(store, &sealing, err)) == 0) {
		result = secrets_open(store, &sealing, 0, name, &value, err);
		if (result == 0) {
			buffer_append(key, value.text, value.length);
			secret_value_release(&value);
		}
		store_key_release(&sealing);
	}
	store_release(store);
	return result;
}

/* Appends the header that proves who sends the body; nothing where the hook has no secret. */
static int
hook_sign(const struct hook *hook, const struct outbox_message *message, struct buffer *header, struct error *err)
{
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	char hex[2 * sizeof mac + 1];
	crypto_auth_hmacsha256_state state;
	struct buffer key = {0};
	int result;

	if (!hook->secret && !hook->secretfile)
		return 0;
	result = sodium_init() < 0 ? error_set(err, EX_OSERR, "libsodium cannot be used")
	    : hook->secretfile     ? hook_read_key_file(hook->secretfile, &key, err)
	                           : hook_read_key_store(hook->secret, message->tenant, &key, err);
	if (result == 0) {
		crypto_auth_hmacsha256_init(&state, (unsigned char *)key.data, key.length);
		crypto_auth_hmacsha256_update(&state, (const unsigned char *)message->body, strlen(message->body));
		crypto_auth_hmacsha256_final(&state, mac);
		buffer_printf(header, "Coopr-Signature: sha256=%s", sodium_bin2hex(hex, sizeof hex, mac, sizeof mac));
		sodium_memzero(&state, sizeof state);
	}
	if (key.data)
		sodium_memzero(key.data, key.capacity);
	buffer_release(&key);
	return result;
}

static jv
hook_header(const char *name, const char *value)
{
	return jv_string_fmt("%s: %s", name, value);
}

/* Appends what http-post is told. */
static void
hook_print_order(const struct hook *hook, const struct outbox_message *message, const char *signature, struct buffer *out)
{
	jv order = jv_object(), headers = jv_array();

	headers = jv_array_append(headers, jv_string("Content-Type: application/json"));
	headers = jv_array_append(headers, hook_header("Coopr-Event", message->event));
	headers = jv_array_append(headers, hook_header("Coopr-Delivery", message->id));
	if (signature)
		headers = jv_array_append(headers, jv_string(signature));
	json_set(&order, "headers", headers);
	json_set_string(&order, "body", message->body);
	json_set_string(&order, "url", hook->url);
	json_set_number(&order, "timeout_s", (double)hook->timeout_s);
	json_dump(order, out);
	jv_free(order);
}

/* Turns the status of a response into an answer; its text is the reason. */
static enum hook_answer
hook_judge(const struct hook *hook, const struct buffer *said, struct error *err)
{
	char line[500], reason[560];
	struct buffer text = {0};
	char *status_end;
	long status = said->data ? strtol(said->data, &status_end, 10) : 0;

	if (status >= 200 && status < 300)
		return HOOK_ACCEPTS;
	if (said->data)
		buffer_text(&text, status_end);
	hook_last_line(&text, line, sizeof line);
	buffer_release(&text);
	snprintf(reason, sizeof reason, "%ld%s%s", status, *line ? ": " : "", line);
	return hook_call_answer(hook, status >= 400 && status < 500 && status != 408 && status != 429 ? HOOK_REFUSES : HOOK_FAILS,
	    reason, err);
}

static enum hook_answer
hook_call_url(const struct hook *hook, const struct outbox_message *message, struct error *err)
{
	struct buffer order = {0}, signature = {0}, said = {0}, log = {0};
	char *program = location_installed("libexec/coopr/http-post"), *argv[] = {program, NULL}, line[500];
	enum hook_answer result;
	int code;

	if (hook_sign(hook, message, &signature, err) < 0) {
		result = HOOK_FAILS;
		error_prefix(err, "hook %s", hook->name);
	} else {
		hook_print_order(hook, message, signature.data, &order);
		code = process_run(argv, order.data, order.length, &said, &log, SAID_BYTES, err);
		hook_last_line(&log, line, sizeof line);
		result = code == 0 ? hook_judge(hook, &said, err) : hook_call_answer(hook, HOOK_FAILS,
		    code > 0 ? line : "it cannot be called", err);
	}
	buffer_release(&order);
	buffer_release(&signature);
	buffer_release(&said);
	buffer_release(&log);
	free(program);
	return result;
}

enum hook_answer
hook_call(const struct hook *hook, const struct outbox_message *message, struct error *err)
{
	return hook->program ? hook_call_program(hook, message, err) : hook_call_url(hook, message, err);
}
