/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers in XML, by libxml2: nothing is fetched, no entity is defined or expanded, and a document of any other kind is refused. Elements
 * are named without their name space, and live as long as their document. And texts as they stand in what is asked.
 */
#ifndef CLOUD_XML_H
#define CLOUD_XML_H

#include <stddef.h>

struct arena;
struct buffer;
struct error;
struct _xmlDoc;
struct _xmlNode;

/* Reads a document. Returns NULL with EX_TEMPFAIL where it is none; source names it in the message. */
struct _xmlDoc *xml_parse(const char *source, const struct buffer *text, struct error *err);

void xml_free(struct _xmlDoc *document);

const struct _xmlNode *xml_root(const struct _xmlDoc *document);

/* Return the name of an element; its first child of that name, or its first child where name is NULL; and the next one after a child.
 * NULL: there is none. An element that is NULL has no children. */
const char *xml_name(const struct _xmlNode *element);
const struct _xmlNode *xml_child(const struct _xmlNode *element, const char *name);
const struct _xmlNode *xml_next(const struct _xmlNode *element, const char *name);

/* Returns the element that a path such as "instanceState/name" leads to, or NULL. */
const struct _xmlNode *xml_find(const struct _xmlNode *element, const char *path);

/* Returns the text of the element that the path leads to, in the arena; NULL where there is none or it is empty. */
const char *xml_text(const struct _xmlNode *element, const char *path, struct arena *arena);

/* Returns an attribute of the element, in the arena; NULL where it has none of that name. */
const char *xml_attribute(const struct _xmlNode *element, const char *name, struct arena *arena);

/* Appends a text as it stands in XML, in attributes too; characters that XML cannot have are left out. */
void xml_escape(struct buffer *xml, const char *text);

#endif
