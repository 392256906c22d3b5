/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-ssh-config: prints how ssh(1), and whatever runs it, reaches the nodes of a cluster, as ssh_config(5). coopr-inventory,
 * the same program, prints it as an inventory of Ansible. Exits with 0; 1 where there is no such cluster, or none of its nodes
 * can be reached yet; 64 on misuse.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/plural.h"
#include "operation/target.h"
#include "show/login-export.h"
#include "show/login-through.h"
#include "ssh/memory-folder.h"
#include "status/status.h"

static struct status_options places;
static struct target_options chosen;
static bool list;
static const char *host;

static const struct option_spec options[] = {TARGET_OPTIONS(&chosen), STATUS_PLACES(&places), OPTION_END};

static const struct option_spec inventory_options[] = {
	TARGET_OPTIONS(&chosen),
	OPTION_FLAG(0, "list", &list, "print all hosts and groups, as without this option"),
	OPTION_STRING(0, "host", &host, "HOST", "print the variables of that host: none that --list does not have"),
	STATUS_PLACES(&places),
	OPTION_END
};

static const struct command commands[] = {
	{"coopr-ssh-config", "[OPTION]... CLUSTER[/NODE|/@SERVICE]", "Print how ssh reaches the nodes of a cluster.", options,
	    "  coopr-ssh-config shop >~/.ssh/config.d/shop\n"
	    "  ssh -F <(coopr-ssh-config shop) shop-1000\n"},
	{"coopr-inventory", "[OPTION]... CLUSTER[/NODE|/@SERVICE]", "Print a cluster as an inventory of Ansible.", inventory_options,
	    "  coopr-inventory shop | jq -r '.nginx.hosts[]'\n"
	    "  printf '#!/bin/sh\\nexec coopr inventory shop \"$@\"\\n' >hosts; chmod +x hosts\n"
	    "  ansible -i hosts nginx -m ping\n"},
	{0}};

/* Opens the cluster as it is here, or, where through is not NULL, as a server shows it; with a key for logins in the folder. */
static int
ssh_config_open(const struct target *target, struct login_through *through, struct memory_folder *folder, struct cluster_status *status,
    struct error *err)
{
	if (!through)
		return status_open(status, &places, target->cluster, err) < 0 || account_need_more(&status->account, err) < 0 ? -1
		    : status_layout(status, err);
	return memory_folder_open_lasting(folder, err) < 0 ? -1 : login_through_open(through, &places, target->cluster, folder, status, err);
}

/* Makes the inventory; through a server, of hosts whose configuration it writes. */
static int
ssh_config_inventory(const struct cluster_status *status, struct login_through *through, const struct memory_folder *folder,
    struct buffer *out, size_t *left_out, struct error *err)
{
	struct buffer config = {0};
	int result = through ? login_export_ssh(status, through, &config, left_out, err) : 0;

	if (through && result == 0)
		result = login_through_write_config(through, folder, &config, err);
	buffer_release(&config);
	return result < 0 ? -1 : login_export_ansible(status, through, out, left_out, err);
}

static int
ssh_config_print(const struct target *target, bool inventory, struct error *err)
{
	struct cluster_status status = {0};
	struct login_through through = {0}, *used = login_through_server() ? &through : NULL;
	struct memory_folder folder = {0};
	struct buffer text = {0};
	size_t left_out = 0;
	int result = ssh_config_open(target, used, &folder, &status, err);

	if (result == 0 && !target_is_whole(target))
		result = target_narrow(target, &status.layout, err);
	if (result == 0)
		result = inventory ? ssh_config_inventory(&status, used, &folder, &text, &left_out, err)
		                   : login_export_ssh(&status, used, &text, &left_out, err);
	if (result == 0 && left_out == status.layout.node_count)
		result = error_set(err, EX_NO, "%s: none of its nodes has both an address and a host key", target->cluster);
	else if (result == 0 && left_out)
		message("%s: left out %zu of %zu %s, which %s no address or no host key", target->cluster, left_out,
		    status.layout.node_count, plural(status.layout.node_count, "node", "nodes"), plural(left_out, "has", "have"));
	if (result == 0)
		buffer_print(&text);
	else
		buffer_release(&text);
	login_through_release(&through);
	memory_folder_close(&folder);
	status_release(&status);
	return result;
}

int
main(int argc, char **argv)
{
	const struct command *command = option_command(commands, argv[0]);
	struct target target;
	struct error err;
	int code = 0;

	argv += option_parse(command, argc, argv);
	if (!argv[0] || argv[1])
		return option_misuse(command, argv[0] ? "unexpected argument '%s'" : "missing argument CLUSTER", argv[1]);
	if (list && host)
		return option_misuse(command, "--list and --host exclude each other");
	/* What --list has said of every host, Ansible need not ask for. */
	if (host) {
		puts("{}");
		return message_end(0);
	}
	target_operand_nodes(command, argv[0], &chosen, &target);
	if (ssh_config_print(&target, command == &commands[1], &err) < 0)
		code = message_error(&err);
	target_release(&target);
	return message_end(code);
}
