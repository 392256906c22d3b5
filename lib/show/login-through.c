/* SPDX-License-Identifier: Apache-2.0 */
#include "show/login-through.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/home.h"
#include "base/location.h"
#include "base/process.h"
#include "base/toolbox.h"
#include "json/json.h"
#include "json/record.h"
#include "operation/known-hosts.h"
#include "ssh/memory-folder.h"
#include "ssh/shell-words.h"
#include "status/status.h"
#include "store/login-key.h"
#include "store/secrets.h"

enum { THROUGH_ANSWER_MAX = 64 << 20 };

const char *
login_through_server(void)
{
	return home_variable(LOGIN_THROUGH);
}

/* Pushes a command that the server does, with the options that say whose the cluster is. */
static void
login_through_push(const struct login_through *through, const char *command, struct arguments *argv)
{
	char *path = toolbox_find(command);

	arguments_push(argv, path ? path : command);
	arguments_push_all(argv, "--server", through->server, NULL);
	if (through->places->tenant)
		arguments_push_all(argv, "--tenant", through->places->tenant, NULL);
	if (through->places->user)
		arguments_push_all(argv, "--as", through->places->user, NULL);
	free(path);
}

/* Runs the command. Where it fails, what it has said last is the reason: "coopr-show: no cluster named ..." without the name. */
static int
login_through_run(const struct arguments *argv, struct buffer *out, struct error *err)
{
	struct buffer said = {0};
	int code = process_run(argv->list, NULL, 0, out, &said, THROUGH_ANSWER_MAX, err);
	const char *last, *behind;

	if (code > 0) {
		while (said.length && said.data[said.length - 1] == '\n')
			said.data[--said.length] = '\0';
		last = strrchr(buffer_string(&said), '\n');
		last = last ? last + 1 : buffer_string(&said);
		behind = strstr(last, ": ");
		error_set(err, code, "%s", behind ? behind + 2 : last);
	}
	buffer_release(&said);
	return code == 0 ? 0 : -1;
}

/* Takes the nodes among the records that the server has shown, and the lines of known_hosts. */
static int
login_through_read(struct cluster_status *status, struct buffer *known_hosts, struct error *err)
{
	struct problems problems = {0};
	int result = 0;

	for (const char *line = status->text; *line && result == 0;) {
		size_t length = strcspn(line, "\n");
		jv record;

		result = json_parse("the answer of the server", line, length, &record, err);
		if (result == 0) {
			struct place place = place_root(record, &problems);

			layout_take(&status->layout, &place);
			if (strcmp(record_kind(record), "node") == 0)
				known_hosts_add(record, known_hosts);
			jv_free(record);
		}
		line += length + (line[length] == '\n');
	}
	if (result == 0)
		result = problems_error(&problems, "the answer of the server", EX_PROTOCOL, err);
	problems_release(&problems);
	return result;
}

/* Asks the server for the nodes. */
static int
login_through_ask(const struct login_through *through, struct cluster_status *status, struct buffer *known_hosts, struct error *err)
{
	struct arguments argv = {0};
	struct buffer out = {0};
	int result;

	login_through_push(through, "show", &argv);
	arguments_push_all(&argv, "-o", "json", "-c", "--", through->cluster, NULL);
	result = login_through_run(&argv, &out, err);
	arguments_release(&argv);
	buffer_text(&out, "");
	status->text = buffer_take(&out);
	return result < 0 ? -1 : login_through_read(status, known_hosts, err);
}

/* Makes the pair, whose files are named after what they are for: who prints a configuration again has the same ones. */
static int
login_through_make_key(struct login_through *through, const struct memory_folder *folder, const struct buffer *known_hosts,
    struct error *err)
{
	uint64_t hash = hash_field(hash_field(hash_field(HASH_START, through->server), through->places->tenant ? through->places->tenant : ""),
	    through->cluster);
	char *name = memory_printf("%016" PRIx64, hash), *public_name = memory_printf("%s.pub", name),
	     *hosts_name = memory_printf("%s.known_hosts", name), *public = NULL;
	struct secret_value private = {0};
	int result = login_key_make("coopr", &private, &public, err);

	through->key = memory_printf("%s/%s", folder->held.path, name);
	through->known_hosts = memory_printf("%s/%s", folder->held.path, hosts_name);
	if (result == 0 && (memory_folder_write(folder, name, private.text, private.length, err) < 0 ||
	    memory_folder_write(folder, public_name, public, strlen(public), err) < 0 ||
	    memory_folder_write(folder, hosts_name, known_hosts->data, known_hosts->length, err) < 0))
		result = -1;
	secret_value_release(&private);
	free(public);
	free(hosts_name);
	free(public_name);
	free(name);
	return result;
}

int
login_through_open(struct login_through *through, const struct status_options *places, const char *cluster,
    const struct memory_folder *folder, struct cluster_status *status, struct error *err)
{
	struct buffer known_hosts = {0};
	int result;

	if (places->store || places->spool)
		return error_set(err, EX_USAGE, "--%s: this is the server's to choose", places->store ? "store" : "spool");
	*through = (struct login_through){.server = login_through_server(), .cluster = cluster, .places = places};
	*status = (struct cluster_status){.options = places, .layout.cluster = {.source = jv_invalid(), .was_source = jv_invalid(),
	    .config = jv_invalid()}};
	buffer_text(&known_hosts, "");
	result = login_through_ask(through, status, &known_hosts, err);
	if (result == 0)
		result = login_through_make_key(through, folder, &known_hosts, err);
	buffer_release(&known_hosts);
	return result;
}

char *
login_through_certificate(const struct login_through *through, const struct node *node)
{
	return memory_printf("%s-%" PRId64 "-cert.pub", through->key, node->nodenum);
}

/* Makes the command that has the key signed. */
static void
login_through_push_renewal(const struct login_through *through, const struct node *node, struct arguments *argv)
{
	login_through_push(through, "ssh-certificate", argv);
	arguments_push(argv, "--");
	arguments_printf(argv, "%s/%" PRId64, through->cluster, node->nodenum);
	arguments_printf(argv, "%s.pub", through->key);
}

int
login_through_certify(const struct login_through *through, const struct node *node, struct error *err)
{
	struct arguments argv = {0};
	struct buffer certificate = {0};
	char *path = login_through_certificate(through, node);
	int result;

	login_through_push_renewal(through, node, &argv);
	result = login_through_run(&argv, &certificate, err);
	if (result == 0)
		result = file_replace(AT_FDCWD, path, certificate.data, certificate.length, 0600, err);
	arguments_release(&argv);
	buffer_release(&certificate);
	free(path);
	return result;
}

/* Appends the words for the shell, where ssh reads them: a % begins a token there. */
static void
login_through_print(const struct arguments *argv, struct buffer *out)
{
	struct buffer quoted = {0};

	for (size_t i = 0; i < argv->count; i++) {
		if (i)
			buffer_byte(&quoted, ' ');
		shell_words_quote(argv->list[i], &quoted);
	}
	for (size_t i = 0; i < quoted.length; i++) {
		if (quoted.data[i] == '%')
			buffer_byte(out, '%');
		buffer_byte(out, quoted.data[i]);
	}
	buffer_release(&quoted);
}

void
login_through_print_renewal(const struct login_through *through, const struct node *node, struct buffer *out)
{
	char *path = login_through_certificate(through, node);
	struct arguments argv = {0}, made = {0};

	login_through_push_renewal(through, node, &argv);
	arguments_push(&made, path);
	login_through_print(&argv, out);
	buffer_text(out, " >");
	login_through_print(&made, out);
	buffer_text(out, ".$$ && mv -f ");
	login_through_print(&made, out);
	buffer_text(out, ".$$ ");
	login_through_print(&made, out);
	arguments_release(&argv);
	arguments_release(&made);
	free(path);
}

void
login_through_print_proxy(const struct login_through *through, const struct node *node, struct buffer *out)
{
	char *program = location_installed("libexec/coopr/ssh-tunnel");
	struct arguments argv = {0};

	arguments_push_all(&argv, program, through->server, through->cluster, NULL);
	arguments_printf(&argv, "%" PRId64, node->nodenum);
	arguments_push_all(&argv, through->places->tenant ? through->places->tenant : "", through->places->user ? through->places->user : "",
	    NULL);
	login_through_print(&argv, out);
	arguments_release(&argv);
	free(program);
}

int
login_through_write_config(struct login_through *through, const struct memory_folder *folder, const struct buffer *config,
    struct error *err)
{
	through->config = memory_printf("%s.config", through->key);
	return memory_folder_write(folder, strrchr(through->config, '/') + 1, config->data, config->length, err);
}

void
login_through_release(struct login_through *through)
{
	free(through->key);
	free(through->known_hosts);
	free(through->config);
}
