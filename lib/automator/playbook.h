/* SPDX-License-Identifier: Apache-2.0
 *
 * What Ansible plays for a task, and its inventory: the cluster's nodes and configuration, in Ansible's own form.
 */
#ifndef AUTOMATOR_PLAYBOOK_H
#define AUTOMATOR_PLAYBOOK_H

#include <stdbool.h>

struct arena;
struct automator_work;
struct error;
struct task;

/* Fills the work as tool_prepare does: with the playbook and what it needs, and the inventory, which has all nodes by their host names, a group
 * for each service, and the configuration as the variables of all. from_here: this host plays it, and the inventory says how the node is entered. */
int playbook_prepare(const struct task *task, bool from_here, struct arena *arena, struct automator_work *work, struct error *err);

/* Members of both schemas: what is played. of: what a tenant may say, "path": no path of the host; "installation": nothing. */
#define PLAYBOOK_RESOURCES "\"resources\":{" \
	"\"playbooks\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0644\"}," \
	"\"roles\":{\"formats\":[\"archive\"]}," \
	"\"files\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0644\"}}"
#define PLAYBOOK_PROPERTIES(of) \
	"\"playbook\":{\"type\":\"string\",\"format\":\"script\",\"of\":\"" of "\",\"resources\":[\"playbooks\"],\"description\":\"The playbook: a resource of the type playbooks, a file in scripts/ of the catalogue, or an absolute path\"}," \
	"\"roles\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"" of "\",\"resources\":[\"roles\"],\"description\":\"The roles, separated by blanks\"}," \
	"\"files\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"" of "\",\"resources\":[\"files\",\"playbooks\"],\"description\":\"Files and folders that the playbook needs, separated by blanks\"}"

#endif
