/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/opennebula: virtual machines of OpenNebula, by its XML-RPC API, coopr-clouds(7). The API takes no word that names a request, so that a
 * machine whose answer was lost is found by its attributes. Ours are in USER_TEMPLATE, where people see them, and in CONTEXT, from which they are
 * read: what is in the former a machine may change itself, by OneGate, and so it reports its host keys.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/base64.h"
#include "cloud/cloud.h"
#include "cloud/console.h"
#include "cloud/fields.h"
#include "cloud/known-id.h"
#include "cloud/plugin.h"
#include "cloud/xml.h"
#include "cloud/xmlrpc.h"

enum { PAGE = 200, WINDOW_MS = 60 * 1000, PENDING_S = 60, MINE = -3, VISIBLE = -2, NOT_DONE = -1 };

/* Codes of errors. */
enum { ONE_AUTHENTICATION = 0x100, ONE_AUTHORIZATION = 0x200, ONE_NO_EXISTS = 0x400, ONE_ACTION = 0x800, ONE_INTERNAL = 0x2000, ONE_LOCKED = 0x8000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider opennebula\",\"type\":\"object\",\"flavors\":true," CLOUD_DESCRIBES
    "\"required\":[\"api_user\",\"api_password\",\"endpoint\"],\"properties\":{" CLOUD_PROPERTIES ","
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

struct account { /* what the fields say */
	const char *url, *session, *disk_target, *context_target, *arch, *root, *public_key;
	struct string_list networks, groups;
	int64_t disk_gb;
	double pending_s;
	bool old;             /* under the lock, as below: the cloud has no one.vmpool.infoextended */
	struct known_id *ids; /* of templates, images, networks and clusters that were named */
};

static void
one_open(struct cloud *cloud, struct client_settings *settings)
{
	struct account *account = memory_zeroed(1, sizeof *account);
	const char *user = cloud_field(cloud, "api_user"), *password = cloud_field(cloud, "api_password");

	(void)settings;
	cloud->state = account;
	fields_require(cloud, "api_user", "the name of a user");
	fields_require(cloud, "api_password", "its password or login token");
	fields_require(cloud, "endpoint", "the URL of the API, such as https://one.example.net:2633/RPC2");
	account->url = cloud_field(cloud, "endpoint");
	account->session = arena_printf(&cloud->arena, "%s:%s", user ? user : "", password ? password : "");
	account->networks = fields_words(cloud, "networks");
	account->groups = fields_words(cloud, "security_groups");
	account->disk_gb = fields_integer(cloud, "disk_size_gb", 1, 1024 * 1024);
	account->disk_target = cloud_field(cloud, "disk_target");
	account->context_target = cloud_field(cloud, "context_target");
	account->arch = cloud_field(cloud, "os_arch");
	account->root = cloud_field(cloud, "os_root");
	account->public_key = cloud_field(cloud, "public_key");
	account->pending_s = place_number(&cloud->fields, "pending_s", PENDING_S, 0, 86400);
}

/* --- calls --- */

struct one_reply { /* zero-initialise but for its answer */
	struct client_answer answer;
	struct arena arena;
	const char *value;       /* a number, or a document as text */
	struct _xmlDoc *document; /* of that text, where one is read */
	long code;               /* of an error of OpenNebula */
};

#define ONE_REPLY_NONE ((struct one_reply){.answer = {.wait_ms = -1}})

static void
one_release(struct one_reply *reply)
{
	xml_free(reply->document);
	arena_release(&reply->arena);
	client_answer_release(&reply->answer);
	*reply = ONE_REPLY_NONE;
}

static void
one_begin(const struct cloud *cloud, struct buffer *call, const char *method)
{
	const struct account *account = cloud->state;

	xmlrpc_begin(call, method);
	xmlrpc_add_string(call, account->session);
}

/* Sets err to what the cloud says is wrong. Quotas are refused as what nobody may do. */
static int
one_refused(const char *method, struct one_reply *reply, struct error *err)
{
	bool quota = strstr(reply->value, "quota") != NULL;
	int code = quota ? CLOUD_NO_QUOTA : reply->code == ONE_AUTHENTICATION || reply->code == ONE_AUTHORIZATION ? EX_NOPERM
	    : reply->code == ONE_NO_EXISTS ? EX_NOINPUT
	    : reply->code == ONE_ACTION || reply->code == ONE_INTERNAL || reply->code == ONE_LOCKED ? EX_TEMPFAIL : EX_CONFIG;

	return error_set(err, code, "%s: %.400s", method, *reply->value ? reply->value : "it failed");
}

/* Reads (boolean, value, code). What is no such answer may be one of somebody in between. */
static int
one_read(const char *method, struct one_reply *reply, struct error *err)
{
	struct _xmlDoc *document = xml_parse(method, &reply->answer.body, err);
	const struct _xmlNode *value = document ? xmlrpc_value(document, method, &reply->arena, err) : NULL;
	bool whole = value && xmlrpc_element(value, 0) && xmlrpc_element(value, 1);
	int result = -1;

	if (whole && strcmp(xmlrpc_text(xmlrpc_element(value, 0), &reply->arena), "1") == 0) {
		result = 0;
	} else if (whole) {
		reply->code = strtol(xmlrpc_text(xmlrpc_element(value, 2), &reply->arena), NULL, 10);
	} else if (value) {
		error_set(err, EX_TEMPFAIL, "%s: the answer is none of OpenNebula", method);
	}
	if (whole) {
		reply->value = xmlrpc_text(xmlrpc_element(value, 1), &reply->arena);
		if (result < 0)
			one_refused(method, reply, err);
	} else {
		reply->answer.unknown = err->code == EX_TEMPFAIL;
	}
	xml_free(document);
	return result;
}

/* Ends the call and sends it. repeatable as in struct client_request. */
static int
one_ask(const struct cloud *cloud, struct buffer *call, const char *method, bool repeatable, const struct stop *stop, struct one_reply *reply,
    struct error *err)
{
	const struct account *account = cloud->state;
	struct client_request request = {.method = "POST", .url = account->url, .type = "text/xml", .repeatable = repeatable};
	int result;

	xmlrpc_end(call);
	request.body = call->data;
	request.length = call->length;
	one_release(reply);
	result = client_send(cloud->client, &request, stop, &reply->answer, err);
	if (result == 0 && reply->answer.status / 100 != 2)
		result = client_refused(&request, &reply->answer, err);
	else if (result == 0)
		result = one_read(method, reply, err);
	/* What failed within may have been done. */
	reply->answer.unknown |= reply->code == ONE_INTERNAL;
	buffer_release(call);
	return result;
}

/* Does the same for a value that is a document. Returns its root; NULL with an error. */
static const struct _xmlNode *
one_ask_document(const struct cloud *cloud, struct buffer *call, const char *method, const struct stop *stop, struct one_reply *reply, struct error *err)
{
	struct buffer text = {0};

	if (one_ask(cloud, call, method, true, stop, reply, err) < 0)
		return NULL;
	buffer_text(&text, reply->value);
	reply->document = xml_parse(method, &text, err);
	buffer_release(&text);
	return reply->document ? xml_root(reply->document) : NULL;
}

/* --- names of templates, images, networks and clusters --- */

/* Asks for a pool, "template", "image", "vn" or "cluster". */
static const struct _xmlNode *
one_ask_pool(const struct cloud *cloud, const char *pool, const struct stop *stop, struct one_reply *reply, struct error *err)
{
	struct buffer call = {0};
	char *method = memory_printf("one.%spool.info", pool);
	const struct _xmlNode *root;

	one_begin(cloud, &call, method);
	for (unsigned i = 0; strcmp(pool, "cluster") != 0 && i < 3; i++)
		xmlrpc_add_integer(&call, i == 0 ? VISIBLE : -1);
	root = one_ask_document(cloud, &call, method, stop, reply, err);
	free(method);
	return root;
}

static bool
one_is_id(const char *text)
{
	return *text && strlen(text) < 10 && strspn(text, "0123456789") == strlen(text);
}

/* Returns the id that a name in a pool stands for, or -1 with an error. */
static int64_t
one_id(const struct cloud *cloud, const char *pool, const char *what, const char *name, const struct stop *stop, struct error *err)
{
	struct account *account = cloud->state;
	struct one_reply reply = ONE_REPLY_NONE;
	struct arena arena = {0};
	const char *id = one_is_id(name) ? name : known_id_find(&account->ids, pool, name, &arena);
	const struct _xmlNode *root = id ? NULL : one_ask_pool(cloud, pool, stop, &reply, err);
	int64_t number;

	for (const struct _xmlNode *item = xml_child(root, NULL); item && !id; item = xml_next(item, NULL)) {
		const char *its = xml_text(item, "NAME", &arena);

		if (its && strcmp(its, name) == 0)
			id = xml_text(item, "ID", &arena);
	}
	if (root && id)
		known_id_keep(&account->ids, pool, name, id);
	else if (root)
		error_set(err, EX_CONFIG, "OpenNebula has no %s called %s", what, name);
	number = id ? strtol(id, NULL, 10) : -1;
	one_release(&reply);
	arena_release(&arena);
	return number;
}

/* --- machines --- */

/* Returns the name that a tag has as an attribute, "coopr-node" as COOPR_NODE, in the arena. */
static char *
one_attribute(const char *tag, struct arena *arena)
{
	char *name = arena_string(arena, tag);

	for (char *at = name; *at; at++)
		*at = *at == '-' ? '_' : *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
	return name;
}

/* Sets the state by the numbers that OpenNebula has for it. */
static void
one_read_state(const struct account *account, const struct _xmlNode *vm, struct arena *arena, struct cloud_machine *machine)
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
	} else if (number == PENDING && message && (double)(clock_wall_ms() - machine->made_ms) > account->pending_s * 1000) {
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
one_read_machine(const struct cloud *cloud, const struct _xmlNode *vm, struct cloud_machines *machines, struct error *err)
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
	one_read_state(cloud->state, vm, arena, &machine);
	one_read_tags(vm, machines, &machine);
	*cloud_machines_add(machines) = machine;
	return 0;
}

/* --- list --- */

/* Asks for a page: so many of the user's machines from an offset on. Old clouds say all of them with one.vmpool.info. */
static const struct _xmlNode *
one_ask_page(const struct cloud *cloud, int64_t offset, const struct stop *stop, struct one_reply *reply, struct error *err)
{
	struct account *account = cloud->state;
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
			result = one_read_machine(cloud, vm, found, err);
			last = xml_text(vm, "ID", &arena);
		}
	}
	one_release(&reply);
	arena_release(&arena);
	return result;
}

static int
one_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	return cloud_list_whole(cloud, one_list_pages, "OpenNebula's list of machines", stop, found, err);
}

/* --- make --- */

static void
one_add(struct buffer *xml, const char *name, const char *value)
{
	if (!value)
		return;
	buffer_printf(xml, "<%s>", name);
	xmlrpc_escape(xml, value);
	buffer_printf(xml, "</%s>", name);
}

static void
one_add_base64(struct buffer *xml, const char *name, const char *text)
{
	char *encoded = base64_encode(text, strlen(text));

	one_add(xml, name, encoded);
	free(encoded);
}

/* What the machine gets: the key, and a script that reports its host keys where the image has the client of OneGate. A "$" would be expanded by
 * the cloud, which base64 has not. */
static void
one_add_context(const struct account *account, const struct cloud_order *order, struct buffer *xml, struct arena *arena)
{
	static const char script[] = "#!/bin/sh\n"
	    "( for i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
	    "keys=$(cat /etc/ssh/ssh_host_*_key.pub 2>/dev/null | base64 | tr -d '\\n')\n"
	    "[ -z \"$keys\" ] || { onegate vm update --data \"COOPR_HOST_KEYS=$keys\" && break; }\nsleep 5\ndone ) >/dev/null 2>&1 &\n";
	const char *key = order->key ? order->key : account->public_key;

	buffer_text(xml, "<CONTEXT><NETWORK>YES</NETWORK><TOKEN>YES</TOKEN>");
	one_add(xml, "TARGET", account->context_target);
	one_add(xml, "SSH_PUBLIC_KEY", key ? key : "$USER[SSH_PUBLIC_KEY]");
	one_add(xml, "SET_HOSTNAME", order->name);
	one_add_base64(xml, "START_SCRIPT_BASE64", script);
	if (*order->user_data) {
		one_add_base64(xml, "USER_DATA", order->user_data);
		one_add(xml, "USERDATA_ENCODING", "base64");
	}
	one_add(xml, "COOPR_ZONE", order->zone);
	for (size_t i = 0; i < order->tag_count; i++)
		one_add(xml, one_attribute(order->tags[i][0], arena), order->tags[i][1]);
	buffer_text(xml, "</CONTEXT>");
}

static int
one_add_devices(const struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct buffer *xml, struct error *err)
{
	const struct account *account = cloud->state;
	int64_t image = one_id(cloud, "image", "image", order->image, stop, err);

	if (image < 0)
		return -1;
	buffer_printf(xml, "<DISK><IMAGE_ID>%lld</IMAGE_ID>", (long long)image);
	if (account->disk_gb > 0)
		buffer_printf(xml, "<SIZE>%lld</SIZE>", (long long)account->disk_gb * 1024);
	one_add(xml, "TARGET", account->disk_target);
	buffer_text(xml, "</DISK>");
	for (size_t i = 0; i < account->networks.count; i++) {
		int64_t network = one_id(cloud, "vn", "network", account->networks.list[i], stop, err);

		if (network < 0)
			return -1;
		buffer_printf(xml, "<NIC><NETWORK_ID>%lld</NETWORK_ID>", (long long)network);
		if (account->groups.count > 0)
			buffer_text(xml, "<SECURITY_GROUPS>");
		for (size_t k = 0; k < account->groups.count; k++) {
			buffer_text(xml, k ? "," : "");
			xmlrpc_escape(xml, account->groups.list[k]);
		}
		buffer_printf(xml, "%s</NIC>", account->groups.count > 0 ? "</SECURITY_GROUPS>" : "");
	}
	return 0;
}

/* Reads a flavor that is a size and no template, "2x4096": CPUs and MB. */
static bool
one_read_size(const char *flavor, double *cpus, double *memory_mb)
{
	char *end;

	*cpus = strtod(flavor, &end);
	if (end == flavor || *end != 'x' || *cpus <= 0)
		return false;
	flavor = end + 1;
	*memory_mb = strtod(flavor, &end);
	return end != flavor && !*end && *memory_mb >= 1;
}

/* Writes what the machine is to have, beside what its template says. */
static int
one_add_template(const struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct buffer *xml, struct error *err)
{
	const struct account *account = cloud->state;
	struct arena arena = {0};
	double cpus, memory_mb;
	int result;

	buffer_text(xml, "<TEMPLATE>");
	if (one_read_size(order->flavor, &cpus, &memory_mb)) {
		one_add(xml, "NAME", arena_printf(&arena, "%s-%.12s", order->name, order->token));
		buffer_printf(xml, "<CPU>%.15g</CPU><VCPU>%.0f</VCPU><MEMORY>%.0f</MEMORY>", cpus, cpus < 1 ? 1 : cpus, memory_mb);
		if (account->arch || account->root) {
			buffer_text(xml, "<OS>");
			one_add(xml, "ARCH", account->arch);
			one_add(xml, "ROOT", account->root);
			buffer_text(xml, "</OS>");
		}
	}
	result = one_add_devices(cloud, order, stop, xml, err);
	one_add_context(account, order, xml, &arena);
	if (order->zone)
		one_add(xml, "SCHED_REQUIREMENTS", arena_printf(&arena, "CLUSTER = \"%.*s\"", (int)strcspn(order->zone, "\"\\"), order->zone));
	for (size_t i = 0; i < order->tag_count; i++)
		one_add(xml, one_attribute(order->tags[i][0], &arena), order->tags[i][1]);
	buffer_text(xml, "</TEMPLATE>");
	arena_release(&arena);
	return result;
}

/* Writes the call that makes it: of a template, or of a size alone. Returns the method; NULL with an error. */
static const char *
one_write_order(const struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct buffer *call, struct error *err)
{
	const char *method = "one.vm.allocate";
	struct buffer xml = {0};
	double cpus, memory_mb;
	int64_t template = 0;
	char *name;

	if (!one_read_size(order->flavor, &cpus, &memory_mb)) {
		method = "one.template.instantiate";
		template = one_id(cloud, "template", "template", order->flavor, stop, err);
	}
	if (template < 0 || one_add_template(cloud, order, stop, &xml, err) < 0) {
		buffer_release(&xml);
		return NULL;
	}
	one_begin(cloud, call, method);
	if (strcmp(method, "one.vm.allocate") == 0) {
		xmlrpc_add_string(call, buffer_string(&xml));
		xmlrpc_add_boolean(call, false);
	} else {
		name = memory_printf("%s-%.12s", order->name, order->token);
		xmlrpc_add_integer(call, template);
		xmlrpc_add_string(call, name);
		xmlrpc_add_boolean(call, false);
		xmlrpc_add_string(call, buffer_string(&xml));
		xmlrpc_add_boolean(call, false);
		free(name);
	}
	buffer_release(&xml);
	return method;
}

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

/* --- what is asked without making anything --- */

/* Tells who the user is, or how many machines it has and may have. */
static int
one_try_user(const struct cloud *cloud, bool quota, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	struct one_reply reply = ONE_REPLY_NONE;
	struct buffer call = {0};
	const struct _xmlNode *root;
	const char *limit, *used;
	int result;

	one_begin(cloud, &call, "one.user.info");
	xmlrpc_add_integer(&call, -1);
	root = one_ask_document(cloud, &call, "one.user.info", stop, &reply, err);
	limit = xml_text(root, "VM_QUOTA/VM/VMS", arena);
	used = xml_text(root, "VM_QUOTA/VM/VMS_USED", arena);
	result = root ? 0 : -1;
	if (root && !quota)
		*said = xml_text(root, "NAME", arena);
	else if (root && (!limit || !used || strtol(limit, NULL, 10) < 0))
		result = 1; /* without a limit, or with that of all users, which only some may see */
	else if (root && strtol(used, NULL, 10) >= strtol(limit, NULL, 10))
		result = error_set(err, CLOUD_NO_QUOTA, "%s of %s machines, which is all", used, limit);
	else if (root)
		*said = arena_printf(arena, "%s of %s machines", used, limit);
	one_release(&reply);
	return result;
}

static int
one_try_name(const struct cloud *cloud, const char *pool, const char *what, const char *name, const struct stop *stop, struct arena *arena,
    const char **said, struct error *err)
{
	int64_t id = one_id(cloud, pool, what, name, stop, err);

	if (id >= 0)
		*said = arena_printf(arena, "%s %lld", what, (long long)id);
	return id < 0 ? -1 : 0;
}

static int
one_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	const struct account *account = cloud->state;
	double cpus, memory_mb;
	int result = 1;

	if (trial == CLOUD_TRY_CREDENTIALS || trial == CLOUD_TRY_QUOTA)
		return one_try_user(cloud, trial == CLOUD_TRY_QUOTA, stop, arena, said, err);
	if (trial == CLOUD_TRY_ZONE && name)
		return one_try_name(cloud, "cluster", "cluster", name, stop, arena, said, err);
	if (trial == CLOUD_TRY_FLAVOR && !one_read_size(name, &cpus, &memory_mb))
		return one_try_name(cloud, "template", "template", name, stop, arena, said, err);
	if (trial == CLOUD_TRY_IMAGE)
		return one_try_name(cloud, "image", "image", name, stop, arena, said, err);
	for (size_t i = 0; trial == CLOUD_TRY_NETWORK && result >= 0 && i < account->networks.count; i++)
		result = one_try_name(cloud, "vn", "network", account->networks.list[i], stop, arena, said, err);
	return trial == CLOUD_TRY_FLAVOR ? 0 : result;
}

static int
one_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err)
{
	struct one_reply reply = ONE_REPLY_NONE;
	const struct _xmlNode *root = one_ask_pool(cloud, "template", stop, &reply, err);
	int result = root ? 0 : -1;

	for (const struct _xmlNode *item = xml_child(root, "VMTEMPLATE"); item; item = xml_next(item, "VMTEMPLATE")) {
		const char *name = xml_text(item, "NAME", &flavors->arena), *memory = xml_text(item, "TEMPLATE/MEMORY", &flavors->arena);
		const char *vcpus = xml_text(item, "TEMPLATE/VCPU", &flavors->arena), *cpus = vcpus ? vcpus : xml_text(item, "TEMPLATE/CPU", &flavors->arena);

		if (name)
			*cloud_flavors_add(flavors) = (struct cloud_flavor){.name = name, .cpus = cpus ? strtod(cpus, NULL) : 0,
			    .memory_mb = memory ? strtod(memory, NULL) : 0, .per_hour = -1};
	}
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
