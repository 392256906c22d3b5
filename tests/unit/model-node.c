/* SPDX-License-Identifier: Apache-2.0 */
#include "model/node.h"

#include "model.h"

static void
check_hostname(const char *name, const char *id, int64_t nodenum, const char *suffix, const char *expected)
{
	struct arena arena = {0};

	tap_is_text(node_hostname(name, id, nodenum, suffix, &arena), expected, "host name of %s, %s, %d", name, id, (int)nodenum);
	arena_release(&arena);
}

static void
check_hostnames(void)
{
	check_hostname("123i.am-a_clusTer", "00000001", 1002, NULL, "i-am-a-cluster1-1002.local");
	check_hostname("kv-qa", "00000042", 1000, "dev.example.net", "kv-qa42-1000.dev.example.net");
	check_hostname("kv-qa", "00000042", 1000, ".dev.example.net", "kv-qa42-1000.dev.example.net");
	check_hostname("42", "00000000", 1000, NULL, "0-1000.local");
	check_hostname("-_.a", "7", 1000, NULL, "a7-1000.local");
	check_hostname("x", "Prod_7.a", 1000, NULL, "xprod-7-a-1000.local");
	/* 63 characters before the first dot: 56 of the name and 7 of the numbers. */
	check_hostname("abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij", "00000012", 1002, NULL,
	    "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdef12-1002.local");
	check_hostname("web1", "00000001", 1000, NULL, "web1-1-1000.local");
	check_hostname("web", "00000011", 1000, NULL, "web11-1000.local");
	check_hostname("web-", "00000011", 1000, NULL, "web-11-1000.local");
	check_hostname("web1", "prod", 1000, NULL, "web1prod-1000.local");
	check_hostname("abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcde77", "00000012", 1002, NULL,
	    "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcde-12-1002.local");
	check_hostname("abc", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", INT64_C(9007199254740991), NULL,
	    "abcaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-9007199254740991.local");
}

/* Of all pairs of clusters, whose numbers differ, none has a host name in common. */
static void
check_hostnames_differ(void)
{
	static const char *const names[] = {"web", "web1", "web-1", "web_1", "web11", "web-", "web-1-1", "w", "1", "1-1", "web1-1",
	    "web111", "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij1", "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghi11"};
	static const char *const ids[] = {"1", "00000011", "00000111", "00001111", "12", "2", "21", "00000121", "99999999"};
	enum { NAMES = sizeof names / sizeof *names, IDS = sizeof ids / sizeof *ids };
	const char *made[NAMES * IDS];
	struct arena arena = {0};
	size_t count = 0, same = 0;

	for (size_t n = 0; n < NAMES; n++)
		for (size_t i = 0; i < IDS; i++)
			made[count++] = node_hostname(names[n], ids[i], 1000, NULL, &arena);
	for (size_t a = 0; a < count; a++)
		for (size_t b = 0; b < a; b++)
			if (a % IDS != b % IDS && strcmp(made[a], made[b]) == 0) {
				same++;
				printf("# %s: %s %s, %s %s\n", made[a], names[a / IDS], ids[a % IDS], names[b / IDS], ids[b % IDS]);
			}
	tap_is_number((int64_t)same, 0, "no two clusters of different numbers share a host name");
	arena_release(&arena);
}

static void
check_learn(void)
{
	jv first = document_of("{'access_v4':'1.1.1.1'}"), second = document_of("{'bind_v4':'10.0.0.1','access_v4':'1.1.1.2'}");
	jv facts = document_of("{'providerid':'i-1','ssh-auth':{'user':'root'}}"), more = document_of("{'ssh-auth':{'user':'bob'}}");
	struct node node = {.id = "n", .nodenum = 1000, .hostname = "old", .is_new = true};
	struct arena arena = {0};
	struct buffer out = {0};

	tap_ok(!jv_is_valid(node.ipaddresses), "nothing is known of a new node");
	node_learn(&node, NULL, first, facts, &arena);
	tap_is_text(node.hostname, "old", "a result without a host name changes none");
	node_learn(&node, "new", second, (jv){0}, &arena);
	node_learn(&node, NULL, (jv){0}, more, &arena);
	node_print(&node, &out);
	tap_is_text(out.data, "{\"facts\":{\"providerid\":\"i-1\",\"ssh-auth\":{\"user\":\"bob\"}},\"flavor\":null,"
	    "\"hardwaretype\":null,\"hostname\":\"new\",\"id\":\"n\",\"image\":null,\"imagetype\":null,\"ipaddresses\":"
	    "{\"access_v4\":\"1.1.1.2\",\"bind_v4\":\"10.0.0.1\"},\"kind\":\"node\",\"nodenum\":1000,\"services\":[],"
	    "\"sshuser\":null,\"was\":null,\"zone\":null}\n", "facts are merged member by member");
	tap_ok(jv_is_valid(node.ipaddresses) && jv_is_valid(node.facts), "and known from then on");
	jv_free(first);
	jv_free(second);
	jv_free(facts);
	jv_free(more);
	jv_free(node.source);
	buffer_release(&out);
	arena_release(&arena);
}

static void
check_services(void)
{
	jv document = document_of("{'id':'n','nodenum':5,'hostname':'h','services':['c','a','b','a'],'was':['z','y']}");
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	struct arena arena = {0};
	struct node node;

	node_parse(&root, &arena, &node);
	tap_is_list(&node.services, "a b c", "services are sorted, each once");
	tap_is_list(&node.was, "y z", "and what was there too");
	tap_ok(node_has(&node, "a") && node_has(&node, "c") && !node_has(&node, "z") && !node_has(&node, ""), "node_has");
	tap_ok(!node.leaves && !node.is_new, "a node that stays");
	no_problems(&problems, "and nothing is wrong");
	jv_free(node.source);
	jv_free(document);
	arena_release(&arena);
}

int
main(void)
{
	check_hostnames();
	check_hostnames_differ();
	check_learn();
	check_services();
	return tap_end();
}
