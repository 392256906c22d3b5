/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/xmlrpc.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "cloud/xml.h"

void
xmlrpc_begin(struct buffer *call, const char *method)
{
	buffer_printf(call, "<?xml version=\"1.0\" encoding=\"UTF-8\"?><methodCall><methodName>%s</methodName><params>", method);
}

void
xmlrpc_add_string(struct buffer *call, const char *text)
{
	buffer_text(call, "<param><value><string>");
	xml_escape(call, text);
	buffer_text(call, "</string></value></param>");
}

void
xmlrpc_add_integer(struct buffer *call, int64_t number)
{
	buffer_printf(call, "<param><value><int>%lld</int></value></param>", (long long)number);
}

void
xmlrpc_add_boolean(struct buffer *call, bool value)
{
	buffer_printf(call, "<param><value><boolean>%d</boolean></value></param>", value);
}

void
xmlrpc_end(struct buffer *call)
{
	buffer_text(call, "</params></methodCall>");
}

const struct _xmlNode *
xmlrpc_element(const struct _xmlNode *value, unsigned index)
{
	const struct _xmlNode *element = xml_child(xml_find(value, "array/data"), "value");

	while (element && index-- > 0)
		element = xml_next(element, "value");
	return element;
}

const char *
xmlrpc_text(const struct _xmlNode *value, struct arena *arena)
{
	/* A value without a type is a string. */
	const struct _xmlNode *typed = xml_child(value, NULL);
	const char *text = xml_text(typed ? typed : value, "", arena);

	return text ? text : "";
}

const struct _xmlNode *
xmlrpc_value(const struct _xmlDoc *answer, const char *method, struct arena *arena, struct error *err)
{
	const struct _xmlNode *root = xml_root(answer), *value, *member;
	const char *reason = NULL;

	value = strcmp(xml_name(root), "methodResponse") == 0 ? xml_find(root, "params/param/value") : NULL;
	if (value)
		return value;
	for (member = xml_child(xml_find(root, "fault/value/struct"), "member"); member; member = xml_next(member, "member")) {
		const char *name = xml_text(member, "name", arena);

		if (name && strcmp(name, "faultString") == 0)
			reason = xmlrpc_text(xml_child(member, "value"), arena);
	}
	if (reason)
		error_set(err, EX_CONFIG, "%s: %.400s", method, reason);
	else
		error_set(err, EX_TEMPFAIL, "%s: the answer is none of XML-RPC", method);
	return NULL;
}
