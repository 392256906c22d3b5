/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/xml.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "tap.h"

enum { DEEP = 300 };

static bool
is_read(const char *text)
{
	struct buffer buffer = {0};
	struct _xmlDoc *document;
	struct error err;
	bool is;

	buffer_text(&buffer, text);
	document = xml_parse("Test", &buffer, &err);
	is = document != NULL;
	xml_free(document);
	buffer_release(&buffer);
	return is;
}

static void
test_hostile(void)
{
	static const char *const hostile[] = {"", " ", "{}", "<a>", "<a></b>", "<a/><b/>", "<a b/>", "<a>&x;</a>",
	    "<!DOCTYPE a><a/>",
	    "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
	    "<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/a.dtd\"><a/>",
	    "<!DOCTYPE a [<!ENTITY x \"xxxxxxxxxx\"><!ENTITY y \"&x;&x;&x;&x;&x;&x;&x;&x;\"><!ENTITY z \"&y;&y;&y;&y;&y;&y;&y;&y;\">]><a>&z;&z;&z;</a>"};
	struct buffer deep = {0};

	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
		tap_ok(!is_read(hostile[i]), "refused: %.60s", hostile[i]);
	for (int i = 0; i < DEEP; i++)
		buffer_text(&deep, "<a>");
	for (int i = 0; i < DEEP; i++)
		buffer_text(&deep, "</a>");
	tap_ok(!is_read(deep.data), "refused: %d levels", DEEP);
	buffer_release(&deep);
}

static void
test_read(void)
{
	static const char text[] = "<?xml version=\"1.0\"?><r xmlns=\"http://ec2.amazonaws.com/doc/\"><set><item><id>i-1</id><n>a&amp;b<![CDATA[<c>]]></n></item>"
	    "<other/><item><id>i-2</id><n/></item></set></r>";
	struct buffer buffer = {0};
	struct arena arena = {0};
	const struct _xmlNode *set, *item;
	struct _xmlDoc *document;
	struct error err;

	buffer_text(&buffer, text);
	document = xml_parse("Test", &buffer, &err);
	set = xml_child(document ? xml_root(document) : NULL, "set");
	item = xml_child(set, "item");
	tap_ok(item && strcmp(xml_text(item, "id", &arena), "i-1") == 0, "the first child of a name");
	tap_ok(item && strcmp(xml_text(item, "n", &arena), "a&b<c>") == 0, "its text, references and CDATA in it");
	item = item ? xml_next(item, "item") : NULL;
	tap_ok(item && strcmp(xml_text(item, "id", &arena), "i-2") == 0, "the next one of the name");
	tap_ok(item && !xml_text(item, "n", &arena) && !xml_text(item, "none/at/all", &arena), "no text where there is none");
	tap_ok(item && !xml_next(item, "item") && !xml_child(NULL, "item"), "and none behind the last");
	xml_free(document);
	arena_release(&arena);
	buffer_release(&buffer);
}

int
main(void)
{
	test_hostile();
	test_read();
	return tap_end();
}
