/* SPDX-License-Identifier: Apache-2.0 */
#include "model/request.h"

#include <math.h>

#include "model.h"
#include "model/answer/answer.h"

static const char text[] =
    "{'kind':'request','cluster':{'id':'00000042','name':'kv','tenant':'qa','numMachines':{'min':3},'services':['zk','kv','zk'],"
    "'hardwaretype':null,'dnsSuffix':'dev','config':{'a':1},'catalogue':'/c','more':7},'template':{'name':'t','x':[1]},"
    "'provider':{'name':'p','providertype':'x'},'hardwaretypes':[{'name':'h'}],'imagetypes':[{'name':'i'}],"
    "'services':[{'name':'zk','secret':1},{'name':'kv'},{'name':'gone'},{'name':'other'}],"
    "'nodes':[{'id':'b','nodenum':1001,'hostname':'b','services':['zk']},{'id':'a','nodenum':1000,'hostname':'a','services':['gone']}]}";

static void
check_read(const struct request *request)
{
	const struct cluster_request *asked = &request->cluster;

	tap_is_text(asked->id, "00000042", "the cluster's id");
	tap_is_text(asked->tenant, "qa", "its tenant");
	tap_is_text(asked->dns_suffix, "dev", "its DNS suffix");
	tap_ok(!asked->hardwaretype && !asked->imagetype, "null is the same as absent");
	tap_ok(asked->machines_given && asked->machines_min == 3 && asked->machines_max == INT64_MAX, "how many machines");
	tap_is_list(&asked->services, "kv zk", "its services are a set");
	tap_is_number(request->service_count, 4, "services stay in their order");
	tap_is_text(request->services[0].name, "zk", "which pointers count on");
	tap_is_number(request->nodes[0].nodenum, 1000, "nodes are sorted by nodenum");
	tap_is_number(request->nodes[0].index, 1, "and know where they stood");
}

static void
check_answer(const struct request *request)
{
	const char *services[] = {"kv", "zk"};
	struct amount objective[] = {{.resource = "cost", .value = 0.31}, {.resource = "moves"}};
	struct solution solution = {"optimal", {objective, 2}, {0}, 12, {0}};
	const char *pointers[] = {"/cluster/numMachines", "/template/constraints/size/max"};
	struct buffer out = {0};

	answer_print(request, &(struct string_list){services, 2}, &solution, &out);
	tap_is_text(out.data,
	    "{\"catalogue\":\"/c\",\"config\":{\"a\":1},\"definitions\":[{\"name\":\"gone\"},{\"name\":\"kv\"},{\"name\":\"zk\","
	    "\"secret\":1}],\"dnsSuffix\":\"dev\",\"hardwaretype\":null,\"id\":\"00000042\",\"kind\":\"cluster\",\"more\":7,"
	    "\"name\":\"kv\",\"nextNodenum\":1002,\"numMachines\":{\"min\":3},\"provider\":{\"name\":\"p\",\"providertype\":\"x\"},\"services\":[\"kv\",\"zk\"],"
	    "\"solution\":{\"bound\":{},\"explored\":12,\"objective\":{\"cost\":0.31,\"moves\":0},\"status\":\"optimal\"},"
	    "\"template\":{\"name\":\"t\",\"x\":[1]},\"tenant\":\"qa\"}\n", "the answer passes on what the request says of the cluster");
	buffer_clear(&out);
	unsatisfiable_print(&(struct unsatisfiable){.because = "7 machines are wanted, 5 are allowed", .conflict = {pointers, 2}, .minimal = true}, &out);
	tap_is_text(out.data, "{\"because\":\"7 machines are wanted, 5 are allowed\",\"conflict\":[\"/cluster/numMachines\","
	    "\"/template/constraints/size/max\"],\"kind\":\"unsatisfiable\"}\n", "or says why there is none");
	buffer_release(&out);
}

static void
check_defaults(void)
{
	jv document = document_of("{'kind':'request','cluster':{'name':'c'},'template':{'name':'t','defaults':{'config':{'d':1}}},"
	    "'provider':{'name':'p','providertype':'x'}}");
	struct problems problems = {0};
	struct solution solution = {.status = "feasible"};
	struct buffer out = {0};
	struct request request;

	request_parse(document, &request, &problems);
	jv_free(document);
	no_problems(&problems, "a request may say very little");
	tap_ok(strcmp(request.cluster.id, "00000001") == 0 && strcmp(request.cluster.tenant, "default") == 0 &&
	    !request.cluster.machines_given && request.cluster.machines_min == 1 && request.cluster.machines_max == INT64_MAX,
	    "what it then means");
	answer_print(&request, &(struct string_list){0}, &solution, &out);
	tap_ok(strstr(out.data, "\"config\":{\"d\":1}"), "a cluster without a config gets the template's");
	buffer_release(&out);
	request_release(&request);
}

/* Each check that looks for doubles takes linear time, or this test does not end. */
static void
check_large(void)
{
	enum { SERVICES = 16000, NODES = 100000 };
	struct buffer json = {0};
	struct problems problems = {0};
	struct request request;
	struct error err;
	jv document;

	buffer_text(&json, "{\"kind\":\"request\",\"cluster\":{\"name\":\"c\",\"numMachines\":1000000000},\"template\":{\"name\":\"t\"},"
	    "\"provider\":{\"name\":\"p\",\"providertype\":\"x\"},\"services\":[");
	for (int i = 0; i < SERVICES; i++)
		buffer_printf(&json, "%s{\"name\":\"service-%d\"}", i ? "," : "", i);
	buffer_text(&json, "],\"nodes\":[");
	for (int i = 0; i < NODES; i++)
		buffer_printf(&json, "%s{\"id\":\"n%d\",\"nodenum\":%d,\"hostname\":\"n%d\",\"services\":[]}", i ? "," : "", i, NODES - i, i);
	buffer_text(&json, "]}");
	if (json_parse("large", json.data, json.length, &document, &err) < 0)
		tap_ok(false, "%s", err.text);
	request_parse(document, &request, &problems);
	jv_free(document);
	no_problems(&problems, "thousands of services and a hundred thousand nodes are read");
	tap_ok(request.service_count == SERVICES && request.node_count == NODES && request.nodes[0].nodenum == 1 && request.cluster.machines_min == 1000000000, "all of them");
	request_release(&request);
	buffer_release(&json);
}

int
main(void)
{
	jv document = document_of(text);
	struct problems problems = {0};
	struct request request;

	request_parse(document, &request, &problems);
	jv_free(document);
	no_problems(&problems, "a request is read");
	check_read(&request);
	check_answer(&request);
	request_release(&request);
	check_defaults();
	check_large();
	return tap_end();
}
