/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-ssh: becomes, or runs, an ssh(1) that is logged in to a node of a cluster: with its key, and trusting no host key but
 * those that were pinned when the node was made. Exits as ssh does; before that with 1 where there is no such cluster or
 * node, 64 on misuse, 75 where no address of it is known yet, 77 where no host key is.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "operation/target.h"
#include "show/login.h"
#include "status/status.h"
#include "worker/login-files.h"

static struct status_options places;
static struct target_options chosen;
static bool dry;

static const struct option_spec options[] = {
	TARGET_OPTIONS(&chosen),
	OPTION_FLAG(0, "dry-run", &dry, "print the arguments of ssh, one a line, and run nothing"),
	OPTION_RETIRED('n', NULL, "--dry-run"),
	STATUS_PLACES(&places),
	OPTION_END
};

static const struct command command = {
	"coopr-ssh", "[OPTION]... CLUSTER[/NODE|/@SERVICE] [OPTION]... [[--] COMMAND [ARGUMENT]...]", "Log in to a node of a cluster.", options,
	"  coopr-ssh shop/1000\n"
	"  coopr-ssh shop -N 1000 -- uptime\n"
	"  coopr-ssh shop/@nginx systemctl status nginx\n"
	"  coopr-ssh shop 'df -h | sort'\n"};

/* Makes the ssh command for the first node of the target, and says which one that is if there are several. */
static int
ssh_prepare_login(const struct target *target, struct cluster_status *status, char *const *words, struct login_files *logins,
    struct arguments *argv, struct error *err)
{
	struct arena arena = {0};
	struct machine machine;
	const struct node *node;
	size_t count = 0;
	char *known_hosts;
	int result;

	if (status_open(status, &places, target->cluster, err) < 0 || status_layout(status, err) < 0 ||
	    !(node = target_first(target, &status->layout, err)))
		return -1;
	known_hosts = login_known_hosts(status, err);
	result = known_hosts ? login_machine_to_enter(&status->layout, node, logins, &arena, &machine, err) : -1;
	if (result == 0)
		result = login_command(&machine, known_hosts, argv, err);
	if (result == 0) {
		for (size_t i = 0; i < status->layout.node_count; i++)
			count += target_has(target, &status->layout.nodes[i]);
		if (count > 1)
			message("%s/%" PRId64 ", the first of %zu", target->cluster, node->nodenum, count);
		arguments_push(argv, "--");
		arguments_push(argv, machine.address);
		login_words(words, argv);
	}
	free(known_hosts);
	arena_release(&arena);
	return result;
}

/* Becomes the command; but where a key was put into a file for it, waits for its end, as the file is to be removed then. Returns an
 * exit code. */
static int
ssh_run(char *const *argv, bool has_files)
{
	struct process process = {.argv = argv, .in = PROCESS_INHERIT, .out = PROCESS_INHERIT, .err = PROCESS_INHERIT};
	struct error err;
	int code;

	if (!has_files) {
		execvp(argv[0], argv);
		error_errno(&err, EX_UNAVAILABLE, "%s: cannot be run", argv[0]);
		return message_error(&err);
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	code = process_start(&process, &err) < 0 ? -1 : process_wait(&process, &err);
	return code < 0 ? message_error(&err) : code;
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv), **rest;
	struct arguments words = {0};
	struct target target;
	struct cluster_status status = {0};
	struct login_files logins = {0};
	struct error err;
	int code;

	if (!operands[0])
		return option_misuse(&command, "missing argument CLUSTER");
	rest = operands + option_parse(&command, argc - (int)(operands - argv), operands);
	target_operand_nodes(&command, operands[0], &chosen, &target);

	code = ssh_prepare_login(&target, &status, rest, &logins, &words, &err) < 0 ? message_error(&err) : 0;
	status_release(&status);
	for (size_t i = 0; code == 0 && dry && i < words.count; i++)
		puts(words.list[i]);
	if (code == 0 && !dry)
		code = ssh_run(words.list, logins.folder.held.path != NULL);

	login_files_close(&logins);
	arguments_release(&words);
	target_release(&target);
	return message_end(code);
}
