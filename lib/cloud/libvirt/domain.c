/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/libvirt/domain.h"

#include <libvirt/virterror.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cloud/libvirt/disk.h"
#include "cloud/libvirt/host.h"
#include "cloud/xml.h"

enum { MEMORY_MIB = 1024 };

#define NAMESPACE "urn:coopr:libvirt:1"
#define PREFIX "coopr-"

/* --- described --- */

static void
domain_add(struct buffer *xml, const char *before, const char *text, const char *behind)
{
	buffer_text(xml, before);
	xml_escape(xml, text);
	buffer_text(xml, behind);
}

/* Returns the type of domains: KVM where the host has that. NULL with an error. */
static const char *
domain_type(const struct libvirt *libvirt, virConnectPtr connection, struct error *err)
{
	const char *driver = virConnectGetType(connection);
	char *capabilities;
	bool has_kvm;

	if (libvirt->domain_type)
		return libvirt->domain_type;
	if (driver && strcmp(driver, "TEST") == 0)
		return "test";
	if (driver && strcmp(driver, "Xen") == 0)
		return "xen";
	capabilities = virConnectGetCapabilities(connection);
	if (!capabilities) {
		libvirt_refused("capabilities", err);
		return NULL;
	}
	has_kvm = strstr(capabilities, "<domain type='kvm'");
	free(capabilities);
	return has_kvm ? "kvm" : "qemu";
}

static void
domain_add_metadata(const struct cloud_order *order, const char *host_key, struct buffer *xml)
{
	buffer_text(xml, "<metadata><c:machine xmlns:c='" NAMESPACE "'>");
	for (size_t i = 0; i < order->tag_count; i++) {
		const char *name = order->tags[i][0] + strlen(PREFIX);

		buffer_printf(xml, "<c:%s>", name);
		xml_escape(xml, order->tags[i][1]);
		buffer_printf(xml, "</c:%s>", name);
	}
	if (host_key)
		domain_add(xml, "<c:" DOMAIN_HOST_KEY ">", host_key, "</c:" DOMAIN_HOST_KEY ">");
	buffer_text(xml, "</c:machine></metadata>");
}

static void
domain_add_disk(const struct libvirt *libvirt, const char *volume, const char *format, const char *target, bool is_read_only, struct buffer *xml)
{
	domain_add(xml, "<disk type='volume' device='disk'><driver name='qemu' type='", format, "'/>");
	domain_add(xml, "<source pool='", libvirt->pool, "' ");
	domain_add(xml, "volume='", volume, "'/>");
	buffer_printf(xml, "<target dev='%s' bus='virtio'/>%s</disk>", target, is_read_only ? "<readonly/>" : "");
}

/* The console is for people, the channel for qemu's agent, where the image has it. */
static void
domain_add_devices(const struct libvirt *libvirt, const struct disks *disks, struct buffer *xml)
{
	buffer_text(xml, "<devices>");
	domain_add_disk(libvirt, disks->root, disks->root_format, "vda", false, xml);
	if (disks->seed)
		domain_add_disk(libvirt, disks->seed, "raw", "vdb", true, xml);
	if (libvirt->bridge)
		domain_add(xml, "<interface type='bridge'><source bridge='", libvirt->bridge, "'/>");
	else
		domain_add(xml, "<interface type='network'><source network='", libvirt->network, "'/>");
	buffer_text(xml, "<model type='virtio'/></interface><serial type='pty'/><console type='pty'/>"
	    "<channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0'/></channel>"
	    "<rng model='virtio'><backend model='random'>/dev/urandom</backend></rng></devices>");
}

const char *
domain_describe(const struct cloud *cloud, virConnectPtr connection, const struct cloud_order *order, const struct laboratory_size *size,
    const struct disks *disks, const char *host_key, struct arena *arena, struct error *err)
{
	const struct libvirt *libvirt = cloud->state;
	const char *type = domain_type(libvirt, connection, err), *text;
	struct buffer xml = {0};

	if (!type)
		return NULL;
	domain_add(&xml, "<domain type='", type, "'>");
	domain_add(&xml, "<name>", order->name, "</name>");
	domain_add(&xml, "<uuid>", order->token, "</uuid>");
	domain_add_metadata(order, host_key, &xml);
	buffer_printf(&xml, "<memory unit='MiB'>%.0f</memory><vcpu>%.0f</vcpu>", size->memory > 0 ? size->memory : MEMORY_MIB,
	    size->cpu > 0 ? ceil(size->cpu) : 1);
	if (libvirt->firmware)
		domain_add(&xml, "<os firmware='", libvirt->firmware, "'><type>hvm</type><boot dev='hd'/></os>");
	else
		buffer_text(&xml, "<os><type>hvm</type><boot dev='hd'/></os>");
	buffer_text(&xml, "<features><acpi/></features>");
	if (strcmp(type, "kvm") == 0)
		buffer_text(&xml, "<cpu mode='host-model'/>");
	buffer_text(&xml, "<on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot><on_crash>destroy</on_crash>");
	domain_add_devices(libvirt, disks, &xml);
	buffer_text(&xml, "</domain>");
	text = arena_string(arena, buffer_string(&xml));
	buffer_release(&xml);
	return text;
}

/* --- read --- */

/* Reads our element of its metadata. Returns NULL without an error where it has none, or is gone. */
static struct _xmlDoc *
domain_parse_metadata(virDomainPtr domain, struct error *err)
{
	char *xml = virDomainGetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, NAMESPACE, 0);
	struct buffer text = {0};
	struct _xmlDoc *document;

	*err = (struct error){.code = 0};
	if (!xml) {
		const virError *error = virGetLastError();

		if (!error || (error->code != VIR_ERR_NO_DOMAIN_METADATA && error->code != VIR_ERR_NO_DOMAIN))
			libvirt_refused("metadata", err);
		return NULL;
	}
	buffer_text(&text, xml);
	free(xml);
	document = xml_parse("metadata", &text, err);
	buffer_release(&text);
	return document;
}

const char *
domain_metadata(virDomainPtr domain, const char *name, struct arena *arena, struct error *err)
{
	struct _xmlDoc *document = domain_parse_metadata(domain, err);
	const char *text = document ? xml_text(xml_root(document), name, arena) : NULL;

	if (document)
		xml_free(document);
	return text;
}

static enum cloud_state
domain_state(int state)
{
	switch (state) {
	case VIR_DOMAIN_RUNNING:
	case VIR_DOMAIN_BLOCKED:
		return CLOUD_RUNNING;
	case VIR_DOMAIN_SHUTOFF:
	case VIR_DOMAIN_CRASHED:
		return CLOUD_STOPPED;
	default:
		return CLOUD_PENDING;
	}
}

/* Addresses that lead to no other machine are none. */
static void
domain_take_address(const virDomainIPAddress *address, struct cloud_machines *machines, struct cloud_machine *machine)
{
	const char *text = address->addr;
	bool is_v6 = address->type == VIR_IP_ADDR_TYPE_IPV6;

	if (is_v6 && !machine->access_v6 && strncasecmp(text, "fe80:", 5) != 0 && strcmp(text, "::1") != 0)
		machine->access_v6 = arena_string(&machines->arena, text);
	else if (!is_v6 && !machine->access_v4 && strncmp(text, "127.", 4) != 0 && strncmp(text, "169.254.", 8) != 0)
		machine->access_v4 = arena_string(&machines->arena, text);
}

/* Takes the first addresses that are known of it. That none are is no failure: it has just started, or its agent has not. */
static void
domain_read_addresses(const struct libvirt *libvirt, virDomainPtr domain, struct cloud_machines *machines, struct cloud_machine *machine)
{
	virDomainInterfacePtr *interfaces = NULL;
	int count = virDomainInterfaceAddresses(domain, &interfaces, libvirt->addresses, 0);

	for (int i = 0; i < count; i++) {
		for (unsigned k = 0; k < interfaces[i]->naddrs; k++)
			domain_take_address(&interfaces[i]->addrs[k], machines, machine);
		virDomainInterfaceFree(interfaces[i]);
	}
	free(interfaces);
}

static void
domain_read_tags(const struct _xmlNode *root, struct cloud_machines *machines, struct cloud_machine *machine)
{
	static const char *const names[] = {CLOUD_TAG_PROVIDER, CLOUD_TAG_NODE, CLOUD_TAG_CLUSTER, CLOUD_TAG_TOKEN};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = xml_text(root, names[i] + strlen(PREFIX), &machines->arena);

		if (value)
			cloud_machine_tag(machines, machine, names[i], value);
	}
}

/* Reads one that is ours. */
static int
domain_read_ours(const struct cloud *cloud, virDomainPtr domain, const struct _xmlNode *root, struct cloud_machines *machines, struct error *err)
{
	struct cloud_machine machine = {.name = arena_string(&machines->arena, virDomainGetName(domain))};
	char uuid[VIR_UUID_STRING_BUFLEN];
	int state;

	if (virDomainGetUUIDString(domain, uuid) < 0 || virDomainGetState(domain, &state, NULL, 0) < 0) {
		libvirt_refused(machine.name, err);
		return err->code == EX_NOINPUT ? 0 : -1; /* it is gone */
	}
	machine.id = arena_string(&machines->arena, uuid);
	machine.state = domain_state(state);
	machine.is_off = machine.state == CLOUD_STOPPED;
	machine.reason = machine.is_off ? "it does not run" : NULL;
	domain_read_tags(root, machines, &machine);
	if (machine.state == CLOUD_RUNNING)
		domain_read_addresses(cloud->state, domain, machines, &machine);
	*cloud_machines_add(machines) = machine;
	return 0;
}

int
domain_read(const struct cloud *cloud, virDomainPtr domain, struct cloud_machines *machines, struct error *err)
{
	struct _xmlDoc *document = domain_parse_metadata(domain, err);
	struct arena arena = {0};
	const char *owner = document ? xml_text(xml_root(document), CLOUD_TAG_INSTALLATION + strlen(PREFIX), &arena) : NULL;
	int result = document || !err->code ? 0 : -1;

	if (owner && strcmp(owner, cloud->installation) == 0)
		result = domain_read_ours(cloud, domain, xml_root(document), machines, err);
	if (document)
		xml_free(document);
	arena_release(&arena);
	return result;
}
