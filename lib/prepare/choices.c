/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/choices.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "catalogue/instances.h"
#include "operation/workdir.h"

static void
choices_push_text(struct arguments *arguments, const char *option, jv object, const char *member)
{
	char *text = json_get_string(object, member);

	if (text)
		arguments_printf(arguments, "--%s=%s", option, text);
	free(text);
}

static void
choices_push_name(struct arguments *arguments, const char *option, jv request, const char *member)
{
	jv entity = json_get(request, member);

	choices_push_text(arguments, option, entity, "name");
	jv_free(entity);
}

static void
choices_push_machines(struct arguments *arguments, jv cluster)
{
	jv machines = json_get(cluster, "numMachines"), min = json_get(machines, "min"), max = json_get(machines, "max");

	if (jv_get_kind(machines) == JV_KIND_NUMBER)
		arguments_printf(arguments, "--machines=%.0f", jv_number_value(machines));
	else if (jv_get_kind(min) == JV_KIND_NUMBER && jv_get_kind(max) == JV_KIND_NUMBER)
		arguments_printf(arguments, "--machines=%.0f:%.0f", jv_number_value(min), jv_number_value(max));
	jv_free(max);
	jv_free(min);
	jv_free(machines);
}

static void
choices_push_services(struct arguments *arguments, jv cluster)
{
	jv services = json_get(cluster, "services");

	for (size_t i = 0; i < json_length(services); i++) {
		jv name = json_element(services, i);

		arguments_printf(arguments, "--services=%s", json_string(name));
		jv_free(name);
	}
	jv_free(services);
}

static void
choices_push_instances(struct arguments *arguments, jv cluster)
{
	struct problems problems = {0}; /* the request is well-formed */
	struct place root = place_root(cluster, &problems), place = place_member(&root, "instances");
	struct instances instances = {0};
	struct arena arena = {0};
	struct buffer range = {0};

	request_parse_instances(&place, &arena, &instances);
	for (size_t i = 0; i < instances.count; i++) {
		buffer_clear(&range);
		instances_print_range(instances.list[i].min, instances.list[i].max, &range);
		arguments_printf(arguments, "--instances=%s=%s", instances.list[i].service, buffer_string(&range));
	}
	buffer_release(&range);
	arena_release(&arena);
	problems_release(&problems);
}

static int
choices_keep_config(jv cluster, const struct workdir *workdir, struct error *err)
{
	jv config = json_get(cluster, "config");
	struct buffer text = {0};
	int result;

	json_dump(config, &text);
	result = workdir_write(workdir, "config.json", text.data, text.length, err);
	buffer_release(&text);
	jv_free(config);
	return result;
}

int
choices_of(jv request, const struct workdir *workdir, struct arguments *arguments, struct error *err)
{
	jv cluster = json_get(request, "cluster");
	int result = choices_keep_config(cluster, workdir, err);

	choices_push_name(arguments, "template", request, "template");
	choices_push_name(arguments, "provider", request, "provider");
	choices_push_text(arguments, "catalogue", cluster, "catalogue");
	choices_push_text(arguments, "dns-suffix", cluster, "dnsSuffix");
	choices_push_text(arguments, "hardwaretype", cluster, "hardwaretype");
	choices_push_text(arguments, "imagetype", cluster, "imagetype");
	choices_push_text(arguments, "owner", cluster, "owner");
	choices_push_machines(arguments, cluster);
	if (json_get_number(cluster, "minMachines", 0) > 0)
		arguments_push(arguments, "--force");
	choices_push_services(arguments, cluster);
	choices_push_instances(arguments, cluster);
	jv_free(cluster);
	return result;
}
