/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/opennebula/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/base64.h"
#include "cloud/opennebula/account.h"
#include "cloud/opennebula/machine.h"
#include "cloud/opennebula/names.h"
#include "cloud/opennebula/request.h"
#include "cloud/xml.h"
#include "cloud/xmlrpc.h"

static void
one_add(struct buffer *xml, const char *name, const char *value)
{
	if (!value)
		return;
	buffer_printf(xml, "<%s>", name);
	xml_escape(xml, value);
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
one_add_context(const struct one_account *account, const struct cloud_order *order, struct buffer *xml, struct arena *arena)
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
	const struct one_account *account = cloud->state;
	int64_t image = one_id(cloud, "image", order->image, stop, err);

	if (image < 0)
		return -1;
	buffer_printf(xml, "<DISK><IMAGE_ID>%lld</IMAGE_ID>", (long long)image);
	if (account->disk_gb > 0)
		buffer_printf(xml, "<SIZE>%lld</SIZE>", (long long)account->disk_gb * 1024);
	one_add(xml, "TARGET", account->disk_target);
	buffer_text(xml, "</DISK>");
	for (size_t i = 0; i < account->networks.count; i++) {
		int64_t network = one_id(cloud, "vn", account->networks.list[i], stop, err);

		if (network < 0)
			return -1;
		buffer_printf(xml, "<NIC><NETWORK_ID>%lld</NETWORK_ID>", (long long)network);
		if (account->groups.count > 0)
			buffer_text(xml, "<SECURITY_GROUPS>");
		for (size_t k = 0; k < account->groups.count; k++) {
			buffer_text(xml, k ? "," : "");
			xml_escape(xml, account->groups.list[k]);
		}
		buffer_printf(xml, "%s</NIC>", account->groups.count > 0 ? "</SECURITY_GROUPS>" : "");
	}
	return 0;
}

bool
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
	const struct one_account *account = cloud->state;
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

const char *
one_write_order(const struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct buffer *call, struct error *err)
{
	const char *method = "one.vm.allocate";
	struct buffer xml = {0};
	double cpus, memory_mb;
	int64_t template = 0;
	char *name;

	if (!one_read_size(order->flavor, &cpus, &memory_mb)) {
		method = "one.template.instantiate";
		template = one_id(cloud, "template", order->flavor, stop, err);
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
