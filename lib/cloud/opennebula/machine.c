/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/opennebula/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/opennebula/account.h"
#include "cloud/opennebula/request.h"
#include "cloud/xmlrpc.h"

enum { PAGE = 200, MINE = -3, NOT_DONE = -1 };

char *
one_attribute(const char *tag, struct arena *arena)
{
	char *name = arena_string(arena, tag);

	for (char *at = name; *at; at++)
		*at = *at == '-' ? '_' : *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
	return name;
}

/* Sets the state by the numbers that OpenNebula has for it, whose clock says now_ms. */
static void
one_read_state(const struct one_account *account, const struct _xmlNode *vm, int64_t now_ms, struct arena *arena, struct cloud_machine *machine)
{
	enum { PENDING = 1, ACTIVE = 3, DONE = 6, FAILED = 7, CLONING_FAILURE = 11, LCM_RUNNING = 3, LCM_BOOT_FAILURE = 36, LCM_PROLOG_FAILURE = 39 };
	const char *state = xml_text(vm, "STATE", arena), *lcm = xml_text(vm, "LCM_STATE", arena), *message = xml_text(vm, "USER_TEMPLATE/SCHED_MESSAGE", arena);
	long number = state ? strtol(state, NULL, 10) : 0, within = lcm ? strtol(lcm, NULL, 10) : 0;

	machine->reason = xml_text(vm, "USER_TEMPLATE/ERROR", arena);
	if (number == DONE) {
		machine->state = CLOUD_GONE;
	} else if (number == ACTIVE && within == LCM_RUNNING) {
		machine->state = CLOUD_RUNNING;
	} else if (number == FAILED || number == CLONING_FAILURE || (number == ACTIVE && (within == LCM_BOOT_FAILURE || within == LCM_PROLOG_FAILURE))) {
		machine->state = CLOUD_FAILED;
	} else if (number == PENDING && message && (double)(now_ms - machine->made_ms) > account->pending_s * 1000) {
		/* The scheduler has looked for a host, and says why there is none. */
		machine->state = CLOUD_FAILED;
		machine->failure = CLOUD_NO_CAPACITY;
		machine->reason = message;
	}
}

static void
one_read_tags(const struct _xmlNode *vm, struct cloud_machines *machines, struct cloud_machine *machine)
{
	static const char *const tags[] = {CLOUD_TAG_NODE, CLOUD_TAG_TOKEN, CLOUD_TAG_CLUSTER, CLOUD_TAG_PROVIDER};

	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		const char *path = arena_printf(&machines->arena, "TEMPLATE/CONTEXT/%s", one_attribute(tags[i], &machines->arena));
		const char *value = xml_text(vm, path, &machines->arena);

		if (value)
			cloud_machine_tag(machines, machine, tags[i], value);
	}
}

/* Adds a machine, where it is one of this installation. */
static int
one_read_machine(const struct cloud *cloud, const struct _xmlNode *vm, int64_t now_ms, struct cloud_machines *machines, struct error *err)
{
	struct arena *arena = &machines->arena;
	struct cloud_machine machine = {.state = CLOUD_PENDING, .id = xml_text(vm, "ID", arena), .name = xml_text(vm, "NAME", arena)};
	const char *installation = xml_text(vm, arena_printf(arena, "TEMPLATE/CONTEXT/%s", one_attribute(CLOUD_TAG_INSTALLATION, arena)), arena);
	const char *made = xml_text(vm, "STIME", arena), *outer = xml_text(vm, "TEMPLATE/NIC/EXTERNAL_IP", arena);

	if (!machine.id)
		return error_set(err, EX_TEMPFAIL, "OpenNebula's answer has a machine without an id");
	if (!installation || strcmp(installation, cloud->installation) != 0)
		return 0;
	machine.made_ms = made ? (int64_t)strtoll(made, NULL, 10) * 1000 : 0;
	machine.bind_v4 = xml_text(vm, "TEMPLATE/NIC/IP", arena);
	machine.access_v4 = outer ? outer : machine.bind_v4;
	machine.access_v6 = xml_text(vm, "TEMPLATE/NIC/IP6_GLOBAL", arena);
	machine.zone = xml_text(vm, "TEMPLATE/CONTEXT/COOPR_ZONE", arena);
	one_read_state(cloud->state, vm, now_ms, arena, &machine);
	one_read_tags(vm, machines, &machine);
	*cloud_machines_add(machines) = machine;
	return 0;
}

/* --- list --- */

/* Asks for a page: so many of the user's machines from an offset on. Old clouds say all of them with one.vmpool.info. */
static const struct _xmlNode *
one_ask_page(const struct cloud *cloud, int64_t offset, const struct stop *stop, struct one_reply *reply, struct error *err)
{
	struct one_account *account = cloud->state;
	const struct _xmlNode *root = NULL;

	for (bool again = true; again && !root;) {
		struct buffer call = {0};
		const char *method;

		stop_lock();
		method = account->old ? "one.vmpool.info" : "one.vmpool.infoextended";
		stop_unlock();
		one_begin(cloud, &call, method);
		xmlrpc_add_integer(&call, MINE);
		xmlrpc_add_integer(&call, offset);
		xmlrpc_add_integer(&call, -PAGE);
		xmlrpc_add_integer(&call, NOT_DONE);
		root = one_ask_document(cloud, &call, method, stop, reply, err);
		/* A fault, which says that there is no such method. */
		again = !root && err->code == EX_CONFIG && strcmp(method, "one.vmpool.infoextended") == 0 && reply->code == 0 && reply->answer.status == 200;
		if (again) {
			stop_lock();
			account->old = true;
			stop_unlock();
		}
	}
	return root;
}

/* Reads the pages. Each begins with the machine that the one before ended with: where it does not, there are others by now. Returns 1 then. */
static int
one_list_pages(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	struct one_reply reply = ONE_REPLY_NONE;
	struct arena arena = {0};
	const char *last = NULL;
	int64_t count = PAGE;
	int result = 0;

	for (int64_t offset = 0; result == 0 && count == PAGE; offset += PAGE - 1) {
		const struct _xmlNode *root = one_ask_page(cloud, offset, stop, &reply, err), *vm = xml_child(root, "VM");

		count = 0;
		result = root ? 0 : -1;
		if (root && strcmp(xml_name(root), "VM_POOL") != 0)
			result = error_set(err, EX_TEMPFAIL, "OpenNebula's answer is no list of machines");
		if (result == 0 && last) {
			const char *first = vm ? xml_text(vm, "ID", &arena) : NULL;

			result = !first || strcmp(first, last) != 0;
			vm = vm ? xml_next(vm, "VM") : NULL;
			count++;
		}
		for (; result == 0 && vm; vm = xml_next(vm, "VM"), count++) {
			result = one_read_machine(cloud, vm, clock_wall_ms() + reply.answer.skew_ms, found, err);
			last = xml_text(vm, "ID", &arena);
		}
	}
	one_release(&reply);
	arena_release(&arena);
	return result;
}

int
one_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	return cloud_list_whole(cloud, one_list_pages, "OpenNebula's list of machines", stop, found, err);
}
