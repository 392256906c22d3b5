/* SPDX-License-Identifier: Apache-2.0
 *
 * What is malformed in documents of each kind, and what is not: a table of documents with the problems they have.
 */
#include "catalogue/validate.h"

#include "model.h"

#define NAME256 \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
#define NO_NAME(text) "\"" text "\" is not a name: 1 to 255 of A-Z a-z 0-9 _ . - are allowed"
#define REQUEST(more) \
	"{'kind':'request','cluster':{'name':'c'},'template':{'name':'t'},'provider':{'name':'p','providertype':'x'}" more "}"
#define WISH(members) \
	"{'kind':'request','cluster':{'name':'c'," members "},'template':{'name':'t'},'provider':{'name':'p','providertype':'x'}}"
#define NODE(more) "{'kind':'node','id':'1-1000','nodenum':1000,'hostname':'a1-1000.local'," more "}"
#define TASK(more) "{'kind':'task','id':'t1','node':'n','action':'install','service':'s','type':'shell'" more "}"

static const struct {
	const char *kind, *document, *problems;
} cases[] = {
	{"service", "[]", ": expected object, found array"},
	{"service", "{}", "/name: expected string, found nothing"},
	{"service", "{'name':'a'}", ""},
	{"service", "{'name':''}", "/name: " NO_NAME("")},
	{"service", "{'name':'..'}", "/name: " NO_NAME("..")},
	{"service", "{'name':'a/b'}", "/name: " NO_NAME("a/b")},
	{"service", "{'name':'a','kind':'service'}", ""},
	{"service", "{'name':'a','kind':'provider'}", "/kind: expected \"service\", found \"provider\""},
	{"service", "{'name':'a','dependson':['x'],'icon':null,'description':7}", ""},
	{"service", "{'name':'a','dependencies':null,'provisioner':null,'links':null,'consumes':null}", ""},
	{"service", "{'name':'a','dependencies':{'install':{},'runtime':{'uses':['x']}}}", ""},
	{"service", "{'name':'a','dependencies':{'provides':'x','install':{'requires':[1,'b',null,'c d']}}}",
	    "/dependencies/install/requires/0: expected string, found number; /dependencies/install/requires/2: "
	    "expected string, found null; /dependencies/install/requires/3: " NO_NAME("c d") "; /dependencies/provides: "
	    "expected array, found string"},
	{"service", "{'name':'a','provisioner':{'actions':{'start':{}}}}",
	    "/provisioner/actions/start/type: expected string, found nothing"},
	{"service", "{'name':'a','provisioner':{'actions':{'start':{'type':'shell','fields':{'n':1}}}}}",
	    "/provisioner/actions/start/fields/n: expected string, found number"},
	{"service", "{'name':'a','provisioner':{'actions':{'start':{'type':'shell','timeout_s':0,'retries':101,'expect_s':-1}}}}",
	    "/provisioner/actions/start/expect_s: -1 is less than 0; /provisioner/actions/start/retries: 101 is more "
	    "than 100; /provisioner/actions/start/timeout_s: 0 is less than 1"},
	{"service", "{'name':'a','provisioner':{'actions':{'start':{'type':'shell','timeout_s':'60','retries':'0'}}}}", ""},
	{"service", "{'name':'a','provisioner':{'actions':{'start':{'type':'../sh'}}}}",
	    "/provisioner/actions/start/type: " NO_NAME("../sh")},
	{"service", "{'name':'a','consumes':{'cpu':'2','memory':512}}", ""},
	{"service", "{'name':'a','consumes':{'cpu':-1,'memory':1e22,'disk':'x'}}",
	    "/consumes/cpu: -1 is less than 0; /consumes/disk: expected number, found string; /consumes/memory: "
	    "1e+22 is more than 1e+21"},
	{"service", "{'name':'a','links':[{'label':'x'},7]}",
	    "/links/0/url: expected string, found nothing; /links/1: expected object, found number"},

	{"hardwaretype", "{'name':'h'}", ""},
	{"hardwaretype", "{'name':'h','providermap':[]}", "/providermap: expected object, found array"},
	{"hardwaretype", "{'name':'h','providermap':{'p':{'flavor':'5','cost':'0.087','vcpu':'4','available':'3'}}}", ""},
	{"hardwaretype", "{'name':'h','providermap':{'p':{'flavor':5,'cost':-1,'available':1.5,'capacity':{'cpu':'x'}}}}",
	    "/providermap/p/available: expected an integer, found 1.5; /providermap/p/capacity/cpu: expected number, "
	    "found string; /providermap/p/cost: -1 is less than 0; /providermap/p/flavor: expected string, found number"},
	{"hardwaretype", "{'name':'h','providermap':{'p':7,'a/b':{}}}",
	    "/providermap/a~1b: \"a/b\" is not the name of a provider; /providermap/p: expected object, found number"},
	{"imagetype", "{'name':'i','providermap':{'p':{'image':'x','sshuser':'-oProxyCommand=x'}}}",
	    "/providermap/p/sshuser: \"-oProxyCommand=x\" is not a user name"},
	{"provider", "{'name':'p'}", "/providertype: expected string, found nothing"},
	{"provider", "{'name':'p','providertype':'x','provisioner':{'a':true},'zones':['z1','z2']}", ""},
	{"tenant", "{'name':'t','maxNodes':-1,'maxClusters':null}", "/maxNodes: -1 is less than 0"},

	{"clustertemplate", "{'name':'t'}", ""},
	{"clustertemplate", "{'name':'t','constraints':{'services':{'a':{}},'layout':{'mustcoexist':[],'cantcoexist':[[]]}}}", ""},
	{"clustertemplate", "{'name':'t','constraints':{'services':{'a':{'quantities':{'min':3,'max':'1'}}}}}", ""},
	{"clustertemplate", "{'name':'t','constraints':{'services':{'a':{'quantities':{'min':-3,'max':1.5}}},'size':{'min':-1}}}",
	    "/constraints/services/a/quantities/max: expected an integer, found 1.5; "
	    "/constraints/services/a/quantities/min: -3 is less than 0; /constraints/size/min: -1 is less than 0"},
	{"clustertemplate", "{'name':'t','constraints':{'layout':{'mustcoexist':['a'],'cantcoexist':[['a',7]]}}}",
	    "/constraints/layout/cantcoexist/0/1: expected string, found number; /constraints/layout/mustcoexist/0: "
	    "expected array, found string"},
	{"clustertemplate", "{'name':'t','constraints':{'counts':[{'terms':{'a':2,'b':-3},'min':0},{}],'spread':[{'min':0}]}}",
	    "/constraints/counts/1/terms: expected object, found nothing; /constraints/spread/0/min: 0 is less than 1; "
	    "/constraints/spread/0/services: expected array, found nothing"},
	{"clustertemplate", "{'name':'t','constraints':{'spread':[{'services':['a'],'over':'rack'}]}}",
	    "/constraints/spread/0/over: services can be spread over \"zone\", not over \"rack\""},
	{"clustertemplate", "{'name':'t','objective':['cost','cost','speed',1]}",
	    "/objective/1: \"cost\" stands before already; /objective/2: expected \"moves\", \"cost\", \"machines\" or \"dense\"; "
	    "/objective/3: expected \"moves\", \"cost\", \"machines\" or \"dense\""},
	{"clustertemplate", "{'name':'t','administration':{'leaseduration':{'initial':'2d','max':'0','step':'15m'}}}", ""},
	{"clustertemplate", "{'name':'t','administration':{'leaseduration':{'initial':'2w','max':-1,'step':'999999999999d'}}}",
	    "/administration/leaseduration/initial: \"2w\" is not a duration: milliseconds, or as \"30s\", \"15m\", \"12h\", \"2d\"; "
	    "/administration/leaseduration/max: -1 is less than 0; /administration/leaseduration/step: \"999999999999d\" is too long"},
	{"clustertemplate", "{'name':'t','administration':{'leaseduration':{'initial':'99999999999999999999s'}}}",
	    "/administration/leaseduration/initial: \"99999999999999999999s\" is too long"},
	{"clustertemplate", "{'name':'t','defaults':{'services':['a',{'name':'b','config':{}},{},7,'c/d'],'config':[]}}",
	    "/defaults/config: expected object, found array; /defaults/services/2/name: expected string, found nothing; "
	    "/defaults/services/3: expected string or object, found number; /defaults/services/4: \"c/d\" is not the name of "
	    "a service"},
	{"clustertemplate", "{'name':'t','defaults':{'dnsSuffix':'.dev.example.net'}}", ""},
	{"clustertemplate", "{'name':'t','defaults':{'dnsSuffix':'a..b'}}", "/defaults/dnsSuffix: \"a..b\" is not a DNS suffix"},
	{"clustertemplate", "{'name':'t','extends':'base','includes':[{'name':'x'},{},'y']}",
	    "/extends: expected object, found string; /includes/1/name: expected string, found nothing; /includes/2: expected "
	    "object, found string"},
	{"partialtemplate", "{'name':'t','immutable':'yes'}", "/immutable: expected boolean, found string"},

	{"request", REQUEST(""), ""},
	{"request", "{'kind':'request'}",
	    "/cluster: expected object, found nothing; /provider: expected object, found nothing; /template: expected "
	    "object, found nothing"},
	{"request", "{'cluster':{'name':'c'},'template':{'name':'t'},'provider':{'name':'p','providertype':'x'}}",
	    "/kind: expected \"request\", found nothing"},
	{"request", WISH("'numMachines':'5'"), ""},
	{"request", WISH("'numMachines':{'min':3,'max':50}"), ""},
	{"request", WISH("'numMachines':{}"), ""},
	{"request", WISH("'numMachines':1000000000"), ""},
	{"request", WISH("'numMachines':0"), "/cluster/numMachines: 0 is less than 1"},
	{"request", WISH("'numMachines':-5"), "/cluster/numMachines: -5 is less than 1"},
	{"request", WISH("'numMachines':2.5"), "/cluster/numMachines: expected an integer, found 2.5"},
	{"request", WISH("'numMachines':1e300"), "/cluster/numMachines: 1.0000000000000001e+300 is more than 9007199254740991"},
	{"request", WISH("'numMachines':'NaN'"), "/cluster/numMachines: expected number, found string"},
	{"request", WISH("'numMachines':true"), "/cluster/numMachines: expected number, found boolean"},
	{"request", WISH("'numMachines':{'min':5,'max':3}"), "/cluster/numMachines: min 5 is more than max 3"},
	{"request", WISH("'id':'000000000000000000000000000000001'"),
	    "/cluster/id: \"000000000000000000000000000000001\" is not a cluster id"},
	{"request", WISH("'dnsSuffix':'-.-'"), "/cluster/dnsSuffix: \"-.-\" is not a DNS suffix"},
	{"request", REQUEST(",'services':[{'name':'a'},{'name':'b'},{'name':'a'}],'imagetypes':[{'name':'i'},{'name':'i'}]"),
	    "/imagetypes/1: \"i\" stands in this list before already; /services/2: \"a\" stands in this list before already"},
	{"request", REQUEST(",'services':{'name':'a'}"), "/services: expected array, found object"},
	{"request", REQUEST(",'nodes':[" NODE("'services':['a'],'was':null") "," NODE("'services':['a']") "]"),
	    "/nodes/1: \"1-1000\" stands in this list before already; /nodes/1: nodenum 1000 is another node's already"},

	{"node", NODE("'services':['a']"), ""},
	{"node", NODE("'services':null,'was':['a']"), ""},
	{"node", NODE("'services':[],'was':[],'zone':null,'more':[1]"), ""},
	{"node", NODE("'services':null,'was':null"), ": a node with neither services nor was: it neither stands nor shall"},
	{"node", NODE("'was':[]"), "/services: expected array, found nothing"},
	{"node", "{'kind':'node','id':'x','hostname':'h','services':[]}", "/nodenum: expected number, found nothing"},
	{"node", "{'kind':'node','id':'x','nodenum':-1,'hostname':'-h','services':[]}",
	    "/hostname: \"-h\" is not a host name; /nodenum: -1 is less than 0"},
	{"node", NODE("'services':[],'ipaddresses':{'access_v4':'10.0.0.1','bind_v6':'fe80::1%eth0'},'facts':{}"), ""},
	{"node", NODE("'services':[],'ipaddresses':{'access_v4':'-oProxyCommand=x','b':7},'facts':[]"),
	    "/facts: expected object, found array; /ipaddresses/access_v4: expected an address; /ipaddresses/b: expected an "
	    "address"},

	{"task", TASK(""), ""},
	{"task", TASK(",'after':['t0'],'undo':['delete','create'],'fields':{'script':'x'},'timeout_s':60,'rank':1.5"), ""},
	{"task", TASK(",'undo':['deleet']"), "/undo/0: \"deleet\" is not an action"},
	{"task", TASK(",'timeout_s':1e9"), "/timeout_s: 1000000000 is more than 2592000"},
	{"task", "{'kind':'task','id':'t1','node':'n','action':'install','type':'shell'}",
	    ": install is done to a service, and none is named"},
	{"task", "{'kind':'task','id':'t1','node':'n','action':'create','service':'s','type':'shell'}",
	    ": create is done to the node, not to a service"},
	{"task", "{'kind':'task','id':'../t1','node':'n','action':'x','type':'shell'}",
	    "/action: \"x\" is not an action; /id: " NO_NAME("../t1")},
	{"task", TASK(",'job':'1-001','attempt':0"),
	    "/attempt: 0 is less than 1; /cluster: expected object, found nothing; /machine: expected object, found "
	    "nothing"},
	{"milestone", "{'kind':'milestone','id':'m1','name':'started: a','after':['t1']}", ""},
	{"job", "{'kind':'job','cluster':'1','action':'cluster_create','tasks':3,'critical_path_s':1.5}", ""},
	{"job", "{'kind':'job','id':'a/b','cluster':'1','action':'cluster_create','tasks':-3}",
	    "/id: " NO_NAME("a/b") "; /tasks: -3 is less than 0"},

	{"result", "{'kind':'result','status':0}", ""},
	{"result", "{'kind':'result'}", "/status: expected number, found nothing"},
	{"result", "{'kind':'result','status':1,'attempt':0,'message':7,'hostname':'a b','result':[],'ipaddresses':{'a':''}}",
	    "/attempt: 0 is less than 1; /hostname: \"a b\" is not a host name; /ipaddresses/a: expected an address; "
	    "/message: expected string, found number; /result: expected object, found array"},
	{"unsatisfiable", "{'kind':'unsatisfiable','conflict':['/a'],'because':'b'}", ""},
	{"unsatisfiable", "{'kind':'unsatisfiable','conflict':'/a'}",
	    "/because: expected string, found nothing; /conflict: expected array, found string"},
	{"event", "{'kind':'event','seq':1,'at':'2026-11-21T10:00:00.123Z','event':'take','task':'t1','attempt':1}", ""},
	{"event", "{'kind':'event','seq':1,'at':'2026-11-21T10:00:00Z','event':'lost','task':'t1','attempt':1,'next':'x','action':'y'}",
	    "/action: \"y\" is not an action; /next: \"x\" is not one of \"retry\", \"undo\", \"failed\""},
	{"event", "{'kind':'event','seq':1,'at':'2026-11-21T10:00:00Z','event':'dnoe'}", "/event: there is no event \"dnoe\""},
	{"event", "{'kind':'event','seq':0,'at':'today','event':'done'}",
	    "/at: \"today\" is not a time like \"2026-11-21T10:00:00.123Z\"; /attempt: expected number, found nothing; "
	    "/result: expected object, found nothing; /seq: 0 is less than 1; /task: expected string, found nothing"},
};

static void
check_case(const char *kind, const char *text, const char *expected)
{
	jv document = document_of(text);
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	char *found;

	validate_document(kind, &root);
	found = listed(&problems);
	tap_is_text(found, expected, "%s %s", kind, text);
	free(found);
	problems_release(&problems);
	jv_free(document);
}

/* Whatever stands where, nothing but problems comes of it. */
static void
check_wrong_kinds(void)
{
	static const char *const values[] = {"null", "true", "7", "'x'", "[]", "{}", "[[]]", "[{}]", "{'a':{}}", "{'a':[]}"};
	static const char *const members[] = {"kind", "name", "id", "cluster", "template", "provider", "hardwaretypes",
	    "imagetypes", "services", "nodes", "dependencies", "provisioner", "links", "consumes", "providermap",
	    "compatibility", "defaults", "constraints", "objective", "administration", "extends", "includes", "was",
	    "ipaddresses", "facts", "definitions", "config", "solution", "after", "undo", "fields", "conflict", "because",
	    "status", "result", "machine", "job", "action", "nodenum", "at", "numMachines"};
	size_t count = 0;

	for (const char *const *kind = validate_kinds(); *kind; kind++)
		for (size_t i = 0; i < sizeof members / sizeof *members; i++)
			for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
				char *text = memory_printf("{'%s':%s}", members[i], values[j]);
				jv document = document_of(text);
				struct problems problems = {0};
				struct place root = place_root(document, &problems);

				count += validate_document(*kind, &root);
				problems_release(&problems);
				jv_free(document);
				free(text);
			}
	tap_ok(count > 6000, "every kind survives any value in any member");
}

static void
check_no_objects(void)
{
	static const char *const values[] = {"null", "true", "7", "'x'", "[]"};

	for (const char *const *kind = validate_kinds(); *kind; kind++)
		for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
			jv document = document_of(values[i]);
			char *expected = memory_printf(": expected object, found %s", json_kind_name(document));

			check_case(*kind, values[i], expected);
			free(expected);
			jv_free(document);
		}
}

int
main(void)
{
	jv nothing = jv_object();
	struct problems problems = {0};
	struct place root = place_root(nothing, &problems);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_case(cases[i].kind, cases[i].document, cases[i].problems);
	check_case("service", "{'name':'" NAME256 "'}", "/name: \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
	    "nnnnnnnnnnnnnnnn\" is not a name: 1 to 255 of A-Z a-z 0-9 _ . - are allowed");
	tap_ok(!validate_document("no-such-kind", &root), "a kind that is none is said to be none");
	check_wrong_kinds();
	check_no_objects();
	jv_free(nothing);
	return tap_end();
}
