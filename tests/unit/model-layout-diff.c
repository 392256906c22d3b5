/* SPDX-License-Identifier: Apache-2.0
 *
 * model/layout-diff.h: what is different between two layouts; operation/target.h: parts of a cluster by name.
 */
#include "base/buffer.h"
#include "base/error.h"
#include "operation/target.h"
#include "model/layout-diff.h"
#include "status/status.h"
#include "tap.h"

#define CLUSTER(config) "{\"kind\":\"cluster\",\"id\":\"00000001\",\"name\":\"x\",\"tenant\":\"t\",\"services\":[\"a\",\"b\"]," \
	"\"definitions\":[],\"provider\":{\"name\":\"p\",\"providertype\":\"dummy\",\"provisioner\":{}},\"config\":" config "}\n"
#define NODE(number, services, more) "{\"kind\":\"node\",\"id\":\"00000001-" number "\",\"nodenum\":" number ",\"hostname\":\"x1-" \
	number ".local\",\"services\":" services ",\"was\":[]" more "}\n"

/* Checks the lines between two layouts given as text. */
static void
differ(const char *before, const char *after, const char *expected, const char *what)
{
	struct layout from, to;
	struct buffer lines = {0};
	struct error err = {0};

	if (layout_parse_text(before, &from, &err) < 0 || layout_parse_text(after, &to, &err) < 0) {
		tap_is_text(err.text, "", "%s", what);
		return;
	}
	layout_diff_print(&from, &to, &lines);
	tap_is_text(lines.data ? lines.data : "", expected, "%s", what);
	buffer_release(&lines);
	layout_release(&from);
	layout_release(&to);
}

static void
test_alterations(void)
{
	const char *one = CLUSTER("{}") NODE("1000", "[\"a\"]", "");

	differ("", "", "", "nothing is nothing");
	differ(one, one, "", "the same is the same");
	differ("", one, "+ node 00000001-1000 x1-1000.local -: a\n", "a cluster is made, its configuration is not told");
	differ(one, "", "- node 00000001-1000 x1-1000.local -: a\n", "and is gone");
	differ(one, CLUSTER("{}") NODE("1000", "null", ""), "- node 00000001-1000 x1-1000.local -: a\n",
	    "what leaves is as good as gone");
	differ(one, CLUSTER("{}") NODE("1000", "[\"b\"]", ",\"hardwaretype\":\"big\""),
	    "~ node 00000001-1000 + b - a\n~ node 00000001-1000 hardwaretype null -> \"big\"\n", "services and hardware change");
	differ(one, CLUSTER("{\"a\":{\"port\":1}}") NODE("1000", "[\"a\"]", ""), "+ config /a {\"port\":1}\n", "so does the configuration");
}

/* Which of the nodes 1000 and 1001 a text means, as bits; -1: it names no part of a cluster. */
static int
means_with(const char *text, const struct target_options *options)
{
	struct target target;
	struct layout layout;
	struct error err;
	int bits = 0;

	if (target_parse(text, options, &target, &err) < 0)
		return -1;
	if (layout_parse_text(CLUSTER("{}") NODE("1000", "[\"a\"]", "") NODE("1001", "[\"a\",\"b\"]", ""), &layout, &err) == 0)
		for (size_t i = 0; i < layout.node_count; i++)
			bits |= target_has(&target, &layout.nodes[i]) << i;
	layout_release(&layout);
	target_release(&target);
	return bits;
}

static int
means(const char *text)
{
	return means_with(text, NULL);
}

static void
test_target_options(void)
{
	const char *numbers[] = {"1000", "x1-1001"}, *services[] = {"b"}, *wrong[] = {"../x"};
	const struct target_options both = {.nodes = {numbers, 2, 2}}, with_b = {.services = {services, 1, 1}},
	    all = {{numbers, 2, 2}, {services, 1, 1}}, none = {.nodes = {wrong, 1, 1}};

	tap_is_number(means_with("x", &both), 3, "-N may be repeated");
	tap_is_number(means_with("x", &with_b), 2, "-s are the nodes that have a service");
	tap_is_number(means_with("x", &all), 2, "with -N, those of these nodes");
	tap_is_number(means_with("x/1000", &with_b), 0, "an operand says the same as -N");
	tap_is_number(means_with("x/@b", &both), 2, "and as -s");
	tap_is_number(means_with("x", &none), -1, "a name is checked there, too");
}

static void
test_targets(void)
{
	tap_is_number(means("x"), 3, "a cluster is all its nodes");
	tap_is_number(means("x/1001"), 2, "a number is a node");
	tap_is_number(means("x/00000001-1001"), 2, "so is an id");
	tap_is_number(means("x/x1-1000"), 1, "a host name");
	tap_is_number(means("x/x1-1000.local"), 1, "with its domain");
	tap_is_number(means("x/x1-100"), 0, "but not a part of one");
	tap_is_number(means("x/1001x"), 0, "nor what only begins as a number");
	tap_is_number(means("x/@b"), 2, "a service is the nodes that have it");
	tap_is_number(means("x/@a/a"), 3, "and may be named twice");
	tap_is_number(means("x/1001/a/b"), -1, "there is no fourth part");
	tap_is_number(means(""), -1, "nor a cluster without a name");
	tap_is_number(means("x/"), -1, "nor such a node");
	tap_is_number(means("../x"), -1, "nor a path");
	tap_is_number(means("x/@"), -1, "nor such a service");
}

int
main(void)
{
	test_alterations();
	test_targets();
	test_target_options();
	return tap_end();
}
