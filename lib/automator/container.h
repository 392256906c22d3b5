/* SPDX-License-Identifier: Apache-2.0
 *
 * A service that is one container, of docker or podman: what its fields say, and what of it goes to the node. The fields are those of the
 * plugin docker of Cask's Coopr. The node's half is share/coopr/shell/container.sh, which compares what is wanted with what is there.
 */
#ifndef AUTOMATOR_CONTAINER_H
#define AUTOMATOR_CONTAINER_H

#include "automator/automator.h"
#include "automator/tool.h"

/* The description of such an automator. */
#define CONTAINER_SCHEMA(title) \
	"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"" title "\",\"type\":\"object\",\"stream\":true,\"status\":true," \
	"\"required\":[\"image_name\"],\"properties\":{" \
	"\"image_name\":{\"type\":\"string\",\"description\":\"The image, as mysql or registry.example.net/shop:2\"}," \
	"\"command\":{\"type\":\"string\",\"description\":\"What runs in it in place of what the image says, split into words as in a shell; nothing is expanded\"}," \
	"\"publish_ports\":{\"type\":\"string\",\"description\":\"Ports, separated by commas: 80, 8080:80, 127.0.0.1:8080:80, 53/udp\"}," \
	"\"volumes\":{\"type\":\"string\",\"description\":\"Folders of the node or named volumes, separated by commas: /data/mysql:/var/lib/mysql\"}," \
	"\"environment_variables\":{\"type\":\"string\",\"description\":\"NAME=VALUE, separated by commas that are not in quotes\"}," \
	"\"environment\":{\"type\":\"string\",\"description\":\"The place in the configuration of an object whose members are more variables, as mysql/environment\"}," \
	"\"links\":{\"type\":\"string\",\"description\":\"Other containers of the node and what they are called in this one, separated by commas: coopr-mysql:db\"}," \
	"\"container_name\":{\"type\":\"string\",\"description\":\"Its name; by default coopr- and the last part of the image's\"}," \
	"\"pull\":{\"type\":\"string\",\"enum\":[\"always\",\"missing\",\"never\"],\"description\":\"When install fetches the image: always, by default, or where there is none\"}," \
	TOOL_PROPERTIES "}}"

/* Fills the work of a task; engine is the program, "docker" or "podman". Returns -1 with EX_CONFIG where a field is wrong. */
int container_prepare(const char *engine, const struct task *task, struct arena *arena, struct automator_work *work, struct error *err);

#endif
