/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/joyent/machine.h"

#include <stdlib.h>
#include <string.h>

#include "address/range.h"
#include "base/error.h"
#include "cloud/joyent/request.h"

enum { PAGE = 1000 };

/* Takes one of the addresses: those of a network of its own are between machines. */
static void
jo_read_address(const char *address, struct cloud_machine *machine)
{
	bool six = strchr(address, ':') != NULL, inside = range_is_private(address);
	const char **to = six ? (inside ? &machine->bind_v6 : &machine->access_v6) : inside ? &machine->bind_v4 : &machine->access_v4;

	if (!*to)
		*to = address;
}

int
jo_read_machine(jv value, struct cloud_machines *machines, struct error *err)
{
	struct arena *arena = &machines->arena;
	struct cloud_machine machine = {.id = json_arena_string(value, "id", arena), .name = json_arena_string(value, "name", arena)};
	const char *state = json_arena_string(value, "state", arena), *made = json_arena_string(value, "created", arena);
	jv ips = json_get(value, "ips"), tags = json_get(value, "tags");

	machine.state = state && strcmp(state, "running") == 0 ? CLOUD_RUNNING : state && strcmp(state, "failed") == 0 ? CLOUD_FAILED
	    : state && strcmp(state, "deleted") == 0 ? CLOUD_GONE : CLOUD_PENDING;
	machine.made_ms = cloud_time(made);
	for (size_t i = 0; i < json_length(ips); i++) {
		jv ip = json_element(ips, i);

		if (json_string(ip))
			jo_read_address(arena_substring(arena, json_string(ip), strcspn(json_string(ip), "/")), &machine);
		jv_free(ip);
	}
	jv_free(ips);
	if (!machine.access_v4 && !machine.access_v6)
		machine.access_v4 = machine.bind_v4;
	cloud_machine_tags(machines, &machine, tags);
	jv_free(tags);
	if (machine.state == CLOUD_FAILED)
		machine.reason = "Triton could not provision it";
	if (!machine.id)
		return error_set(err, EX_TEMPFAIL, "Triton's answer has a machine without an id");
	*cloud_machines_add(machines) = machine;
	return 0;
}

/* Reads the pages. They begin at an offset, so that a machine which goes moves another from the next page to the one that was read. Returns 1 where a
 * list of several pages has not as many as the first of them says that there are. */
static int
jo_list_pages(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	char *escaped = client_escape(cloud->installation), code[JO_CODE_SIZE];
	int result = 0;
	size_t count = PAGE;
	long total = -1;

	for (size_t offset = 0; result == 0 && count == PAGE; offset += PAGE) {
		char *path = memory_printf("/machines?tag." CLOUD_TAG_INSTALLATION "=%s&limit=%d&offset=%zu", escaped, PAGE, offset);
		struct client_answer answer = {.wait_ms = -1};
		jv list;

		result = jo_ask(cloud, "GET", path, NULL, stop, &answer, &list, code, err);
		if (offset == 0)
			total = answer.wanted ? strtol(answer.wanted, NULL, 10) : -1;
		count = result == 0 ? json_length(list) : 0;
		for (size_t i = 0; result == 0 && i < count; i++) {
			jv machine = json_element(list, i);

			result = jo_read_machine(machine, found, err);
			jv_free(machine);
		}
		jv_free(list);
		client_answer_release(&answer);
		free(path);
	}
	free(escaped);
	return result < 0 ? -1 : found->count >= PAGE && total >= 0 && found->count != (size_t)total;
}

int
jo_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	return cloud_list_whole(cloud, jo_list_pages, "Triton's list of machines", stop, found, err);
}
