/* SPDX-License-Identifier: Apache-2.0
 *
 * The inventory of Ansible for a task: the cluster's nodes and configuration, in Ansible's own form.
 */
#ifndef AUTOMATOR_PLAYBOOK_H
#define AUTOMATOR_PLAYBOOK_H

#include "json/json.h"

struct task;

/* Makes the inventory, owned: all nodes by their host names, a group for each service, and the configuration as the variables of all. coopr
 * has the nodes, and what is known of this one, which the list may have under another name or not at all. */
jv playbook_inventory(const struct task *task, jv config, jv coopr);

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
