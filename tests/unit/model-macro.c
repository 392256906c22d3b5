/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-macros(7): what every form gives, what stays text, and what each problem says.
 */
#include "model/take/macro.h"

#include "model.h"

static const char *db[] = {"db"}, *web[] = {"web"}, *both[] = {"db", "web"}, *other[] = {"late"};

/* Ids are not in the order of the numbers: the numbers count. */
static struct macro_node nodes[] = {
	{"z", "a1-1000.local", 1000, {web, 1}, {0}},
	{"y", "a1-1001.local", 1001, {db, 1}, {0}},
	{"x", "a1-1002.local", 1002, {both, 2}, {0}},
	{"w", NULL, 1003, {other, 1}, {0}},
};

static struct macro_context context = {nodes, 4, &nodes[2], "ann", "10.9.0.8", NULL};

static const struct {
	const char *text, *expanded, *problem; /* NULL: none */
} cases[] = {
	/* Each form of the original. */
	{"%host.service.db%", "a1-1001.local,a1-1002.local", NULL},
	{"%host.service.db[0]%", "a1-1001.local", NULL},
	{"%host.service.db[1]%", "a1-1002.local", NULL},
	{"%host.self%", "a1-1002.local", NULL},
	{"%ip.service.web%", "10.0.0.1,10.0.0.3", NULL},
	{"%ip.service.web[1]%", "10.0.0.3", NULL},
	{"%ip.access_v4.service.web%", "1.1.1.1,1.1.1.3", NULL},
	{"%ip.bind_v4.service.web[0]%", "10.0.0.1", NULL},
	{"%ip.self%", "10.0.0.3", NULL},
	{"%ip.access_v4.self%", "1.1.1.3", NULL},
	{"%num.service.db%", "2", NULL},
	{"%instance.self.service.db%", "2", NULL},
	{"%instance.self.service.web%", "2", NULL},
	{"%cluster.owner%", "ann", NULL},
	{"%cluster.address%/24", "10.9.0.8/24", NULL},
	{"%join(host.service.db,';')%", "a1-1001.local;a1-1002.local", NULL},
	{"%map(host.service.db,'$:2181')%", "a1-1001.local:2181,a1-1002.local:2181", NULL},
	{"%join(map(host.service.db,'$:2181'),' ')%", "a1-1001.local:2181 a1-1002.local:2181", NULL},
	{"%join(map(ip.access_v4.service.web,\"thrift://$:9083\"),\"|\")%", "thrift://1.1.1.1:9083|thrift://1.1.1.3:9083", NULL},
	{"hdfs://%host.service.web[0]%/%ip.self%", "hdfs://a1-1000.local/10.0.0.3", NULL},
	{"%ip.self%%host.self%", "10.0.0.3a1-1002.local", NULL},

	/* Formats. */
	{"%map(host.self,'$$')%", "$", NULL},
	{"%map(host.self,'$$$')%", "$a1-1002.local", NULL},
	{"%map(host.self,'$$foo$')%", "$fooa1-1002.local", NULL},
	{"%map(host.service.db,'')%", ",", NULL},
	{"%map(num.service.db,'n=$')%", "n=2", NULL},
	{"%map(cluster.owner,'<$>')%", "<ann>", NULL},
	{"%join(host.service.db,'')%", "a1-1001.locala1-1002.local", NULL},
	{"%join(host.service.db,'%')%", "a1-1001.local%a1-1002.local", NULL},
	{"%join( map( host.service.db , '$' ) , ', ' )%", "a1-1001.local, a1-1002.local", NULL},
	{"%join(\tmap(host.service.db,'$')\t,';')%", "a1-1001.local;a1-1002.local", NULL},

	/* Text. */
	{"", "", NULL},
	{"50%", "50%", NULL},
	{"50% of 80%", "50% of 80%", NULL},
	{"%d of %s: 100%", "%d of %s: 100%", NULL},
	{"%%", "%%", NULL},
	{"%%host.self%", "%%host.self%", NULL},
	{"%%%host.self%", "%%a1-1002.local", NULL},
	{"%hosts.self% %HOST.self% % host.self %", "%hosts.self% %HOST.self% % host.self %", NULL},
	{"100%host.self", "100%host.self", NULL},
	{"$HOME %(x)s", "$HOME %(x)s", NULL},
	{"Stra\303\237e %host.self%", "Stra\303\237e a1-1002.local", NULL},

	/* What is malformed. */
	{"%host.self.service.db%", NULL, "%host.self.service.db%: this is not a macro of coopr-macros(7)"},
	{"%host.service.%", NULL, "%host.service.%: this is not a macro of coopr-macros(7)"},
	{"%host.service.a[]%", NULL, "%host.service.a[]%: this is not a macro of coopr-macros(7)"},
	{"%host.service.a[-1]%", NULL, "%host.service.a[-1]%: this is not a macro of coopr-macros(7)"},
	{"%host.service.a[9999999999]%", NULL, "%host.service.a[9999999999]%: this is not a macro of coopr-macros(7)"},
	{"%host.service.a b%", NULL, "%host.service.a b%: this is not a macro of coopr-macros(7)"},
	{"%host.serv%", NULL, "%host.serv%: this is not a macro of coopr-macros(7)"},
	{"%host.%", NULL, "%host.%: this is not a macro of coopr-macros(7)"},
	{"%ip.a.b.self%", NULL, "%ip.a.b.self%: this is not a macro of coopr-macros(7)"},
	{"%ip.selfish%", NULL, "%ip.selfish%: this is not a macro of coopr-macros(7)"},
	{"%num.self%", NULL, "%num.self%: this is not a macro of coopr-macros(7)"},
	{"%num.service.db[0]%", NULL, "%num.service.db[0]%: this is not a macro of coopr-macros(7)"},
	{"%instance.service.db%", NULL, "%instance.service.db%: this is not a macro of coopr-macros(7)"},
	{"%cluster.name%", NULL, "%cluster.name%: this is not a macro of coopr-macros(7)"},
	{"%map(host.service.a,$!)%", NULL, "%map(host.service.a,$!)%: this is not a macro of coopr-macros(7)"},
	{"%map(host.service.a)%", NULL, "%map(host.service.a)%: this is not a macro of coopr-macros(7)"},
	{"%map(join(host.service.db,';'),'$')%", NULL,
	    "%map(join(host.service.db,';'),'$')%: this is not a macro of coopr-macros(7)"},
	{"%join(host.service.a,'x)%", NULL, "%join(host.service.a,'x)%: this is not a macro of coopr-macros(7)"},
	{"%host.x% and %host.self%", "%host.x% and a1-1002.local", "%host.x%: this is not a macro of coopr-macros(7)"},

	/* What cannot be known. */
	{"%host.service.nix%", NULL, "%host.service.nix%: no node has the service nix"},
	{"%ip.service.nix[3]%", NULL, "%ip.service.nix[3]%: no node has the service nix"},
	{"%num.service.nix%", NULL, "%num.service.nix%: no node has the service nix"},
	{"%instance.self.service.nix%", NULL, "%instance.self.service.nix%: no node has the service nix"},
	{"%instance.self.service.late%", NULL, "%instance.self.service.late%: node x does not have the service late"},
	{"%host.service.db[2]%", NULL,
	    "%host.service.db[2]%: there is no instance 2 of the service db: it has 0 to 1"},
	{"%host.service.late%", NULL, "%host.service.late%: the host name of node w is not known yet"},
	{"%ip.service.late%", NULL, "%ip.service.late%: the address bind_v4 of node w is not known yet"},
	{"%ip.v6.service.web%", NULL, "%ip.v6.service.web%: the address v6 of node z is not known"},
	{"%map(host.self)% %host.self%", "%map(host.self)% a1-1002.local",
	    "%map(host.self)%: this is not a macro of coopr-macros(7)"},
	{"%host.service.nix% %host.self%", "%host.service.nix% a1-1002.local",
	    "%host.service.nix%: no node has the service nix"},
};

static void
check_text(const char *text, const char *expanded, const char *problem)
{
	struct buffer out = {0};
	struct error err = {0};
	int result = macro_expand_text(text, &context, &out, &err);

	tap_ok(strcmp(out.data ? out.data : "", expanded ? expanded : text) == 0, "\"%s\" becomes \"%s\"", text, out.data);
	tap_is_text(result < 0 ? err.text : NULL, problem, "\"%s\": %s", text, problem ? problem : "no problem");
	buffer_release(&out);
}

static void
check_once(void)
{
	static struct macro_node sly = {"n", "%cluster.owner%", 1, {db, 1}, {0}};
	struct macro_context its = {&sly, 1, &sly, "ann", NULL, NULL};
	struct buffer out = {0};
	struct error err;

	macro_expand_text("%host.self%", &its, &out, &err);
	tap_is_text(out.data, "%cluster.owner%", "what a macro gives is not expanded again");
	buffer_release(&out);
}

static void
check_lonely(void)
{
	struct macro_context its = {nodes, 4, NULL, NULL, NULL, NULL};
	struct buffer out = {0};
	struct error err;

	macro_expand_text("%ip.self%", &its, &out, &err);
	tap_is_text(err.text, "%ip.self%: there is no node here that \"self\" could mean", "self needs a node");
	macro_expand_text("%cluster.owner%", &its, &out, &err);
	tap_is_text(err.text, "%cluster.owner%: the cluster has no owner", "an owner need not be");
	macro_expand_text("%cluster.address%", &its, &out, &err);
	tap_is_text(err.text, "%cluster.address%: the cluster has no address of its own", "nor an address");
	buffer_release(&out);
}

static void
check_questions(void)
{
	jv value = document_of("{'a':'%ip.service.web% %ip.x.service.db[0]% %host.service.h%','b':['%join(map(ip.service.web,\\\"$\\\"),\\\"\\\")%']}");
	jv self = document_of("[{'x':'%ip.access_v4.self%'}]");
	struct arena arena = {0};
	struct string_list services = macro_addresses_of(value, &arena);

	tap_is_list(&services, "db web", "the services whose addresses are asked for: sorted, each once");
	services = macro_addresses_of(self, &arena);
	tap_is_number(services.count, 0, "the node itself is no service");
	arena_release(&arena);
	jv_free(value);
	jv_free(self);
}

/* Long texts of what is hard to parse take time in proportion to their length, or this test does not end. */
static void
check_long(void)
{
	static const char *const pieces[] = {"%host.", "%join(host.service.a,'", "%map(host.service.a,\"", "%%", "%ip.x.",
	    "%join(map(host.service.a,'x'),\"%", "%host.self%"};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct buffer text = {0}, out = {0};
		struct error err;

		while (text.length < 2000000)
			buffer_text(&text, pieces[i]);
		macro_expand_text(text.data, &context, &out, &err);
		tap_ok(out.length > 0, "2 MB of \"%s\"", pieces[i]);
		buffer_release(&text);
		buffer_release(&out);
	}
}

/* What a short text stands for may be far more than there is memory: it ends at MACRO_ROOM, for all texts that share it. */
static void
check_room(void)
{
	static const struct {
		const char *begin, *piece, *end;
	} many[] = {{"%map(host.service.db,'", "$-", "')%"}, {"%join(host.service.db,'", "long", "')%"},
	    {"%map(host.self,'", "$-", "')%"}, {"", "%host.service.db% ", ""}};
	struct macro_context its = context;

	for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
		struct buffer text = {0}, out = {0};
		size_t room = 100000;
		struct error err = {0};

		buffer_text(&text, many[i].begin);
		while (text.length < 200000)
			buffer_text(&text, many[i].piece);
		buffer_text(&text, many[i].end);
		its.room = &room;
		tap_ok(macro_expand_text(text.data, &its, &out, &err) < 0, "%s%s... stands for too much", many[i].begin, many[i].piece);
		tap_ok(strstr(err.text, "stand for more than"), "which is said: %s", err.text);
		tap_ok(out.length <= text.length + 100000, "and takes no more");
		buffer_release(&out);
		buffer_release(&text);
	}
}

/* The table of the manual page's EXAMPLES, whose cluster this is. */
static void
check_page(void)
{
	static const char *zk[] = {"zk"}, *more[] = {"db", "zk"};
	struct macro_node its_nodes[] = {{"a", "h1", 1000, {zk, 1}, {0}}, {"b", "h2", 1001, {more, 2}, {0}}};
	struct macro_context its = {its_nodes, 2, &its_nodes[1], NULL, NULL, NULL};
	FILE *page = fopen("man/man7/coopr-macros.7", "r");
	char line[512], text[256], expected[256];
	int count = 0;

	its_nodes[1].ipaddresses = document_of("{'access_v4':'203.0.113.2','bind_v4':'10.0.0.2'}");
	while (page && fgets(line, sizeof line, page)) {
		struct buffer out = {0};
		struct error err;

		if (sscanf(line, ".It Li %255[^\n]", text) != 1 || !strstr(text, " Ta Li "))
			continue;
		strcpy(expected, strstr(text, " Ta Li ") + strlen(" Ta Li "));
		*strstr(text, " Ta Li ") = '\0';
		macro_expand_text(text, &its, &out, &err);
		tap_is_text(out.data, expected, "the page's example %s", text);
		buffer_release(&out);
		count++;
	}
	if (page) {
		tap_ok(count >= 10, "%d examples of the page", count);
		fclose(page);
	} else {
		tap_skip("is not run from the source tree", "the examples of the page");
	}
	jv_free(its_nodes[1].ipaddresses);
}

int
main(void)
{
	nodes[0].ipaddresses = document_of("{'access_v4':'1.1.1.1','bind_v4':'10.0.0.1'}");
	nodes[1].ipaddresses = document_of("{'access_v4':'1.1.1.2','bind_v4':'10.0.0.2'}");
	nodes[2].ipaddresses = document_of("{'access_v4':'1.1.1.3','bind_v4':'10.0.0.3'}");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_text(cases[i].text, cases[i].expanded, cases[i].problem);
	check_once();
	check_lonely();
	check_questions();
	check_page();
	check_long();
	check_room();
	for (size_t i = 0; i < 3; i++)
		jv_free(nodes[i].ipaddresses);
	return tap_end();
}
