/* SPDX-License-Identifier: Apache-2.0 */
#include "automator/playbook.h"

#include <stdlib.h>
#include <string.h>

#include "automator/attributes.h"
#include "automator/tool.h"
#include "model/take/task.h"

/* Returns a text marked, so that Jinja, which expands what stands in {{...}}, gives it as it is. */
static jv
playbook_mark(jv text)
{
	jv marked = jv_object();

	json_set(&marked, "__ansible_unsafe", jv_copy(text));
	return marked;
}

static jv
playbook_mark_all(jv value)
{
	return attributes_change_texts(value, playbook_mark, NULL);
}

/* Adds a host to the groups that are called as its services. */
static void
playbook_add_to_groups(jv *groups, const char *host, jv services)
{
	for (size_t i = 0; i < json_length(services); i++) {
		jv service = json_element(services, i), group, hosts;

		if (json_string(service)) {
			group = json_get(*groups, json_string(service));
			hosts = json_get(group, "hosts");
			if (!jv_is_valid(hosts)) {
				jv_free(hosts);
				hosts = jv_object();
			}
			if (!jv_is_valid(group)) {
				jv_free(group);
				group = jv_object();
			}
			json_set(&hosts, host, jv_object());
			json_set(&group, "hosts", hosts);
			json_set(groups, json_string(service), group);
		}
		jv_free(service);
	}
}

/* Returns the address by which nodes know one another, owned, or null. */
static jv
playbook_address(jv node)
{
	static const char *const names[] = {"bind_v4", "bind_v6", "access_v4", "access_v6"};
	jv addresses = json_get(node, "ipaddresses"), address = jv_null();

	for (size_t i = 0; i < sizeof names / sizeof *names && jv_get_kind(address) == JV_KIND_NULL; i++) {
		jv its = json_get(addresses, names[i]);

		if (json_string(its))
			address = jv_copy(its);
		jv_free(its);
	}
	jv_free(addresses);
	return address;
}

/* Adds a node by its host name, with what is known of it. */
static void
playbook_add_host(jv node, jv *hosts, jv *groups)
{
	jv services = json_get(node, "services"), its = jv_object();
	char *name = json_get_string(node, "hostname");

	if (name) {
		json_set(&its, "ansible_host", playbook_address(node));
		json_set(&its, "coopr_node", playbook_mark_all(node));
		json_set(hosts, name, jv_copy(its));
		playbook_add_to_groups(groups, name, services);
	}
	free(name);
	jv_free(its);
	jv_free(services);
}

/* Makes the inventory, owned: all nodes by their host names, a group for each service, and the configuration as the variables of all. coopr
 * has the nodes, and what is known of this one, which the list may have under another name or not at all. */
static jv
playbook_inventory(const struct task *task, jv config, jv coopr)
{
	jv nodes = json_get(coopr, "nodes"), hosts = jv_object(), groups = jv_object(), vars = playbook_mark_all(config), all = jv_object();
	jv inventory = jv_object(), self = jv_object_delete(jv_copy(coopr), jv_string("nodes"));

	playbook_add_host(self, &hosts, &groups);
	for (int at = jv_object_iter(nodes); jv_object_iter_valid(nodes, at); at = jv_object_iter_next(nodes, at)) {
		jv id = jv_object_iter_key(nodes, at), node = jv_object_iter_value(nodes, at);

		if (strcmp(json_string(id), task->machine.id) != 0)
			playbook_add_host(node, &hosts, &groups);
		jv_free(node);
		jv_free(id);
	}
	json_set(&vars, "coopr", playbook_mark_all(coopr));
	json_set(&all, "hosts", hosts);
	json_set(&all, "children", groups);
	json_set(&all, "vars", vars);
	json_set(&inventory, "all", all);
	jv_free(self);
	jv_free(nodes);
	return inventory;
}

/* Says how the node is entered, as the host that it is in the inventory. */
static void
playbook_add_login(const struct task *task, jv *inventory)
{
	jv all = json_get(*inventory, "all"), hosts = json_get(all, "hosts"), host = json_get(hosts, task->machine.hostname);

	if (jv_get_kind(host) == JV_KIND_OBJECT) {
		json_set_string(&host, "ansible_host", task->machine.address);
		json_set_number(&host, "ansible_port", (double)task->machine.port);
		json_set_string(&host, "ansible_user", task->machine.user);
		json_set_string(&host, "ansible_remote_tmp", "/dev/shm");
		json_set(&host, "ansible_become", jv_bool(strcmp(task->machine.user, "root") != 0));
		json_set(&hosts, task->machine.hostname, jv_copy(host));
		json_set(&all, "hosts", jv_copy(hosts));
		json_set(inventory, "all", jv_copy(all));
	}
	jv_free(host);
	jv_free(hosts);
	jv_free(all);
}

int
playbook_prepare(const struct task *task, bool from_here, struct arena *arena, struct automator_work *work, struct error *err)
{
	static const char *const files[] = {"playbook", "roles", "files", NULL};
	static const struct tool tool = {"ansible", "ansible.sh", "playbook", files, false};
	jv config = attributes_config(task), coopr, inventory;
	int failed = attributes_coopr(task, &coopr, err);

	inventory = playbook_inventory(task, config, coopr);
	work->complaint = "fatal: ";
	if (from_here)
		playbook_add_login(task, &inventory);
	if (!failed)
		failed = tool_prepare(&tool, task, inventory, arena, work, err);
	jv_free(inventory);
	jv_free(coopr);
	jv_free(config);
	return failed;
}
