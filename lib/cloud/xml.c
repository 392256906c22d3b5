/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/xml.h"

#include <limits.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

struct _xmlDoc *
xml_parse(const char *source, const struct buffer *text, struct error *err)
{
	xmlDoc *document = NULL;

	/* libxml2's own bound of 256 levels holds; cloud/client.h bounds the bytes. */
	if (text->length <= INT_MAX)
		document = xmlReadMemory(buffer_string(text), (int)text->length, NULL, NULL,
		    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA);
	if (document && (document->intSubset || document->extSubset)) {
		xmlFreeDoc(document);
		document = NULL;
	}
	if (!document || !xmlDocGetRootElement(document)) {
		xmlFreeDoc(document);
		error_set(err, EX_TEMPFAIL, "%s: the answer is not XML", source);
		return NULL;
	}
	return document;
}

void
xml_free(struct _xmlDoc *document)
{
	xmlFreeDoc(document);
}

const struct _xmlNode *
xml_root(const struct _xmlDoc *document)
{
	return xmlDocGetRootElement(document);
}

const char *
xml_name(const struct _xmlNode *element)
{
	return (const char *)element->name;
}

static const struct _xmlNode *
xml_from(const struct _xmlNode *node, const char *name, size_t length)
{
	for (; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE &&
		    (!name || (strncmp(xml_name(node), name, length) == 0 && xml_name(node)[length] == '\0')))
			return node;
	return NULL;
}

const struct _xmlNode *
xml_child(const struct _xmlNode *element, const char *name)
{
	return element ? xml_from(element->children, name, name ? strlen(name) : 0) : NULL;
}

const struct _xmlNode *
xml_next(const struct _xmlNode *element, const char *name)
{
	return xml_from(element->next, name, name ? strlen(name) : 0);
}

const struct _xmlNode *
xml_find(const struct _xmlNode *element, const char *path)
{
	while (element && *path) {
		size_t length = strcspn(path, "/");

		element = xml_from(element->children, path, length);
		path += length + (path[length] == '/');
	}
	return element;
}

const char *
xml_text(const struct _xmlNode *element, const char *path, struct arena *arena)
{
	const struct _xmlNode *found = xml_find(element, path);
	struct buffer text = {0};
	const char *copy;

	for (const struct _xmlNode *part = found ? found->children : NULL; part; part = part->next)
		if (part->type == XML_TEXT_NODE || part->type == XML_CDATA_SECTION_NODE)
			buffer_text(&text, (const char *)part->content);
	copy = text.length > 0 ? arena_string(arena, buffer_string(&text)) : NULL;
	buffer_release(&text);
	return copy;
}

const char *
xml_attribute(const struct _xmlNode *element, const char *name, struct arena *arena)
{
	xmlChar *value = element ? xmlGetNoNsProp(element, (const xmlChar *)name) : NULL;
	const char *copy = value ? arena_string(arena, (const char *)value) : NULL;

	xmlFree(value);
	return copy;
}

void
xml_escape(struct buffer *xml, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			buffer_text(xml, "&lt;");
		else if (*text == '>')
			buffer_text(xml, "&gt;");
		else if (*text == '&')
			buffer_text(xml, "&amp;");
		else if (*text == '"')
			buffer_text(xml, "&quot;");
		else if (*text == '\'')
			buffer_text(xml, "&apos;");
		else if ((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t')
			buffer_byte(xml, *text);
	}
}
