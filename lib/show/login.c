/* SPDX-License-Identifier: Apache-2.0 */
#include "show/login.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "operation/known-hosts.h"
#include "ssh/bastion.h"
#include "ssh/shell-words.h"
#include "ssh/ssh.h"
#include "status/status.h"
#include "store/audit.h"
#include "store/client.h"
#include "worker/login-files.h"

static int
login_parse_machine(const struct node *node, jv record, struct arena *arena, struct machine *machine, struct error *err)
{
	struct problems problems = {0};
	struct place place = place_root(record, &problems);
	int result = 0;

	*machine = (struct machine){0};
	machine_parse(&place, arena, machine);
	if (problems.total)
		result = error_set(err, EX_DATAERR, "node %s: %s: %s", node->id, problems.list[0].pointer, problems.list[0].text);
	problems_release(&problems);
	return result;
}

int
login_machine(const struct node *node, struct arena *arena, struct machine *machine, struct error *err)
{
	return login_parse_machine(node, node->source, arena, machine, err);
}

int
login_machine_to_enter(const struct cluster_status *status, const struct node *node, struct login_files *logins,
    struct arena *arena, struct machine *machine, struct error *err)
{
	jv record, filled = jv_invalid();
	struct login_file *used; /* until logins is closed */
	int result;

	if (account_need_more(&status->account, err) < 0)
		return -1;
	record = jv_object();
	json_set(&record, "cluster", jv_copy(status->layout.cluster.source));
	json_set(&record, "machine", jv_copy(node->source));
	result = login_files_fill(logins, &record, &used, err);
	if (result == 0) {
		filled = json_get(record, "machine");
		result = login_parse_machine(node, filled, arena, machine, err);
	}
	jv_free(filled);
	jv_free(record);
	return result;
}

int
login_check(const struct cluster_status *status, struct error *err)
{
	struct cluster_status now;
	int result = status_open(&now, status->options, status->id, err);

	if (result == 0)
		result = account_need_more(&now.account, err);
	status_release(&now);
	return result;
}

int
login_record(const struct cluster_status *status, const struct node *node, struct error *err)
{
	struct account account;
	int result;

	if (!client_asker())
		return 0;
	result = account_open(&account, &(struct account_ask){.store = status->options->store, .tenant = status->cluster->tenant,
	    .user = status->options->user}, STORE_WRITE, err);
	if (result == 0)
		result = audit_add_alone(account.store, &(struct audit_event){.action = "enter", .kind = "node", .name = node->id,
		    .cluster = status->cluster->id}, err);
	account_release(&account);
	return result;
}

const char *
login_name(const struct node *node, struct arena *arena)
{
	return node->hostname ? arena_substring(arena, node->hostname, strcspn(node->hostname, ".")) : node->id;
}

/* Returns whether the file has these lines. */
static bool
login_is_kept(const char *path, const struct buffer *lines)
{
	struct buffer kept = {0};
	struct error ignored;
	bool same = file_read(AT_FDCWD, path, lines->length, &kept, &ignored) == 0 && kept.length == lines->length &&
	    memcmp(kept.data, lines->data, lines->length) == 0;

	buffer_release(&kept);
	return same;
}

char *
login_known_hosts(const struct cluster_status *status, struct error *err)
{
	char *folder = status_folder(status), *path = memory_printf("%s/known_hosts", folder);
	struct buffer lines = {0};
	int result = 0;

	buffer_text(&lines, "");
	for (size_t i = 0; i < status->layout.node_count; i++)
		known_hosts_add(status->layout.nodes[i].source, &lines);
	if (lines.length && !login_is_kept(path, &lines))
		result = file_make_dirs(AT_FDCWD, folder, 0700, err) < 0 ? -1 : file_replace(AT_FDCWD, path, lines.data,
		    lines.length, 0600, err);
	buffer_release(&lines);
	free(folder);
	if (result == 0)
		return path;
	free(path);
	return NULL;
}

void
login_file(const char *path, struct buffer *out)
{
	buffer_byte(out, '"');
	for (; *path; path++) {
		if (*path == '%')
			buffer_byte(out, '%');
		if (*path == '"' || *path == '\\')
			buffer_byte(out, '\\');
		buffer_byte(out, *path);
	}
	buffer_byte(out, '"');
}

void
login_push_file(const char *option, const char *path, struct arguments *argv)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s=", option);
	login_file(path, &text);
	arguments_push_all(argv, "-o", text.data, NULL);
	buffer_release(&text);
}

int
login_command(const struct machine *machine, const char *known_hosts, struct arguments *argv, struct error *err)
{
	struct buffer file = {0};

	if (!machine->address)
		return error_set(err, EX_TEMPFAIL, "node %s: its address is not known yet", machine->id);
	if (machine->host_keys.count == 0)
		return error_set(err, EX_NOPERM, "node %s: its host key is not pinned, since its provider has told none: it could be any machine",
		    machine->id);
	if (bastion_check(machine, err) < 0)
		return -1;
	ssh_begin(machine, argv);
	login_push_file("UserKnownHostsFile", known_hosts, argv);
	arguments_push_all(argv, "-o", "GlobalKnownHostsFile=none", "-o", "StrictHostKeyChecking=yes", "-o", "UpdateHostKeys=no", NULL);
	login_file(known_hosts, &file);
	bastion_push_proxy(machine, file.data, argv);
	buffer_release(&file);
	if (machine->identityfile)
		arguments_push_all(argv, "-o", "IdentitiesOnly=yes", "-i", machine->identityfile, NULL);
	arguments_push(argv, "-p");
	arguments_printf(argv, "%lld", (long long)machine->port);
	arguments_push_all(argv, "-l", machine->user, NULL);
	return 0;
}

void
login_words(char *const *words, struct arguments *argv)
{
	struct buffer line = {0};

	if (!words[0])
		return;
	if (!words[1]) {
		arguments_push(argv, words[0]);
		return;
	}
	for (size_t i = 0; words[i]; i++) {
		if (i)
			buffer_byte(&line, ' ');
		shell_words_quote(words[i], &line);
	}
	arguments_push(argv, line.data);
	buffer_release(&line);
}
