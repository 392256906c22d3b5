/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/ansible: ansible-playbook on the node, which plays for that node alone, coopr-automators(7). Look-ups and delegated tasks are
 * programs: they run there, and never on the host of coopr.
 *
 * Exit code and status: 0 done, whether it changed anything or not; 1 something has failed; 75 the node cannot be reached, 77 it may not
 * be entered, 78 there is no ansible-playbook on it, no such playbook, or the fields are wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "automator/attributes.h"
#include "automator/automator.h"
#include "automator/tool.h"
#include "model/take/task.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator ansible\",\"type\":\"object\",\"stream\":true,\"status\":true,"
    "\"required\":[\"playbook\"],\"resources\":{"
    "\"playbooks\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0644\"},"
    "\"roles\":{\"formats\":[\"archive\"]},"
    "\"files\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0644\"}},\"properties\":{"
    "\"playbook\":{\"type\":\"string\",\"format\":\"script\",\"of\":\"path\",\"resources\":[\"playbooks\"],\"description\":\"The playbook: a resource of the type playbooks, a file in scripts/ of the catalogue, or an absolute path\"},"
    "\"roles\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"roles\"],\"description\":\"The roles, separated by blanks\"},"
    "\"files\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"files\",\"playbooks\"],\"description\":\"Files and folders that the playbook needs, separated by blanks\"},"
    TOOL_PROPERTIES "}}";

/* Returns a text marked, so that Jinja, which expands what stands in {{...}}, gives it as it is. */
static jv
ansible_mark(jv text)
{
	jv marked = jv_object();

	json_set(&marked, "__ansible_unsafe", jv_copy(text));
	return marked;
}

static jv
ansible_mark_all(jv value)
{
	return attributes_change_texts(value, ansible_mark, NULL);
}

/* Adds a host to the groups that are called as its services. */
static void
ansible_add_to_groups(jv *groups, const char *host, jv services)
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
ansible_address(jv node)
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
ansible_add_host(jv node, jv *hosts, jv *groups)
{
	jv services = json_get(node, "services"), its = jv_object();
	char *name = json_get_string(node, "hostname");

	if (name) {
		json_set(&its, "ansible_host", ansible_address(node));
		json_set(&its, "coopr_node", ansible_mark_all(node));
		json_set(hosts, name, jv_copy(its));
		ansible_add_to_groups(groups, name, services);
	}
	free(name);
	jv_free(its);
	jv_free(services);
}

/* Makes the inventory, owned: all nodes by their host names, a group for each service, and the configuration as the variables of all. coopr
 * has the nodes, and what is known of this one, which the list may have under another name or not at all. */
static jv
ansible_make_inventory(const struct task *task, jv config, jv coopr)
{
	jv nodes = json_get(coopr, "nodes"), hosts = jv_object(), groups = jv_object(), vars = ansible_mark_all(config), all = jv_object();
	jv inventory = jv_object(), self = jv_object_delete(jv_copy(coopr), jv_string("nodes"));

	ansible_add_host(self, &hosts, &groups);
	for (int at = jv_object_iter(nodes); jv_object_iter_valid(nodes, at); at = jv_object_iter_next(nodes, at)) {
		jv id = jv_object_iter_key(nodes, at), node = jv_object_iter_value(nodes, at);

		if (strcmp(json_string(id), task->machine.id) != 0)
			ansible_add_host(node, &hosts, &groups);
		jv_free(node);
		jv_free(id);
	}
	json_set(&vars, "coopr", ansible_mark_all(coopr));
	json_set(&all, "hosts", hosts);
	json_set(&all, "children", groups);
	json_set(&all, "vars", vars);
	json_set(&inventory, "all", all);
	jv_free(self);
	jv_free(nodes);
	return inventory;
}

static int
ansible_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	static const char *const files[] = {"playbook", "roles", "files", NULL};
	static const struct tool tool = {"ansible", "ansible.sh", "playbook", files, false};
	jv config = attributes_config(task), coopr, inventory;
	int failed = attributes_coopr(task, &coopr, err);

	inventory = ansible_make_inventory(task, config, coopr);
	work->complaint = "fatal: ";
	if (!failed)
		failed = tool_prepare(&tool, task, inventory, arena, work, err);
	jv_free(inventory);
	jv_free(coopr);
	jv_free(config);
	return failed;
}

int
main(int argc, char **argv)
{
	static const struct automator automator = {.name = "automator/ansible", .schema = schema, .prepare = ansible_prepare,
	    .has_bootstrap = true, .take_answer = tool_take_answer};

	return automator_main(&automator, argc, argv);
}
