/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/opennebula/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/known-id.h"
#include "cloud/opennebula/account.h"
#include "cloud/opennebula/request.h"
#include "cloud/xmlrpc.h"

enum { VISIBLE = -2 };

const struct _xmlNode *
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

const char *
one_noun(const char *pool)
{
	return strcmp(pool, "vn") == 0 ? "network" : pool;
}

static const char *
one_search(const struct cloud *cloud, const char *pool, const char *name, const struct stop *stop, struct arena *arena, struct error *err)
{
	struct one_reply reply = ONE_REPLY_NONE;
	const struct _xmlNode *root = one_ask_pool(cloud, pool, stop, &reply, err);
	const char *id = NULL;

	for (const struct _xmlNode *item = xml_child(root, NULL); item && !id; item = xml_next(item, NULL)) {
		const char *its = xml_text(item, "NAME", arena);

		if (its && strcmp(its, name) == 0)
			id = xml_text(item, "ID", arena);
	}
	if (root && !id)
		error_set(err, EX_CONFIG, "OpenNebula has no %s called %s", one_noun(pool), name);
	one_release(&reply);
	return id;
}

int64_t
one_id(const struct cloud *cloud, const char *pool, const char *name, const struct stop *stop, struct error *err)
{
	struct one_account *account = cloud->state;
	struct arena arena = {0};
	const char *id = one_is_id(name) ? name : known_id(&account->ids, one_search, cloud, pool, name, stop, &arena, err);
	int64_t number = id ? strtol(id, NULL, 10) : -1;

	arena_release(&arena);
	return number;
}
