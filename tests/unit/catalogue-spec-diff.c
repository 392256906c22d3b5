/* SPDX-License-Identifier: Apache-2.0
 *
 * lib/cluster/divergence.h: in what a cluster differs from what a file says; lib/model/clusterspec.h: what a file says.
 */
#include <stdlib.h>

#include "base/error.h"
#include "catalogue/spec-diff.h"
#include "tap.h"

#define SPEC(more) "{\"kind\":\"clusterspec\",\"name\":\"x\",\"template\":\"t\"" more "}"

static const char asked[] = "{\"cluster\":{\"services\":[\"b\",\"a\"],\"config\":{\"a\":{\"port\":1,\"size\":2}},\"dnsSuffix\":\"old.example\","
	"\"numMachines\":4},\"provider\":{\"name\":\"p\"},\"template\":{\"name\":\"t\",\"defaults\":{\"services\":[\"a\",{\"name\":\"c\"}],"
	"\"dnsSuffix\":\"t.example\",\"config\":{\"a\":{\"port\":80}}}}}";

static struct clusterspec
spec_of(const char *text)
{
	struct problems problems = {0};
	struct clusterspec spec;
	struct error err = {0};
	struct place root;
	jv document;

	if (json_parse("spec", text, strlen(text), &document, &err) < 0)
		exit(1);
	root = place_root(document, &problems);
	clusterspec_parse(&root, &spec);
	if (problems.total)
		printf("# %s: %s\n", problems.list[0].pointer, problems.list[0].text);
	problems_release(&problems);
	jv_free(document);
	return spec;
}

/* Checks the lines for a cluster of four machines; last may be NULL. */
static void
differ(const char *text, const char *last_text, const char *expected, const char *what)
{
	struct clusterspec spec = spec_of(text), last = spec_of(last_text ? last_text : text);
	struct asked present = {.machines = 4};
	struct spec_diff found;
	struct error err = {0};

	if (json_parse("asked", asked, strlen(asked), &present.request, &err) < 0)
		exit(1);
	if (spec_diff_find(&spec, last_text ? &last : NULL, &present, &found, &err) < 0)
		tap_is_text(err.text, expected, "%s", what);
	else
		tap_is_text(found.lines.data ? found.lines.data : "", expected, "%s", what);
	spec_diff_release(&found);
	jv_free(present.request);
	clusterspec_release(&spec);
	clusterspec_release(&last);
}

static void
test_machines(void)
{
	differ(SPEC(""), NULL, "", "what a file does not speak of is no difference");
	differ(SPEC(",\"numMachines\":4"), NULL, "", "so many there are");
	differ(SPEC(",\"numMachines\":6"), NULL, "~ machines 4 -> 6\n", "more are wanted");
	differ(SPEC(",\"numMachines\":{\"min\":2,\"max\":4}"), NULL, "", "a number in the bounds is fine");
	differ(SPEC(",\"numMachines\":{\"max\":3}"), NULL, "~ machines 4 -> 3\n", "above them it becomes the upper one");
	differ(SPEC(",\"numMachines\":{\"min\":5,\"max\":9}"), NULL, "~ machines 4 -> 5\n", "below them the lower one");
	differ(SPEC(""), SPEC(",\"numMachines\":9"), "", "who says no number any more leaves it");
}

static void
test_services(void)
{
	differ(SPEC(",\"services\":[\"b\",\"a\",\"b\"]"), NULL, "", "services are a set");
	differ(SPEC(",\"services\":[\"a\",\"d\"]"), NULL, "+ service d\n- service b\n", "one comes, one goes");
	differ(SPEC(""), SPEC(",\"services\":[\"a\",\"b\"]"), "+ service c\n- service b\n", "who names none any more gets the template's");
	differ(SPEC(",\"services\":[]"), NULL, "", "an empty list names none");
}

static void
test_texts(void)
{
	differ(SPEC(",\"hardwaretype\":\"big\""), NULL, "~ hardwaretype - -> big\n", "a hardware type");
	differ(SPEC(""), SPEC(",\"dnsSuffix\":\"old.example\""), "~ dnsSuffix old.example -> t.example\n", "the template's suffix again");
	differ(SPEC(",\"dnsSuffix\":\"old.example\""), SPEC(""), "", "it is so already");
	differ(SPEC(",\"provider\":\"p\""), NULL, "", "the provider is the same");
	differ(SPEC(",\"provider\":\"q\""), NULL,
	    "its machines are of the provider p, and cannot become those of q; delete the cluster, and apply creates it again", "it cannot be another");
}

static void
test_config(void)
{
	differ(SPEC(",\"config\":{\"a\":{\"size\":2,\"port\":1}}"), NULL, "", "the same in another order");
	differ(SPEC(",\"config\":{\"a\":{\"port\":1}}"), NULL, "- config /a/size 2\n", "a whole configuration");
	differ(SPEC(",\"set\":{\"a.port\":1,\"/a/size\":2}"), NULL, "", "values that are so");
	differ(SPEC(",\"set\":{\"a.port\":\"1\"}"), NULL, "~ config /a/port 1 -> \"1\"\n", "a text is no number");
	differ(SPEC(",\"config\":{},\"set\":{\"b\":[1]}"), NULL, "- config /a {\"port\":1,\"size\":2}\n+ config /b [1]\n",
	    "a configuration, and a value in it");
	differ(SPEC(""), SPEC(",\"config\":{}"), "~ config /a/port 1 -> 80\n- config /a/size 2\n", "the template's again");
	differ(SPEC(",\"set\":{\"a.port\":1}"), SPEC(",\"set\":{\"a.port\":1,\"a.size\":2}"), "- config /a/size 2\n",
	    "a value that is said no more");
	differ(SPEC(",\"set\":{\"a.port.x\":1}"), NULL, "/set: a.port.x: there is no \"x\" in this number", "a path through a number");
}

static void
test_template(void)
{
	differ("{\"kind\":\"clusterspec\",\"name\":\"x\",\"template\":\"u\",\"numMachines\":5,\"services\":[\"a\"],\"set\":{\"a.port\":2}}", NULL,
	    "~ template t -> u\n~ machines 4 -> 5\n- service b\n", "another template: what is not said is that one's");
}

static void
test_text(void)
{
	struct clusterspec one = spec_of(SPEC(",\"services\":[\"b\",\"a\",\"a\"],\"description\":\"1\",\"group\":null,\"lease\":\"12h\""));
	struct clusterspec other = spec_of(SPEC(",\"lease\":\"12h\",\"services\":[\"a\",\"b\"]"));
	char *a = clusterspec_text(&one), *b = clusterspec_text(&other);

	tap_is_text(a, b, "two files that say the same are the same");
	tap_is_number(one.lease_ms, 12 * 3600 * 1000, "a lease");
	free(a);
	free(b);
	clusterspec_release(&one);
	clusterspec_release(&other);
}

int
main(void)
{
	test_machines();
	test_services();
	test_texts();
	test_config();
	test_template();
	test_text();
	return tap_end();
}
