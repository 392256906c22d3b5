/* SPDX-License-Identifier: Apache-2.0 */
#include "show/login-export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "model/take/task.h"
#include "show/login-through.h"
#include "show/login.h"
#include "ssh/bastion.h"
#include "ssh/shell-words.h"
#include "status/status.h"
#include "worker/login-files.h"

struct export { /* under way */
	const struct cluster_status *status;
	const char *cluster;
	const struct login_through *through; /* NULL: the nodes are entered from here */
	char *known_hosts;
	struct arena arena;
	struct login_files logins; /* keys that are secrets */
	struct buffer *ssh; /* or NULL, and then: */
	jv hosts, groups;   /* variables of each host, and hosts of each group */
	size_t left_out;
};

/* Appends the names of a node, with that between them: CLUSTER-NUMBER, its host name, and the first part of that. */
static void
login_export_names(struct export *export, const struct node *node, const char *between)
{
	const char *name = login_name(node, &export->arena);

	buffer_printf(export->ssh, "%s-%" PRId64, export->cluster, node->nodenum);
	if (node->hostname && strcmp(name, node->hostname) != 0)
		buffer_printf(export->ssh, "%s%s", between, node->hostname);
	buffer_printf(export->ssh, "%s%s", between, name);
}

/* Has the key signed whenever ssh looks whether this concerns the node: no option depends on it. */
static void
login_export_renewal(struct export *export, const struct node *node)
{
	buffer_text(export->ssh, "Match originalhost ");
	login_export_names(export, node, ",");
	buffer_text(export->ssh, " exec \"");
	login_through_print_renewal(export->through, node, export->ssh);
	buffer_text(export->ssh, "\"\n\n");
}

/* Adds the way through the server, and the certificate. */
static void
login_export_way(struct export *export, const struct node *node)
{
	char *certificate = login_through_certificate(export->through, node);

	buffer_text(export->ssh, "\tProxyCommand ");
	login_through_print_proxy(export->through, node, export->ssh);
	buffer_text(export->ssh, "\n\tServerAliveInterval 30\n\tCertificateFile ");
	login_file(certificate, export->ssh);
	buffer_byte(export->ssh, '\n');
	free(certificate);
}

/* Adds the way through the bastion. */
static void
login_export_bastion(struct export *export, const struct machine *machine)
{
	struct buffer file = {0};

	login_file(export->known_hosts, &file);
	buffer_text(export->ssh, "\tProxyCommand ");
	bastion_print_proxy(machine, buffer_string(&file), export->ssh);
	buffer_byte(export->ssh, '\n');
	buffer_release(&file);
}

/* Adds a node as ssh_config(5) has it. */
static void
login_export_host(struct export *export, const struct node *node, const struct machine *machine)
{
	if (export->through)
		login_export_renewal(export, node);
	buffer_text(export->ssh, "Host ");
	login_export_names(export, node, " ");
	buffer_printf(export->ssh, "\n\tHostName %s\n\tPort %" PRId64 "\n\tUser %s\n", machine->address, machine->port,
	    machine->user);
	if (export->through)
		login_export_way(export, node);
	else if (machine->bastion.host)
		login_export_bastion(export, machine);
	if (machine->identityfile) {
		buffer_text(export->ssh, "\tIdentitiesOnly yes\n\tIdentityFile ");
		login_file(machine->identityfile, export->ssh);
		buffer_byte(export->ssh, '\n');
	}
	buffer_text(export->ssh, "\tUserKnownHostsFile ");
	login_file(export->known_hosts, export->ssh);
	buffer_text(export->ssh, "\n\tGlobalKnownHostsFile none\n\tStrictHostKeyChecking yes\n\tUpdateHostKeys no\n\n");
}

/* Returns a group's name as Ansible takes it: letters, digits and "_". */
static char *
login_export_group_name(const char *service)
{
	char *name = memory_string(service);

	for (char *at = name; *at; at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *at))
			*at = '_';
	return name;
}

static void
login_export_join_group(struct export *export, const char *service, const char *host)
{
	char *name = login_export_group_name(service);
	jv group = json_get(export->groups, name), hosts = json_get(group, "hosts");

	if (jv_get_kind(group) != JV_KIND_OBJECT)
		group = jv_object();
	if (jv_get_kind(hosts) != JV_KIND_ARRAY)
		hosts = jv_array();
	json_set(&group, "hosts", jv_array_append(hosts, jv_string(host)));
	json_set(&export->groups, name, group);
	free(name);
}

/* Appends the options of ssh with which a node is entered, as words of a shell. */
static void
login_export_arguments(const struct export *export, const struct machine *machine, struct buffer *arguments)
{
	struct buffer file = {0}, option = {0};

	if (export->through) {
		buffer_text(arguments, "-F ");
		shell_words_quote(export->through->config, arguments);
		return;
	}
	login_file(export->known_hosts, &file);
	buffer_printf(&option, "UserKnownHostsFile=%s", buffer_string(&file));
	buffer_text(arguments, "-o ");
	shell_words_quote(buffer_string(&option), arguments);
	buffer_text(arguments, " -o GlobalKnownHostsFile=none -o StrictHostKeyChecking=yes -o UpdateHostKeys=no");
	if (machine->bastion.host) {
		buffer_clear(&option);
		buffer_text(&option, "ProxyCommand=");
		bastion_print_proxy(machine, buffer_string(&file), &option);
		buffer_text(arguments, " -o ");
		shell_words_quote(buffer_string(&option), arguments);
	}
	buffer_release(&option);
	buffer_release(&file);
}

/* Adds a node as Ansible has it: the variables of a host, which is in a group of each of its services. */
static void
login_export_variables(struct export *export, const struct node *node, const struct machine *machine)
{
	const char *host = node->hostname ? node->hostname : node->id;
	struct buffer arguments = {0};
	jv variables = jv_object();

	login_export_arguments(export, machine, &arguments);
	json_set(&variables, "ansible_host", export->through ? jv_string_fmt("%s-%" PRId64, export->cluster, node->nodenum)
	                                                     : jv_string(machine->address));
	json_set_number(&variables, "ansible_port", (double)machine->port);
	json_set_string(&variables, "ansible_user", machine->user);
	if (machine->identityfile)
		json_set_string(&variables, "ansible_ssh_private_key_file", machine->identityfile);
	json_set_string(&variables, "ansible_ssh_common_args", arguments.data);
	json_set_string(&variables, "coopr_cluster", export->cluster);
	json_set_string(&variables, "coopr_id", node->id);
	json_set_number(&variables, "coopr_node", (double)node->nodenum);
	json_set(&variables, "coopr_services", json_strings(node->services.list, node->services.count));
	json_set(&export->hosts, host, variables);
	for (size_t i = 0; i < node->services.count; i++)
		login_export_join_group(export, node->services.list[i], host);
	buffer_release(&arguments);
}

/* Finds out how a node is entered. */
static int
login_export_find(struct export *export, const struct node *node, struct machine *machine, struct error *err)
{
	if (!export->through)
		return login_machine_to_enter(export->status, node, &export->logins, &export->arena, machine, err);
	if (login_machine(node, &export->arena, machine, err) < 0)
		return -1;
	machine->identityfile = export->through->key;
	machine->bastion.host = NULL; /* the server goes through it */
	return 0;
}

static int
login_export_nodes(struct export *export, struct error *err)
{
	const struct layout *layout = &export->status->layout;

	export->known_hosts = export->through ? memory_string(export->through->known_hosts) : login_known_hosts(export->status, err);
	if (!export->known_hosts)
		return -1;
	for (size_t i = 0; i < layout->node_count; i++) {
		struct machine machine;

		if (login_export_find(export, &layout->nodes[i], &machine, err) < 0)
			return -1;
		if (bastion_check(&machine, err) < 0)
			return -1;
		if (!machine.address || machine.host_keys.count == 0)
			export->left_out++;
		else if (export->ssh)
			login_export_host(export, &layout->nodes[i], &machine);
		else
			login_export_variables(export, &layout->nodes[i], &machine);
	}
	return 0;
}

static void
login_export_release(struct export *export)
{
	login_files_close(&export->logins);
	free(export->known_hosts);
	arena_release(&export->arena);
}

int
login_export_ssh(const struct cluster_status *status, const struct login_through *through, struct buffer *out, size_t *left_out,
    struct error *err)
{
	struct export export = {.status = status, .cluster = through ? through->cluster : status->cluster->name, .through = through,
	    .logins.lasting = true, .ssh = out};
	int result = login_export_nodes(&export, err);

	*left_out = export.left_out;
	login_export_release(&export);
	return result;
}

int
login_export_ansible(const struct cluster_status *status, const struct login_through *through, struct buffer *out, size_t *left_out,
    struct error *err)
{
	struct export export = {.status = status, .cluster = through ? through->cluster : status->cluster->name, .through = through,
	    .logins.lasting = true, .hosts = jv_object(), .groups = jv_object()};
	int result = login_export_nodes(&export, err);
	jv meta = jv_object();

	json_set(&meta, "hostvars", export.hosts);
	json_set(&export.groups, "_meta", meta);
	if (result == 0) {
		json_dump_pretty(export.groups, out);
		buffer_byte(out, '\n');
	}
	*left_out = export.left_out;
	jv_free(export.groups);
	login_export_release(&export);
	return result;
}
