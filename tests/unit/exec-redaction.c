/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/redaction.h"

#include <stdlib.h>

#include "json/dump.h"
#include "tap.h"

/* What is left of text that comes in pieces of so many bytes. */
static char *
passed(struct redaction *redaction, const char *text, size_t piece)
{
	struct buffer out = {0};
	size_t length = strlen(text);

	for (size_t at = 0; at < length; at += piece)
		redaction_pass(redaction, text + at, length - at < piece ? length - at : piece, &out);
	redaction_end(redaction, &out);
	return out.data ? buffer_take(&out) : NULL;
}

/* In pieces of any size the same comes out. */
static void
is_passed(struct redaction *redaction, const char *text, const char *expected, const char *title)
{
	char *found = NULL;

	for (size_t piece = 1; piece <= strlen(text); piece++) {
		free(found);
		found = passed(redaction, text, piece);
		if (!found || strcmp(found, expected) != 0)
			break;
	}
	tap_is_text(found, expected, "%s", title);
	free(found);
}

static void
test_stream(void)
{
	struct redaction redaction = {0};
	struct buffer out = {0};

	is_passed(&redaction, "a swordfish", "a swordfish", "without secrets nothing is replaced");
	redaction_add(&redaction, "db", "swordfish");
	redaction_add(&redaction, "long", "swordfish-and-chips");
	redaction_add(&redaction, "quote", "pass\"word");
	redaction_add(&redaction, "short", "abc");
	is_passed(&redaction, "a swordfish swims", "a [secret db] swims", "a secret is replaced by its name");
	is_passed(&redaction, "swordfishswordfish", "[secret db][secret db]", "twice, with nothing between");
	is_passed(&redaction, "sswordswordfish", "ssword[secret db]", "where it begins twice");
	is_passed(&redaction, "swordfish-and-chips", "[secret long]", "the longer of two that begin alike");
	is_passed(&redaction, "swordfish-and-chop", "[secret db]-and-chop", "the shorter, where it is not the longer");
	is_passed(&redaction, "swordfis", "swordfis", "the begin of one at the end is said");
	is_passed(&redaction, "pass\"word \"pass\\\"word\"", "[secret quote] \"[secret quote]\"", "as it stands in JSON");
	is_passed(&redaction, "abc", "abc", "what is too short is left");
	redaction_pass(&redaction, "name: ", 6, &out);
	tap_is_text(out.data, "name: ", "nothing is held back but what may be the begin of a secret");
	buffer_release(&out);
	redaction_release(&redaction);
}

static void
test_lines(void)
{
	struct redaction redaction = {0};

	redaction_add(&redaction, "key", "-----BEGIN-----\nMIIEvQIBADAN\nxy\n");
	is_passed(&redaction, "<-----BEGIN-----\nMIIEvQIBADAN\nxy\n>", "<[secret key]>", "all lines");
	is_passed(&redaction, "n1: -----BEGIN-----\nn1: MIIEvQIBADAN\n", "n1: [secret key]\nn1: [secret key]\n",
	    "a line alone");
	redaction_release(&redaction);
}

static void
test_value(void)
{
	struct redaction redaction = {0};
	struct buffer text = {0};
	jv value = jv_parse("{\"a\":[\"is swordfish\",1,null,{\"swordfish\":\"\"}],\"b\":\"fish\"}");

	redaction_add(&redaction, "db", "swordfish");
	redaction_value(&redaction, &value);
	json_dump(value, &text);
	tap_is_text(text.data, "{\"a\":[\"is [secret db]\",1,null,{\"[secret db]\":\"\"}],\"b\":\"fish\"}",
	    "strings and names of a value, however deep");
	buffer_release(&text);
	jv_free(value);
	redaction_release(&redaction);
}

int
main(void)
{
	test_stream();
	test_lines();
	test_value();
	return tap_end();
}
