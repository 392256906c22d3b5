/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/opennebula/trial.h"

#include <stdlib.h>

#include "base/error.h"
#include "cloud/opennebula/account.h"
#include "cloud/opennebula/names.h"
#include "cloud/opennebula/order.h"
#include "cloud/opennebula/request.h"
#include "cloud/xmlrpc.h"

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
one_try_name(const struct cloud *cloud, const char *pool, const char *name, const struct stop *stop, struct arena *arena,
    const char **said, struct error *err)
{
	int64_t id = one_id(cloud, pool, name, stop, err);

	if (id >= 0)
		*said = arena_printf(arena, "%s %lld", one_noun(pool), (long long)id);
	return id < 0 ? -1 : 0;
}

int
one_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	const struct one_account *account = cloud->state;
	double cpus, memory_mb;
	int result = 1;

	if (trial == CLOUD_TRY_CREDENTIALS || trial == CLOUD_TRY_QUOTA)
		return one_try_user(cloud, trial == CLOUD_TRY_QUOTA, stop, arena, said, err);
	if (trial == CLOUD_TRY_ZONE && name)
		return one_try_name(cloud, "cluster", name, stop, arena, said, err);
	if (trial == CLOUD_TRY_FLAVOR && !one_read_size(name, &cpus, &memory_mb))
		return one_try_name(cloud, "template", name, stop, arena, said, err);
	if (trial == CLOUD_TRY_IMAGE)
		return one_try_name(cloud, "image", name, stop, arena, said, err);
	for (size_t i = 0; trial == CLOUD_TRY_NETWORK && result >= 0 && i < account->networks.count; i++)
		result = one_try_name(cloud, "vn", account->networks.list[i], stop, arena, said, err);
	return trial == CLOUD_TRY_FLAVOR ? 0 : result;
}

int
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
