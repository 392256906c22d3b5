/* SPDX-License-Identifier: Apache-2.0 */
#include "web/route.h"

const struct route provisioner_routes[] = {
	{"POST", "/v2/tasks/take", "provisioner take", NULL, NULL, ROUTE_DOCUMENT, ROUTE_ERRAND, NULL, NULL},
	{"POST", "/v2/tasks/finish", "provisioner finish", NULL, NULL, ROUTE_DOCUMENT, ROUTE_ERRAND, NULL, NULL},
	{"PUT", "/v2/provisioners/{provisioner}", "provisioner register", "{provisioner}", NULL, ROUTE_DOCUMENT, ROUTE_ERRAND, NULL, NULL},
	{"DELETE", "/v2/provisioners/{provisioner}", "provisioner leave", "{provisioner}", NULL, ROUTE_DOCUMENT, ROUTE_ERRAND, NULL, NULL},
	{"POST", "/v2/provisioners/{provisioner}/heartbeat", "provisioner heartbeat", "{provisioner}", NULL, ROUTE_DOCUMENT, ROUTE_ERRAND, NULL, NULL},
	{"PUT", "/v2/plugins/{kind}/{plugin}", "provisioner describe", "{kind} {plugin}", NULL, ROUTE_DOCUMENT, ROUTE_ERRAND, NULL, NULL},
	{"GET", "/v2/tenants/{tenant}/{kind}/{plugin}/{type}/{name}/versions/{version}", "provisioner resource",
		"{tenant} {kind}/{plugin}/{type}/{name} {version}", NULL, ROUTE_NO_BODY, ROUTE_ERRAND, NULL, NULL},
	{"GET", "/status", NULL, NULL, NULL, ROUTE_NO_BODY, ROUTE_OWN, NULL, NULL},
	{0}};
