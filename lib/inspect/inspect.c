/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/inspect.h"

#include <string.h>

#include "inspect/config-spelling.h"
#include "inspect/fields.h"
#include "json/credential.h"
#include "model/take/macro.h"

struct inspect_services { /* that the cluster can have */
	jv present;    /* of the request */
	jv compatible; /* with its template; none: any */
};

static void
inspect_macro_service(const struct place *place, int length, const char *text, const char *service, const void *context)
{
	const struct inspect_services *services = context;

	if (json_length(services->compatible) > 0 && !json_array_has(services->compatible, NULL, service) &&
	    !json_array_has(services->present, "name", service))
		place_problem(place, "%.*s: the cluster cannot have a service \"%s\"", length, text, service);
}

/* Warns of passwords and keys that anybody reads who may read the document. */
static void
inspect_credentials(const struct fields_check *check, const struct place *place)
{
	struct place part = *place;

	part.problems = check->clear;
	credential_check(&part);
}

void
inspect_fields(struct fields_check *check, const struct place *request)
{
	struct place cluster = place_member(request, "cluster"), catalogue = place_member(&cluster, "catalogue");
	struct place provider = place_member(request, "provider"), services = place_member(request, "services");

	check->catalogue = json_string(catalogue.value);
	fields_check_provider(check, &provider);
	for (size_t i = 0; i < json_length(services.value); i++) {
		struct place service = place_element(&services, i);

		fields_check_service(check, &service);
	}
}

static void
inspect_request(struct fields_check *check, const struct place *request)
{
	struct place cluster = place_member(request, "cluster"), config = place_member(&cluster, "config");
	struct place services = place_member(request, "services"), provider = place_member(request, "provider");
	struct place template = place_member(request, "template"), compatibility = place_member(&template, "compatibility");
	struct place compatible = place_member(&compatibility, "services");
	const struct inspect_services can = {services.value, compatible.value};

	inspect_credentials(check, &provider);
	inspect_credentials(check, &config);
	macro_check(&config, inspect_macro_service, &can);
	if (check->warnings)
		config_spelling_check(request, check->warnings);
	inspect_fields(check, request);
}

void
inspect_document(struct fields_check *check, const char *kind, const struct place *place)
{
	if (strcmp(kind, "request") != 0)
		inspect_credentials(check, place);
	if (strcmp(kind, "provider") == 0)
		fields_check_provider(check, place);
	else if (strcmp(kind, "service") == 0)
		fields_check_service(check, place);
	else if (strcmp(kind, "request") == 0)
		inspect_request(check, place);
}
