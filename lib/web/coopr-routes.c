/* SPDX-License-Identifier: Apache-2.0 */
#include "web/route.h"

/* What libexec/coopr/v2 does: a definition of the programs in share/coopr/v2. */
#define GET(path, what) {"GET", path, "v2 " what, NULL, NULL, ROUTE_NO_BODY, ROUTE_WHOLE, NULL}
#define CHANGE(method, path, what) {method, path, "v2 " what, NULL, NULL, ROUTE_DOCUMENT, ROUTE_WHOLE, NULL}

/* The routes of the entities of a kind. */
#define ENTITIES(folder, kind) \
	GET("/v2/" folder, "entities/list " kind), \
	CHANGE("POST", "/v2/" folder, "entities/create " kind), \
	GET("/v2/" folder "/{name}", "entities/show " kind), \
	CHANGE("PUT", "/v2/" folder "/{name}", "entities/replace " kind), \
	CHANGE("DELETE", "/v2/" folder "/{name}", "entities/drop " kind), \
	GET("/v2/" folder "/{name}/{version}", "entities/show " kind), \
	CHANGE("DELETE", "/v2/" folder "/{name}/{version}", "entities/drop_version " kind)

const struct route coopr_routes[] = {
	{"GET", "/status", NULL, NULL, NULL, ROUTE_NO_BODY, ROUTE_OWN, NULL},
	ENTITIES("providers", "provider"),
	ENTITIES("hardwaretypes", "hardwaretype"),
	ENTITIES("imagetypes", "imagetype"),
	ENTITIES("services", "service"),
	ENTITIES("clustertemplates", "clustertemplate"),
	ENTITIES("partialtemplates", "partialtemplate"),
	GET("/v2/export", "entities/export"),
	CHANGE("POST", "/v2/import", "entities/load"),
	{0}};
