/* SPDX-License-Identifier: Apache-2.0 */
#include "web/route.h"

/* What libexec/coopr/v2 does: a definition of the programs in share/coopr/v2. */
#define GET(path, what) {"GET", path, "v2 " what, NULL, NULL, ROUTE_NO_BODY, ROUTE_WHOLE, NULL, NULL}
#define CHANGE(method, path, what) {method, path, "v2 " what, NULL, NULL, ROUTE_DOCUMENT, ROUTE_WHOLE, NULL, NULL}

#define UPLOAD(path, what) {"POST", path, "v2 " what, NULL, NULL, ROUTE_UPLOAD, ROUTE_WHOLE, NULL, NULL}

/* The routes of the entities of a kind. */
#define ENTITIES(folder, kind) \
	GET("/v2/" folder, "entities/list " kind), \
	CHANGE("POST", "/v2/" folder, "entities/create " kind), \
	GET("/v2/" folder "/{name}", "entities/show " kind), \
	CHANGE("PUT", "/v2/" folder "/{name}", "entities/replace " kind), \
	CHANGE("DELETE", "/v2/" folder "/{name}", "entities/drop " kind), \
	GET("/v2/" folder "/{name}/{version}", "entities/show " kind), \
	CHANGE("DELETE", "/v2/" folder "/{name}/{version}", "entities/drop_version " kind)

/* The routes of plugins of a kind, and of their resources. */
#define PLUGINS(folder, kind) \
	GET("/v2/plugins/" folder, "installation/plugins " kind), \
	GET("/v2/plugins/" folder "/{plugin}", "installation/one_plugin " kind), \
	CHANGE("DELETE", "/v2/plugins/" folder "/{plugin}", "installation/drop_plugin " kind), \
	GET("/v2/plugins/" folder "/{plugin}/{type}", "installation/resources_of_type " kind), \
	CHANGE("DELETE", "/v2/plugins/" folder "/{plugin}/{type}", "installation/drop_plugin " kind), \
	GET("/v2/plugins/" folder "/{plugin}/{type}/{name}", "installation/versions " kind), \
	UPLOAD("/v2/plugins/" folder "/{plugin}/{type}/{name}", "installation/upload " kind), \
	CHANGE("DELETE", "/v2/plugins/" folder "/{plugin}/{type}/{name}", "installation/drop_resource " kind), \
	CHANGE("DELETE", "/v2/plugins/" folder "/{plugin}/{type}/{name}/versions/{version}", "installation/drop_resource_version " kind), \
	CHANGE("POST", "/v2/plugins/" folder "/{plugin}/{type}/{name}/versions/{version}/stage", "installation/stage " kind), \
	CHANGE("POST", "/v2/plugins/" folder "/{plugin}/{type}/{name}/versions/{version}/recall", "installation/recall " kind)

const struct route coopr_routes[] = {
	{"GET", "/status", NULL, NULL, NULL, ROUTE_NO_BODY, ROUTE_OWN, NULL, NULL},
	ENTITIES("providers", "provider"),
	ENTITIES("hardwaretypes", "hardwaretype"),
	ENTITIES("imagetypes", "imagetype"),
	ENTITIES("services", "service"),
	ENTITIES("clustertemplates", "clustertemplate"),
	ENTITIES("partialtemplates", "partialtemplate"),
	GET("/v2/clusters", "clusters/list"),
	CHANGE("POST", "/v2/clusters", "clusters/create"),
	GET("/v2/clusters/{cluster}", "clusters/show"),
	CHANGE("POST", "/v2/clusters/{cluster}", "clusters/lease"),
	CHANGE("DELETE", "/v2/clusters/{cluster}", "clusters/drop"),
	GET("/v2/clusters/{cluster}/status", "clusters/status"),
	GET("/v2/clusters/{cluster}/config", "clusters/config"),
	CHANGE("PUT", "/v2/clusters/{cluster}/config", "clusters/configure"),
	GET("/v2/clusters/{cluster}/services", "clusters/services"),
	CHANGE("POST", "/v2/clusters/{cluster}/services", "clusters/add_services"),
	CHANGE("POST", "/v2/clusters/{cluster}/services/start", "clusters/run start"),
	CHANGE("POST", "/v2/clusters/{cluster}/services/stop", "clusters/run stop"),
	CHANGE("POST", "/v2/clusters/{cluster}/services/restart", "clusters/run restart"),
	CHANGE("POST", "/v2/clusters/{cluster}/services/{service}/start", "clusters/run start"),
	CHANGE("POST", "/v2/clusters/{cluster}/services/{service}/stop", "clusters/run stop"),
	CHANGE("POST", "/v2/clusters/{cluster}/services/{service}/restart", "clusters/run restart"),
	CHANGE("POST", "/v2/clusters/{cluster}/clustertemplate/sync", "clusters/sync"),
	CHANGE("POST", "/v2/clusters/{cluster}/abort", "clusters/control abort"),
	CHANGE("POST", "/v2/clusters/{cluster}/pause", "clusters/control pause"),
	CHANGE("POST", "/v2/clusters/{cluster}/resume", "clusters/control resume"),
	GET("/v2/clusters/{cluster}/plans", "clusters/plans"),
	GET("/v2/clusters/{cluster}/plans/{job}", "clusters/one_plan"),
	GET("/v2/nodes", "clusters/nodes"),
	CHANGE("POST", "/v2/nodes", "clusters/refuse_nodes"),
	GET("/v2/nodes/{node}", "clusters/one_node"),
	CHANGE("PUT", "/v2/nodes/{node}", "clusters/refuse_nodes"),
	CHANGE("DELETE", "/v2/nodes/{node}", "clusters/refuse_nodes"),
	CHANGE("POST", "/v2/getNodeProperties", "clusters/node_properties"),
	CHANGE("POST", "/v2/getClusterStatuses", "clusters/statuses"),
	PLUGINS("providertypes", "provider"),
	PLUGINS("automatortypes", "automator"),
	CHANGE("POST", "/v2/plugins/sync", "installation/sync"),
	GET("/v2/tenants", "installation/tenants"),
	CHANGE("POST", "/v2/tenants", "installation/create_tenant"),
	GET("/v2/tenants/{tenant}", "installation/one_tenant"),
	CHANGE("PUT", "/v2/tenants/{tenant}", "installation/change_tenant"),
	CHANGE("DELETE", "/v2/tenants/{tenant}", "installation/drop_tenant"),
	GET("/v2/metrics/queues", "installation/queues"),
	GET("/v2/metrics/nodes/usage", "installation/usage"),
	GET("/v2/profile", "installation/profile"),
	CHANGE("PUT", "/v2/profile", "installation/set_profile"),
	CHANGE("DELETE", "/v2/profile", "installation/drop_profile"),
	CHANGE("POST", "/v2/resolve", "entities/resolve"),
	GET("/v2/export", "entities/export"),
	UPLOAD("/v2/import", "entities/load"),
	{"GET", "/v2/provisioners", "provisioner list", NULL, NULL, ROUTE_NO_BODY, ROUTE_WHOLE, NULL, NULL},
	{"GET", "/v2/provisioners/{provisioner}", "provisioner list", "{provisioner}", NULL, ROUTE_NO_BODY, ROUTE_WHOLE, NULL, NULL},
	{0}};
