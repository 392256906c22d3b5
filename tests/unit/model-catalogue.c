/* SPDX-License-Identifier: Apache-2.0
 *
 * Catalogues of a few files each: how templates are merged, what is found wrong, which request is composed.
 */
#include "catalogue/catalogue.h"

#include <fcntl.h>
#include <stdarg.h>

#include "base/file.h"
#include "catalogue/compose.h"
#include "model.h"

#define SERVICE(name, more) "services/" name ".json", "{'name':'" name "'" more "}"
#define TEMPLATE(name, more) "clustertemplates/" name ".json", "{'name':'" name "'" more "}"
#define PARTIAL(name, more) "partialtemplates/" name ".json", "{'name':'" name "'" more "}"
#define PROVIDER "providers/p.json", "{'name':'p','providertype':'x'}"
#define HARDWARE(name) "hardwaretypes/" name ".json", "{'name':'" name "','providermap':{'p':{'flavor':'f'}}}"
#define IMAGE(name) "imagetypes/" name ".json", "{'name':'" name "','providermap':{'p':{'image':'i'}}}"
#define END (const char *)NULL

static char *folder; /* below TMPDIR */
static struct catalogue catalogue;
static struct findings findings;

static void
write_file(const char *file, const char *content)
{
	char *path = memory_printf("%s/%s", folder, file), *text = memory_string(content);
	struct error err;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	*strrchr(path, '/') = '\0';
	if (file_make_dirs(AT_FDCWD, path, 0755, &err) < 0)
		tap_ok(false, "%s", err.text);
	path[strlen(path)] = '/';
	if (file_replace(AT_FDCWD, path, text, strlen(text), 0644, &err) < 0)
		tap_ok(false, "%s", err.text);
	free(path);
	free(text);
}

static void
close_catalogue(void)
{
	struct error err;

	findings_release(&findings);
	catalogue_release(&catalogue);
	file_remove_tree(AT_FDCWD, folder, &err);
}

/* Loads a catalogue of pairs of a file and its content, with NULL at the end. */
static void
open_catalogue(const char *file, ...)
{
	struct error err;
	va_list ap;

	close_catalogue();
	va_start(ap, file);
	for (; file; file = va_arg(ap, const char *))
		write_file(file, va_arg(ap, const char *));
	va_end(ap);
	if (catalogue_load(folder, &catalogue, &findings, &err) < 0)
		tap_ok(false, "%s", err.text);
}

/* What is wrong with the catalogue, one line each; doubts after a "?". */
static void
check_findings(const char *title, const char *expected)
{
	struct buffer out = {0};

	catalogue_check(&catalogue, &findings);
	for (size_t i = 0; i < findings.count; i++)
		buffer_printf(&out, "%s%s %s: %s\n", findings.list[i].severity == SEVERITY_WARNING ? "? "
		    : findings.list[i].severity == SEVERITY_MALFORMED ? "! " : "", findings.list[i].file, findings.list[i].pointer,
		    findings.list[i].text);
	tap_is_text(out.data ? out.data : "", expected, "%s", title);
	buffer_release(&out);
}

static void
check_template(const char *name, const char *expected, const char *title)
{
	struct error err;
	jv merged = catalogue_template(&catalogue, name, &err), wanted = {0};
	char *found, *text;

	if (*expected == '{')
		wanted = document_of(expected);
	text = jv_is_valid(wanted) ? dumped(wanted) : memory_string(expected);
	found = jv_is_valid(merged) ? dumped(merged) : memory_string(err.text);
	tap_is_text(found, text, "%s", title);
	free(found);
	free(text);
}

static void
check_merge(void)
{
	open_catalogue(
	    TEMPLATE("root", ",'label':'R','links':[{'label':'l','url':'u'}],'defaults':{'services':['base','a'],'provider':'p',"
	        "'dnsSuffix':'root','config':{'k':{'x':1},'r':1}},'compatibility':{'services':['base']},"
	        "'constraints':{'size':{'min':2},'services':{'a':{'quantities':{'max':1}}},'layout':{'mustcoexist':[['base','a']]}},"
	        "'administration':{'leaseduration':{'initial':5}}"),
	    TEMPLATE("child", ",'extends':{'name':'root'},'includes':[{'name':'ntp'},{'name':'log'}],'defaults':{'provider':' ','services':"
	        "[{'name':'a','config':{'z':1}},'b'],'dnsSuffix':'child','config':{'k':{'y':2}}},'constraints':{'services':"
	        "{'a':{'quantities':{'max':9}}},'layout':{'mustcoexist':[['base','b'],['base','a']]}}"),
	    PARTIAL("ntp", ",'immutable':true,'defaults':{'services':['ntp'],'config':{'ntp':1}},'compatibility':{'services':['ntp']},"
	        "'constraints':{'size':{'min':99}}"),
	    PARTIAL("log", ",'immutable':false,'defaults':{'services':['log','base'],'config':{'log':1,'r':2}}"),
	    TEMPLATE("plain", ",'more':{'x':[1]}"), END);
	check_template("child",
	    "{'name':'child','administration':{'leaseduration':{'initial':5}},'compatibility':{'services':['base','ntp']},"
	    "'defaults':{'services':['base',{'name':'a','config':{'z':1}},'ntp','log','b'],'provider':'p','dnsSuffix':'child',"
	    "'config':{'k':{'y':2},'r':2,'ntp':1,'log':1}},'constraints':{'size':{'min':2},'services':{'a':{'quantities':{'max':9}}},"
	    "'layout':{'mustcoexist':[['base','a'],['base','b']]}}}",
	    "parents, then what is included, then the template itself are laid over one another");
	check_template("plain", "{'name':'plain','more':{'x':[1]}}", "a template without parents stays as it is");
	check_template("chidl", "there is no cluster template \"chidl\"; did you mean \"child\"?", "a name that is none");

	open_catalogue(PARTIAL("lock", ",'immutable':true,'defaults':{'config':{'k':1}}"),
	    TEMPLATE("bad", ",'includes':[{'name':'lock'}],'defaults':{'config':{'k':2}}"),
	    TEMPLATE("loop", ",'extends':{'name':'pool'}"), TEMPLATE("pool", ",'extends':{'name':'loop'}"),
	    TEMPLATE("lost", ",'includes':[{'name':'lokc'}]"), END);
	check_template("bad", "clustertemplates/bad.json: /defaults/config/k: the immutable partial template lock sets it",
	    "what an immutable partial template sets is not set again");
	check_template("loop", "clustertemplates/loop.json: /extends: the template extends itself, through pool",
	    "a template that extends itself");
	check_template("lost", "clustertemplates/lost.json: /includes/0: there is no partial template \"lokc\"; did you mean \"lock\"?",
	    "a part that is not there");
	check_findings("all of which a check finds",
	    "clustertemplates/bad.json : clustertemplates/bad.json: /defaults/config/k: the immutable partial template lock sets it\n"
	    "clustertemplates/loop.json : clustertemplates/loop.json: /extends: the template extends itself, through pool\n"
	    "clustertemplates/lost.json /includes/0/name: there is no partial template \"lokc\"; did you mean \"lock\"?\n"
	    "clustertemplates/pool.json : clustertemplates/pool.json: /extends: the template extends itself, through loop\n");
}

static void
check_services(void)
{
	open_catalogue(
	    SERVICE("a", ",'dependencies':{'install':{'requires':['b','alias','nix','a'],'uses':['maybe']},'conflicts':['foe']}"),
	    SERVICE("b", ",'dependencies':{'provides':['alias']},'provisioner':{'actions':{'instal':{'type':'x'},'ponder':{},"
	        "'start':{'type':'x'}}},'links':[{'label':'l','url':'%host.service.nix% %host.x%'}]"),
	    "services/c.json", "{'name':'d'}", "services/e.json", "{'name':'b'}", "services/f.json", "{'name':7}",
	    "services/g.json", "{'name':'g'", "services/.hidden.json", "{", "services/README", "", END);
	check_findings("services",
	    "services/e.json : the name is that of services/b.json already; this file is left out\n"
	    "! services/f.json /name: expected string, found number\n"
	    "! services/g.json line 1, column 12: the text ends inside a value\n"
	    "services/a.json /dependencies/install/requires/2: there is no service \"nix\"\n"
	    "services/a.json /dependencies/install/requires/3: that is the service itself\n"
	    "? services/a.json /dependencies/install/uses/0: there is no service \"maybe\"\n"
	    "? services/a.json /dependencies/conflicts/0: there is no service \"foe\"\n"
	    "services/b.json /provisioner/actions/instal: services have no action \"instal\"; did you mean \"install\"?\n"
	    "services/b.json /links/0/url: %host.service.nix%: there is no service \"nix\"\n"
	    "services/b.json /links/0/url: %host.x%: this is not a macro of coopr-macros(7)\n"
	    "? services/b.json /provisioner/actions/ponder: services have no action \"ponder\"\n"
	    "services/c.json /name: \"d\" is not the name of the file\n");
	open_catalogue(SERVICE("a", ",'dependencies':{'runtime':{'requires':['b']},'install':{'uses':['b']}}"),
	    SERVICE("b", ",'dependencies':{'runtime':{'uses':['alias','a']}}"),
	    SERVICE("c", ",'dependencies':{'provides':['alias'],'runtime':{'requires':['alias']}}"), END);
	check_findings("cycles of services",
	    "? services/a.json /dependencies/runtime: a cycle: a, which needs b, which needs a\n");
}

static void
check_templates(void)
{
	open_catalogue(PROVIDER, HARDWARE("h"), HARDWARE("big"), IMAGE("i"), "imagetypes/far.json", "{'name':'far','providermap':{'q':{'image':'x'}}}",
	    SERVICE("a", ""), SERVICE("b", ""), SERVICE("c", ""),
	    TEMPLATE("bad", ",'compatibility':{'hardwaretypes':['h','nix'],'services':['a','b','nix']},'defaults':{'services':['a','c','nix',"
	        "{'name':'b','config':{'x':'%ip.service.c%'}}],'provider':'nix','hardwaretype':'big','imagetype':'far','config':"
	        "{'m':['%host.service.b%','%host.service.c%','%host.service.nix%','50% of 80%','%map(host.self)%']}},"
	        "'constraints':{'size':{'min':5,'max':3},'services':{'a':{'hardwaretypes':['nix'],'quantities':{'min':2,'max':1}},"
	        "'c':{},'nix':{}},'layout':{'mustcoexist':[['a','b','a']],'cantcoexist':[['a','nix'],['a','b','c']]},"
	        "'counts':[{'terms':{'nix':1},'min':2,'max':1}],'oneof':[['nix']],'spread':[{'services':['nix']}]},"
	        "'administration':{'leaseduration':{'initial':'2d','max':'1d'}}"),
	    TEMPLATE("fine", ",'defaults':{'services':['a','c'],'provider':'p','hardwaretype':'h','imagetype':'i','config':"
	        "{'x':'%ip.service.c%'}},'administration':{'leaseduration':{'initial':'0','max':'0'}}"),
	    TEMPLATE("heir", ",'extends':{'name':'parent'},'defaults':{'services':['b'],'config':{'x':'%host.service.b%'}}"),
	    TEMPLATE("parent", ",'compatibility':{'services':['b']}"), END);
	check_findings("templates",
	    "? imagetypes/far.json /providermap/q: there is no provider \"q\"\n"
	    "clustertemplates/bad.json /constraints/size: min 5 is more than max 3\n"
	    "clustertemplates/bad.json /constraints/services/a/hardwaretypes/0: there is no hardware type \"nix\"\n"
	    "clustertemplates/bad.json /constraints/services/a/quantities: min 2 is more than max 1\n"
	    "clustertemplates/bad.json /constraints/services/nix: there is no service \"nix\"\n"
	    "clustertemplates/bad.json /constraints/layout/cantcoexist/0/1: there is no service \"nix\"\n"
	    "clustertemplates/bad.json /constraints/oneof/0/0: there is no service \"nix\"\n"
	    "clustertemplates/bad.json /constraints/counts/0/terms/nix: there is no service \"nix\"\n"
	    "clustertemplates/bad.json /constraints/counts/0: min 2 is more than max 1\n"
	    "clustertemplates/bad.json /constraints/spread/0/services/0: there is no service \"nix\"\n"
	    "clustertemplates/bad.json /administration/leaseduration/initial: the initial lease is longer than the longest one\n"
	    "clustertemplates/bad.json /compatibility/hardwaretypes/1: there is no hardware type \"nix\"\n"
	    "clustertemplates/bad.json /compatibility/services/2: there is no service \"nix\"\n"
	    "clustertemplates/bad.json /defaults/provider: there is no provider \"nix\"\n"
	    "clustertemplates/bad.json /defaults/hardwaretype: \"big\" is not among the compatible hardware types\n"
	    "clustertemplates/bad.json /defaults/imagetype: \"far\" is not available from the provider \"nix\"\n"
	    "clustertemplates/bad.json /defaults/services/1: \"c\" is not among the compatible services\n"
	    "clustertemplates/bad.json /defaults/services/2: there is no service \"nix\"\n"
	    "clustertemplates/bad.json /defaults/services/3/config/x: %ip.service.c%: the template does not allow the service \"c\"\n"
	    "clustertemplates/bad.json /defaults/config/m/1: %host.service.c%: the template does not allow the service \"c\"\n"
	    "clustertemplates/bad.json /defaults/config/m/2: %host.service.nix%: there is no service \"nix\"\n"
	    "clustertemplates/bad.json /defaults/config/m/4: %map(host.self)%: this is not a macro of coopr-macros(7)\n"
	    "? clustertemplates/bad.json /constraints/services/c: \"c\" is not among the compatible services, so this says nothing\n"
	    "? clustertemplates/bad.json /constraints/layout/mustcoexist/0/2: \"a\" stands in this set before already\n"
	    "? clustertemplates/bad.json /constraints/layout/cantcoexist/1/2: \"c\" is not among the compatible services, so this says "
	    "nothing\n"
	    "? clustertemplates/bad.json /constraints/layout/cantcoexist/1: this forbids only all 3 on one node; mutuallyexclusive forbids "
	    "any two of them\n");
}

static void
check_together(void)
{
	open_catalogue(SERVICE("a", ",'dependencies':{'install':{'requires':['b']},'runtime':{'requires':['alias']}}"),
	    SERVICE("b", ",'dependencies':{'conflicts':['c']}"), SERVICE("c", ",'dependencies':{'provides':['alias']}"),
	    TEMPLATE("lone", ",'defaults':{'services':['a']}"), TEMPLATE("pair", ",'defaults':{'services':['b','c']}"),
	    TEMPLATE("heir", ",'extends':{'name':'base'},'defaults':{'services':['a']}"),
	    TEMPLATE("base", ",'defaults':{'services':['b']}"), END);
	check_findings("default services that cannot be together",
	    "clustertemplates/heir.json /defaults/services: \"a\" requires \"alias\", which is not among the default services\n"
	    "clustertemplates/lone.json /defaults/services: \"a\" requires \"b\", which is not among the default services\n"
	    "clustertemplates/lone.json /defaults/services: \"a\" requires \"alias\", which is not among the default services\n"
	    "clustertemplates/pair.json /defaults/services: \"b\" conflicts with \"c\"\n");
}

static void
check_request(const struct order *order, const char *expected, const char *title)
{
	struct error err;
	jv request = compose_request(&catalogue, order, &err), wanted = {0};
	char *found, *text;

	if (*expected == '{')
		wanted = document_of(expected);
	text = jv_is_valid(wanted) ? dumped(wanted) : memory_string(expected);
	found = jv_is_valid(request) ? dumped(request) : memory_string(err.text);
	tap_is_text(found, text, "%s", title);
	free(found);
	free(text);
}

static void
check_compose(void)
{
	const char *other[] = {"other"}, *changes[] = {"k.x=2"};
	jv nodes = document_of("[{'kind':'node','id':'n','nodenum':1,'hostname':'n','services':['old'],'hardwaretype':'odd'}]");
	struct order order = {.template = "t", .name = "c", .tenant = "qa", .catalogue = "/c"};

	open_catalogue(PROVIDER, HARDWARE("h"), HARDWARE("odd"), IMAGE("i"), "imagetypes/far.json",
	    "{'name':'far','providermap':{'q':{'image':'x'}}}", SERVICE("a", ""), SERVICE("old", ""), SERVICE("other", ""),
	    TEMPLATE("t", ",'compatibility':{'hardwaretypes':['h']},'defaults':{'provider':'p','services':['a'],'config':{'k':{'x':1}},"
	        "'dnsSuffix':'s'}"),
	    TEMPLATE("empty", ""), END);
#define PARTS(hardware, services, nodes) \
	"'template':{'name':'t','compatibility':{'hardwaretypes':['h']},'defaults':{'provider':'p','services':['a']," \
	"'config':{'k':{'x':1}},'dnsSuffix':'s'}},'provider':{'name':'p','providertype':'x'},'hardwaretypes':[{'name':'h'," \
	"'providermap':{'p':{'flavor':'f'}}}" hardware "],'imagetypes':[{'name':'i','providermap':{'p':{'image':'i'}}}]," \
	"'services':[" services "],'nodes':[" nodes "],'kind':'request'}"
	check_request(&order, "{'cluster':{'catalogue':'/c','dnsSuffix':'s','id':'30163841','name':'c','tenant':'qa','services':['a'],"
	    "'config':{'k':{'x':1}}}," PARTS("", "{'name':'a'}", ""), "a request has what the cluster can be made of, and no more");
	order = (struct order){.template = "t", .name = "c", .tenant = "qa", .catalogue = "/c", .id = "7", .owner = "ann",
	    .machines_min = 2, .machines_max = 4, .services = {other, 1}, .changes = {changes, 1}, .nodes = nodes, .imagetype = "i",
	    .dns_suffix = "z"};
	check_request(&order, "{'cluster':{'catalogue':'/c','dnsSuffix':'z','id':'7','name':'c','owner':'ann','tenant':'qa',"
	    "'imagetype':'i','numMachines':{'min':2,'max':4},'services':['other'],'config':{'k':{'x':2}}},"
	    PARTS(",{'name':'odd','providermap':{'p':{'flavor':'f'}}}", "{'name':'old'},{'name':'other'}",
	        "{'kind':'node','id':'n','nodenum':1,'hostname':'n','services':['old'],'hardwaretype':'odd'}"),
	    "what stands on nodes already is in it too");
	order.provider = "q";
	check_request(&order, "there is no provider \"q\"; there is only p", "a provider that is none");
	order = (struct order){.template = "empty", .name = "c", .tenant = "qa"};
	check_request(&order, "the template \"empty\" has no default provider: one has to be named", "a template without a provider");
	order.provider = "p";
	check_request(&order, "the template \"empty\" has no default services: some have to be named", "and without services");
	jv_free(nodes);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");

	folder = memory_printf("%s/catalogue-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder)) {
		tap_ok(false, "%s", folder);
		return tap_end();
	}
	check_merge();
	check_services();
	check_templates();
	check_together();
	check_compose();
	close_catalogue();
	free(folder);
	return tap_end();
}
