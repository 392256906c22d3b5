/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parsers of entities make of well-formed documents. What they say of others is in model-validate.c.
 */
#include "model/entity.h"

#include <math.h>

#include "model.h"

static struct problems problems;
static struct arena arena;

static void
check_service(void)
{
	jv document = document_of("{'name':'kv','dependencies':{'provides':['store','kv-api'],'conflicts':['old'],"
	    "'install':{'requires':['base'],'uses':['jdk']},'runtime':{'requires':['zk']}},'consumes':{'memory':512,'cpu':'0.5'},"
	    "'provisioner':{'actions':{'install':{'type':'shell','fields':{'script':'kv.sh'}},"
	    "'start':{'type':'docker','timeout_s':60,'retries':0,'expect_s':2.5}}},'links':[{'label':'UI','url':'http://%ip.self%'}]}");
	struct place root = place_root(document, &problems);
	struct service service;

	service_parse(&root, &arena, &service);
	tap_is_text(service.name, "kv", "a service has its name");
	tap_is_list(&service.provides, "store kv-api", "what it provides");
	tap_is_list(&service.conflicts, "old", "and conflicts with");
	tap_is_list(&service.install_requires, "base", "what it needs to be installed");
	tap_is_list(&service.install_uses, "jdk", "and would use");
	tap_is_list(&service.runtime_requires, "zk", "what it needs to run");
	tap_is_number(service.runtime_uses.count, 0, "absent lists are empty");
	tap_ok(service.consumes.count == 2 && strcmp(service.consumes.list[0].resource, "cpu") == 0 &&
	    service.consumes.list[0].value == 0.5 && service.consumes.list[1].value == 512, "what it consumes, sorted");
	tap_ok(service.actions[ACTION_INSTALL].present && service.actions[ACTION_INSTALL].timeout_s == ACTION_TIMEOUT_S &&
	    service.actions[ACTION_INSTALL].retries == ACTION_RETRIES && jv_is_valid(service.actions[ACTION_INSTALL].fields),
	    "an action with what is usual");
	tap_ok(service.actions[ACTION_START].timeout_s == 60 && service.actions[ACTION_START].retries == 0 &&
	    service.actions[ACTION_START].expect_s == 2.5 && !jv_is_valid(service.actions[ACTION_START].fields),
	    "an action with values of its own");
	tap_ok(!service.actions[ACTION_STOP].present && service.actions[ACTION_STOP].timeout_s > 0, "an action it does not have");
	tap_is_text(service.links.list[0].url, "http://%ip.self%", "its link");
	jv_free(service.source);
	jv_free(document);
}

/* Thousands of services of a request may have no actions. */
static void
check_service_without_actions(void)
{
	jv document = document_of("{'name':'bare'}");
	struct place root = place_root(document, &problems);
	struct service one, other;
	bool any = false;

	service_parse(&root, &arena, &one);
	service_parse(&root, &arena, &other);
	for (int i = 0; i < ACTION_COUNT; i++)
		any |= one.actions[i].present;
	tap_ok(!any && one.actions == other.actions, "services without actions share what says so");
	jv_free(one.source);
	jv_free(other.source);
	jv_free(document);
}

static void
check_types(void)
{
	jv hardware = document_of("{'name':'h','providermap':{'q':{'cost':'0.087','capacity':{'cpu':4},'flavor':'5','available':'3'},"
	    "'p':{'cost':1}}}");
	jv image = document_of("{'name':'i','providermap':{'q':{'image':'x'},'p':{'image':'y','sshuser':'bob'}}}");
	struct place root = place_root(hardware, &problems);
	struct hardwaretype hardwaretype;
	struct imagetype imagetype;
	const struct hardware_offer *offer;

	hardwaretype_parse(&root, &arena, &hardwaretype);
	offer = hardwaretype_offer(&hardwaretype, "q");
	tap_ok(offer && strcmp(offer->flavor, "5") == 0 && offer->has_cost && offer->cost == 0.087 && offer->available == 3 &&
	    offer->capacity.list[0].value == 4, "a hardware type's offer, numbers given as strings");
	tap_ok(!hardwaretype_offer(&hardwaretype, "p"), "without a flavor there is no offer");
	tap_ok(!hardwaretype_offer(&hardwaretype, "x"), "nor at a provider that is not there");
	tap_is_text(hardwaretype.offers[0].provider, "p", "offers are sorted by provider");
	root = place_root(image, &problems);
	imagetype_parse(&root, &arena, &imagetype);
	tap_is_text(imagetype_offer(&imagetype, "p")->sshuser, "bob", "an image's user");
	tap_is_text(imagetype_offer(&imagetype, "q")->sshuser, "root", "is root where none is named");
	jv_free(hardwaretype.source);
	jv_free(imagetype.source);
	jv_free(hardware);
	jv_free(image);
}

static void
check_template(void)
{
	jv document = document_of("{'name':'t','compatibility':{'services':['b','a']},'defaults':{'services':['b',{'name':'a',"
	    "'config':{'x':1}}],'provider':'p','config':{'k':1}},'constraints':{'size':{'min':'3'},'services':{'b':{'quantities':"
	    "{'max':2}},'a':{'hardwaretypes':['h'],'quantities':{'min':1}}},'layout':{'mustcoexist':[['b','a','b'],[]],"
	    "'mutuallyexclusive':[['x','y']]},'counts':[{'name':'r','terms':{'b':-3,'a':2},'min':0}],'oneof':[['l','k']],"
	    "'spread':[{'services':['a'],'min':3}]},'objective':['cost','dense'],'administration':{'leaseduration':{'initial':'2d',"
	    "'max':'12h','step':5}},'extends':{'name':'base'},'includes':[{'name':'ntp'}],'immutable':true}");
	struct place root = place_root(document, &problems);
	struct cluster_template template;

	cluster_template_parse(&root, &arena, &template);
	tap_is_list(&template.compatible_services, "b a", "compatible services as given");
	tap_ok(template.default_service_count == 2 && strcmp(template.default_services[0].name, "b") == 0 &&
	    !jv_is_valid(template.default_services[0].config) && jv_is_valid(template.default_services[1].config),
	    "default services are names, or names with a config");
	tap_is_text(template.default_provider, "p", "the default provider");
	tap_ok(!template.default_hardwaretype && !template.default_imagetype && !template.default_dns_suffix, "what is not given");
	tap_ok(template.size_min == 3 && template.size_max == INT64_MAX, "the size");
	tap_ok(template.constraint_count == 2 && strcmp(template.constraints[0].service, "a") == 0, "constraints by service");
	tap_ok(template.constraints[0].has_min && !template.constraints[0].has_max && template.constraints[0].min == 1 &&
	    template.constraints[0].max == INT64_MAX && template.constraints[1].min == 0 && template.constraints[1].max == 2,
	    "their quantities");
	tap_is_list(&template.constraints[0].hardwaretypes, "h", "their hardware");
	tap_ok(template.mustcoexist.count == 2 && template.mustcoexist.list[1].count == 0, "sets keep their order, empty ones too");
	tap_is_list(&template.mustcoexist.list[0], "a b", "and are sets");
	tap_is_list(&template.mutuallyexclusive.list[0], "x y", "mutuallyexclusive");
	tap_is_list(&template.oneof.list[0], "k l", "oneof");
	tap_ok(template.counts[0].term_count == 2 && strcmp(template.counts[0].terms[1].service, "b") == 0 &&
	    template.counts[0].terms[1].coefficient == -3 && template.counts[0].min == 0 && isinf(template.counts[0].max),
	    "a rule over counts");
	tap_ok(template.spreads[0].min == 3 && strcmp(template.spreads[0].over, "zone") == 0, "a spread is over zones");
	tap_ok(template.objective_count == 2 && template.objectives[0] == OBJECTIVE_COST &&
	    template.objectives[1] == OBJECTIVE_DENSE, "objectives");
	tap_ok(template.lease_initial_ms == 172800000 && template.lease_max_ms == 43200000 && template.lease_step_ms == 5, "leases");
	tap_is_text(template.extends, "base", "what it extends");
	tap_is_list(&template.includes, "ntp", "and includes");
	tap_ok(template.immutable, "immutable");
	jv_free(template.source);
	jv_free(document);
}

static void
check_defaults(void)
{
	jv document = document_of("{'name':'t'}"), limits = document_of("{'name':'t','maxNodes':5}");
	struct place root = place_root(document, &problems);
	struct cluster_template template;
	struct tenant tenant;

	cluster_template_parse(&root, &arena, &template);
	tap_ok(template.size_min == 1 && template.size_max == INT64_MAX && template.objective_count == 2 &&
	    template.objectives[0] == OBJECTIVE_MOVES && template.objectives[1] == OBJECTIVE_DENSE && !template.lease_initial_ms,
	    "what an empty template means");
	root = place_root(limits, &problems);
	tenant_parse(&root, &arena, &tenant);
	tap_ok(tenant.max_clusters == -1 && tenant.max_nodes == 5, "a tenant's limits");
	jv_free(template.source);
	jv_free(tenant.source);
	jv_free(document);
	jv_free(limits);
}

int
main(void)
{
	check_service();
	check_service_without_actions();
	check_types();
	check_template();
	check_defaults();
	no_problems(&problems, "nothing is wrong with any of them");
	arena_release(&arena);
	return tap_end();
}
