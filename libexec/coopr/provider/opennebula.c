/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/opennebula: virtual machines of OpenNebula, by its XML-RPC API, coopr-clouds(7). The API takes no word that names a request, so that a
 * machine whose answer was lost is found by its attributes. Ours are in USER_TEMPLATE, where people see them, and in CONTEXT, from which they are
 * read: what is in the former a machine may change itself, by OneGate, and so it reports its host keys.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/console.h"
#include "cloud/opennebula/account.h"
#include "cloud/opennebula/machine.h"
#include "cloud/opennebula/order.h"
#include "cloud/opennebula/request.h"
#include "cloud/opennebula/trial.h"
#include "cloud/plugin.h"
#include "cloud/xmlrpc.h"

enum { WINDOW_MS = 60 * 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider opennebula\",\"type\":\"object\",\"flavors\":true," CLOUD_DESCRIBES
    "\"required\":[\"api_user\",\"api_password\",\"endpoint\"],\"properties\":{" CLOUD_PROPERTIES "," CLOUD_CONFIG_PROPERTY ","
    "\"api_user\":{\"type\":\"string\",\"description\":\"The name of a user\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"Its password or login token; a secret\"},"
    "\"endpoint\":{\"type\":\"string\",\"description\":\"The URL of the API, such as https://one.example.net:2633/RPC2\"},"
    "\"networks\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Names or ids of virtual networks, with commas between them; by default as the template says\"},"
    "\"security_groups\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Ids of security groups of the networks\"},"
    "\"disk_size_gb\":{\"type\":[\"string\",\"integer\"],\"description\":\"The size of the disk that is made of the image; by default that of the image\"},"
    "\"disk_target\":{\"type\":\"string\",\"description\":\"The device that the disk is, such as vda; by default as the cloud chooses\"},"
    "\"context_target\":{\"type\":\"string\",\"description\":\"The device with the context, such as hdb; by default as the cloud chooses\"},"
    "\"os_arch\":{\"type\":\"string\",\"description\":\"The architecture of machines that are of no template, such as x86_64\"},"
    "\"os_root\":{\"type\":\"string\",\"description\":\"The root device of these\"},"
    "\"pending_s\":{\"type\":\"number\",\"default\":60,\"description\":\"For how long a machine that no host has room for waits for one\"},"
    "\"public_key\":{\"type\":\"string\",\"description\":\"The public key for clusters without a key of their own; by default that of the user\"}}}";

static int
one_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	struct one_reply reply = ONE_REPLY_NONE;
	struct buffer call = {0};
	const char *method = one_write_order(cloud, order, stop, &call, err);
	int result = method ? one_ask(cloud, &call, method, false, stop, &reply, err) : -1;

	*unknown = method && reply.answer.unknown;
	if (result == 0)
		cloud_machines_add(made)->id = arena_string(&made->arena, reply.value);
	else if (err->code == EX_NOINPUT)
		err->code = EX_CONFIG;
	one_release(&reply);
	return result;
}

/* --- remove --- */

static int
one_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	struct one_reply reply = ONE_REPLY_NONE;
	struct buffer call = {0};
	int result;

	one_begin(cloud, &call, "one.vm.action");
	xmlrpc_add_string(&call, "terminate-hard");
	xmlrpc_add_integer(&call, strtoll(machine->id, NULL, 10));
	result = one_ask(cloud, &call, "one.vm.action", true, stop, &reply, err);
	/* It is gone; or it is in between two states, and is asked for again where it stays. */
	if (result < 0 && (reply.code == ONE_NO_EXISTS || reply.code == ONE_ACTION))
		result = 0;
	one_release(&reply);
	return result;
}

/* --- host keys --- */

/* Sets keys to those of the machine's files, which are in base64. */
static void
one_read_keys(const char *encoded, struct arena *arena, struct string_list *keys)
{
	size_t length = 0;
	char *text = memory_zeroed(strlen(encoded) + 1, 1);

	if (sodium_base642bin((unsigned char *)text, strlen(encoded), encoded, strlen(encoded), " \r\n", &length, NULL, sodium_base64_VARIANT_ORIGINAL) < 0)
		length = 0;
	text[length] = '\0';
	console_read_lines(text, arena, keys);
	free(text);
}

static int
one_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena, struct string_list *keys,
    struct error *err)
{
	struct one_reply reply = ONE_REPLY_NONE;
	struct buffer call = {0};
	const struct _xmlNode *root;
	const char *encoded;
	int result;

	*keys = (struct string_list){0};
	one_begin(cloud, &call, "one.vm.info");
	xmlrpc_add_integer(&call, strtoll(machine->id, NULL, 10));
	root = one_ask_document(cloud, &call, "one.vm.info", stop, &reply, err);
	encoded = xml_text(root, "USER_TEMPLATE/COOPR_HOST_KEYS", &reply.arena);
	if (encoded)
		one_read_keys(encoded, arena, keys);
	result = root || reply.code == ONE_NO_EXISTS ? 0 : -1;
	one_release(&reply);
	return result;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "opennebula", .schema = schema, .user = "root", .per_second = 10, .window_ms = WINDOW_MS,
	    .open = one_open, .make = one_make, .list = one_list, .remove = one_remove, .host_keys = one_host_keys, .try = one_try,
	    .flavors = one_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
