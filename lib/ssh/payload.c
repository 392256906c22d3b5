/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/payload.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "content/content.h"
#include "model/take/task.h"
#include "ssh/lookup.h"
#include "ssh/shell-words.h"

#define NODE_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Takes the payload from stdin to a file of its own and becomes it. One line with neither "!" nor single
 * quotes, so that any login shell hands it on as it is. Everything is in functions or behind node_...: what
 * breaks off half way does nothing. */
static const char first_words[] =
    "nonce=$2; echo \"coopr-begin $2\"; echo \"coopr-begin $2\" >&2; "
    "PATH=" NODE_PATH "; LC_ALL=C; export PATH LC_ALL; umask 077; "
    "base=${TMPDIR:-/tmp}/coopr.$2; memory=; mkdir -m 700 \"$base\" && mkdir -m 700 \"$base/work\" || { rmdir \"$base\" 2>/dev/null; exit 75; }; "
    "trap \"rm -rf \\\"\\$base\\\" \\\"\\$memory\\\"\" EXIT; trap \"exit 143\" TERM HUP INT; ";

/* Makes $memory, the directory for what has secrets in it, where that is on no disk, and takes the part for it: byte by byte, since what
 * follows is for another program to read. */
static const char memory_words[] =
    "code=78; for up in /run /dev/shm; do memory=$up/coopr.$2; if mkdir -m 700 \"$memory\" 2>/dev/null; then "
    "case $(stat -f -c %T \"$memory\" 2>/dev/null) in tmpfs|ramfs) break ;; esac; rmdir \"$memory\"; "
    "elif [ -w $up ]; then code=75; fi; memory=; done; "
    "case $code$memory in 75) echo \"there is no space for secrets in /run or /dev/shm\" >&2; exit 75 ;; "
    "78) echo \"neither /run nor /dev/shm keeps files in memory (tmpfs), and secrets are written to no disk; "
    "mount a tmpfs there, or see the field secrets in coopr-shell(7)\" >&2; exit 78 ;; esac; "
    "dd ibs=1 obs=65536 count=\"$3\" >\"$memory/payload\" 2>/dev/null || { echo \"there is no space for secrets in $up\" >&2; exit 75; }; ";

static const char last_words[] = "head -c \"$1\" >\"$base/payload\" && . \"$base/payload\"";

/* Appends a command that writes the file: NUL cannot stand in a word, and goes into the format instead. One with secrets is in memory,
 * and found by a link. */
static void
payload_append_file(const struct bundle_file *file, struct buffer *out)
{
	const char *content = buffer_string(&file->content), *end = content + file->content.length;
	struct buffer format = {0}, words = {0};

	for (const char *start = content; start <= end;) {
		const char *nul = memchr(start, '\0', (size_t)(end - start)), *stop = nul ? nul : end;

		buffer_text(&format, nul ? "%s\\000" : "%s");
		buffer_byte(&words, ' ');
		shell_words_quote_bytes(start, (size_t)(stop - start), &words);
		start = stop + 1;
	}
	buffer_text(out, "printf ");
	shell_words_quote(format.data, out);
	buffer_append(out, words.data, words.length);
	buffer_text(out, file->has_secrets ? " >\"$memory\"/" : " >");
	shell_words_quote(file->name, out);
	if (file->has_secrets) {
		buffer_text(out, "\nln -s \"$memory\"/");
		shell_words_quote(file->name, out);
		buffer_text(out, " .");
	}
	buffer_byte(out, '\n');
	buffer_release(&format);
	buffer_release(&words);
}

enum payload_part { PAYLOAD_WHOLE, PAYLOAD_SENT, PAYLOAD_CACHED }; /* of a bundle */

static bool
payload_is_in(const struct bundle_file *file, enum payload_part part)
{
	return part == PAYLOAD_WHOLE || file->cached == (part == PAYLOAD_CACHED);
}

/* Appends VERB './a' './b', one command for all folders of a part, or for all its files that can be executed; nothing if there is none. The
 * "./" keeps a name that begins with "-" from being an option. */
static void
payload_append_names(const char *verb, const struct bundle *bundle, enum payload_part part, bool folders, struct buffer *out)
{
	bool any = false;

	for (size_t i = 0; i < bundle->count; i++) {
		const struct bundle_file *file = &bundle->list[i];

		if (!payload_is_in(file, part) || (folders ? !file->is_folder : !file->executable))
			continue;
		buffer_text(out, any ? " ./" : verb);
		shell_words_quote(file->name, out);
		any = true;
	}
	if (any)
		buffer_byte(out, '\n');
}

/* Appends what makes the files of a part, those with secrets to the other buffer. */
static void
payload_append_files(const struct bundle *bundle, enum payload_part part, struct buffer *out, struct buffer *secrets)
{
	payload_append_names("mkdir ./", bundle, part, true, out);
	for (size_t i = 0; i < bundle->count; i++) {
		const struct bundle_file *file = &bundle->list[i];

		if (!file->is_folder && payload_is_in(file, part))
			payload_append_file(file, file->has_secrets ? secrets : out);
	}
	payload_append_names("chmod 700 ./", bundle, part, false, out);
}

/* Appends what makes all files. What is to be cached has a part of its own where it is worth to be asked for, and unless an archive goes
 * the same way. */
static void
payload_append_bundle(const struct task *task, const struct bundle *bundle, struct payload *payload, struct buffer *secrets)
{
	char digest[CONTENT_DIGEST_SIZE];
	size_t bytes = 0;

	for (size_t i = 0; i < bundle->count; i++)
		bytes += bundle->list[i].cached ? bundle->list[i].content.length : 0;
	if (bytes < PAYLOAD_CACHED_BYTES || action_moves_archive(task->action)) {
		payload_append_files(bundle, PAYLOAD_WHOLE, &payload->script, secrets);
		return;
	}
	payload_append_files(bundle, PAYLOAD_SENT, &payload->script, secrets);
	payload_append_files(bundle, PAYLOAD_CACHED, &payload->cached, secrets);
	buffer_text(&payload->cached, "cached=whole\n");
	content_digest(payload->cached.data, payload->cached.length, digest);
	buffer_printf(&payload->script, "node_cached %s %zu\n", digest, payload->cached.length);
}

/* Chooses how the script is run: by the interpreter of its #! line, by sh if it is a text without one, else directly. An
 * interpreter named here also serves where the file system of the directory lets nothing be executed. All that stands behind it
 * in the line is one argument, as the kernel takes it. */
static void
payload_append_interpreter(const struct bundle_file *script, struct buffer *out)
{
	const char *text = buffer_string(&script->content), *end, *rest;

	if (strncmp(text, "#!", 2) != 0) {
		buffer_text(out, memchr(text, '\0', script->content.length) ? "" : "/bin/sh ");
		return;
	}
	text += 2 + strspn(text + 2, " \t");
	end = text + strcspn(text, "\n");
	while (end > text && strchr(" \t\r", end[-1]))
		end--;
	rest = text + strcspn(text, " \t\n");
	rest = rest < end ? rest : end;
	shell_words_quote_bytes(text, (size_t)(rest - text), out);
	buffer_byte(out, ' ');
	rest += strspn(rest, " \t");
	if (rest < end) {
		shell_words_quote_bytes(rest, (size_t)(end - rest), out);
		buffer_byte(out, ' ');
	}
}

void
payload_each_variable(const struct task *task, void (*each)(void *context, const char *name, const char *value), void *context)
{
	char nodenum[32];

	snprintf(nodenum, sizeof nodenum, "%lld", (long long)task->machine.nodenum);
	each(context, "COOPR_ACTION", action_name(task->action));
	each(context, "COOPR_SERVICE", task->service);
	each(context, "COOPR_CLUSTER", task->cluster);
	each(context, "COOPR_CLUSTER_ID", task->cluster_id);
	each(context, "COOPR_HOSTNAME", task->machine.hostname);
	each(context, "COOPR_NODENUM", nodenum);
	each(context, "COOPR_NODE", task->machine.id);
}

static void
payload_append_variable(void *context, const char *name, const char *value)
{
	struct buffer *out = context;

	buffer_printf(out, "%s=", name);
	shell_words_quote(value ? value : "", out);
	buffer_printf(out, "\nexport %s\n", name);
}

/* Appends the file that the script's leader becomes: its environment, then itself. */
static void
payload_make_start(const struct task *task, const struct bundle_file *script, const struct arguments *args,
    struct buffer *out)
{
	buffer_text(out, "cd \"$COOPR_DIR\" || exit\numask 022\n");
	payload_append_variable(out, "PATH", NODE_PATH);
	payload_append_variable(out, "LC_ALL", "C.UTF-8");
	payload_each_variable(task, payload_append_variable, out);
	payload_append_variable(out, "COOPR_TASK", task->token);
	buffer_text(out, "exec ");
	payload_append_interpreter(script, out);
	buffer_text(out, "./");
	shell_words_quote(script->name, out);
	for (size_t i = 0; i < args->count; i++) {
		buffer_byte(out, ' ');
		shell_words_quote(args->list[i], out);
	}
	buffer_byte(out, '\n');
}

/* Makes the random text that only this payload's own lines hold, and begins the script with the program for the node. */
static int
payload_begin(struct payload *payload, struct error *err)
{
	unsigned char bytes[(PAYLOAD_NONCE_SIZE - 1) / 2];
	char *path;
	int failed;

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return error_errno(err, EX_OSERR, "getrandom");
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(payload->nonce + 2 * i, 3, "%02x", bytes[i]);
	path = location_installed("share/coopr/shell/node.sh");
	failed = file_read(AT_FDCWD, path, BUNDLE_BYTES, &payload->script, err);
	free(path);
	return failed;
}

/* Has the node know the others by name, where its provider gives them none. A question about a node changes nothing there. */
static int
payload_append_names_of_nodes(const struct task *task, struct buffer *out, struct error *err)
{
	if (!task || !task->machine.names_in_hosts || task->action == ACTION_STATUS)
		return 0;
	if (lookup_names(task->nodes, out, err) < 0)
		return -1;
	buffer_text(out, "node_names\n");
	return 0;
}

/* Puts the part with secrets before the rest. */
static void
payload_put_first(struct payload *payload, struct buffer *secrets)
{
	if (secrets->length == 0)
		return;
	payload->secrets = secrets->length;
	buffer_append(secrets, payload->script.data, payload->script.length);
	buffer_release(&payload->script);
	payload->script = *secrets;
}

/* Finds the file that is run. The folders that hold it stand before it. */
static const struct bundle_file *
payload_find_script(const struct bundle *bundle)
{
	const struct bundle_file *script = bundle->list;

	while (script->is_folder || (bundle->program && strcmp(script->name, bundle->program) != 0))
		script++;
	return script;
}

int
payload_run(const struct task *task, const struct bundle *bundle, const struct arguments *args,
    const char *user, struct payload *payload, struct error *err)
{
	struct buffer *out = &payload->script;
	struct bundle_file start = {.name = (char []){"../start"}};
	const struct bundle_file *script = payload_find_script(bundle);
	struct buffer key = {0}, secrets = {0};

	if (payload_begin(payload, err) < 0 || payload_append_names_of_nodes(task, out, err) < 0)
		return -1;
	buffer_text(out, "set -e\ncd \"$base/work\"\n");
	payload_append_bundle(task, bundle, payload, &secrets);
	buffer_text(out, secrets.length ? ". \"$memory/payload\"\nrm -f \"$memory/payload\"\n" : "");
	payload_make_start(task, script, args, &start.content);
	payload_append_file(&start, out);
	buffer_text(out, payload->ends_descendants ? "ends_descendants=yes\n" : "");
	buffer_text(out, "set +e\nnode_run ");
	/* This is the task's name among all that may run on the node; also a file's, so of names only. */
	buffer_printf(&key, "%s:%s", task->job ? task->job : task->machine.id, task->id);
	shell_words_quote(key.data, out);
	buffer_byte(out, ' ');
	shell_words_quote(user ? user : "", out);
	if (action_moves_archive(task->action))
		buffer_printf(out, " %s", action_name(task->action));
	buffer_byte(out, '\n');
	buffer_release(&start.content);
	buffer_release(&key);
	payload_put_first(payload, &secrets);
	return 0;
}

int
payload_check(const struct task *task, struct payload *payload, struct error *err)
{
	if (payload_begin(payload, err) < 0 || payload_append_names_of_nodes(task, &payload->script, err) < 0)
		return -1;
	buffer_text(&payload->script, "node_check\n");
	return 0;
}

int
payload_leave(const struct task *task, struct payload *payload, struct error *err)
{
	struct buffer *out = &payload->script;
	char *name;

	if (payload_begin(payload, err) < 0)
		return -1;
	if (task->machine.names_in_hosts && task->machine.hostname) {
		name = memory_printf(" %s ", task->machine.hostname);
		buffer_text(out, "each_name() { case $old_names in *");
		shell_words_quote(name, out);
		buffer_text(out, "*) ;; *) new_names=$old_names ;; esac; }\nnode_names\n");
		free(name);
	}
	buffer_text(out, "node_forget\nnode_check\n");
	return 0;
}

int
payload_admit(const struct task *task, const char *key, struct payload *payload, struct error *err)
{
	if (!task->cluster_id)
		return error_set(err, EX_DATAERR, "the task names no cluster");
	if (payload_begin(payload, err) < 0)
		return -1;
	buffer_text(&payload->script, "node_admit ");
	shell_words_quote(task->cluster_id, &payload->script);
	buffer_byte(&payload->script, ' ');
	shell_words_quote(key, &payload->script);
	buffer_text(&payload->script, "\nnode_check\n");
	return 0;
}

int
payload_dismiss(const struct task *task, struct payload *payload, struct error *err)
{
	if (!task->cluster_id)
		return error_set(err, EX_DATAERR, "the task names no cluster");
	if (payload_begin(payload, err) < 0)
		return -1;
	buffer_text(&payload->script, "node_dismiss ");
	shell_words_quote(task->cluster_id, &payload->script);
	buffer_text(&payload->script, "\nnode_check\n");
	return 0;
}

void
payload_command(const struct payload *payload, bool become_root, struct buffer *out)
{
	struct buffer words = {0};

	buffer_printf(&words, "%s%s%s", first_words, payload->secrets ? memory_words : "", last_words);
	buffer_text(out, become_root ? "exec sudo -n -- /bin/sh -c " : "exec /bin/sh -c ");
	shell_words_quote(words.data, out);
	buffer_printf(out, " coopr %zu %s", payload->script.length - payload->secrets, payload->nonce);
	if (payload->secrets)
		buffer_printf(out, " %zu", payload->secrets);
	buffer_release(&words);
}

void
payload_release(struct payload *payload)
{
	buffer_release(&payload->script);
	buffer_release(&payload->cached);
}
