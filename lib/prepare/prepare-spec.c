/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster that is made of what a file says, or made anew where the file names another template.
 */
#include "prepare/prepare.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/file.h"
#include "catalogue/instances.h"
#include "catalogue/spec-diff.h"
#include "operation/context.h"

/* Adds the number of machines: "4", "2:8", ":8". */
static void
prepare_push_range(const struct clusterspec *spec, struct arguments *arguments)
{
	int64_t min = spec->machines_min, max = spec->machines_max;

	if (min && min == max)
		arguments_printf(arguments, "--machines=%" PRId64, min);
	else if (min && max)
		arguments_printf(arguments, "--machines=%" PRId64 ":%" PRId64, min, max);
	else if (min)
		arguments_printf(arguments, "--machines=%" PRId64 ":", min);
	else if (max)
		arguments_printf(arguments, "--machines=:%" PRId64, max);
}

static void
prepare_push_instances(const struct instance_bounds *bounds, struct arguments *arguments)
{
	struct buffer range = {0};

	instances_print_range(bounds->min, bounds->max, &range);
	arguments_printf(arguments, "--instances=%s=%s", bounds->service, buffer_string(&range));
	buffer_release(&range);
}

static void
prepare_push_texts(const struct spec_parameters *parameters, struct arguments *arguments)
{
	const struct clusterspec *spec = parameters->spec;
	const struct {
		const char *option, *value;
	} given[] = {{"template", spec->template}, {"catalogue", parameters->catalogue},
	    {"provider", spec->provider}, {"hardwaretype", spec->hardwaretype}, {"imagetype", spec->imagetype},
	    {"dns-suffix", spec->dns_suffix}};

	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i].value)
			arguments_printf(arguments, "--%s=%s", given[i].option, given[i].value);
	for (size_t i = 0; i < spec->services.count; i++)
		arguments_printf(arguments, "--services=%s", spec->services.list[i]);
	for (size_t i = 0; i < spec->instances.count; i++)
		prepare_push_instances(&spec->instances.list[i], arguments);
	for (size_t i = 0; i < spec->settings.count; i++)
		arguments_printf(arguments, "--set=%s", spec->settings.list[i]);
	if (parameters->insists)
		arguments_push(arguments, "--force");
}

/* Adds the configuration, by way of a file. */
static int
prepare_push_config(const struct operation_context *context, const struct clusterspec *spec, struct arguments *arguments,
    struct error *err)
{
	char *path = workdir_path(&context->job_dir, "config.json");
	struct buffer text = {0};
	int result = 0;

	if (jv_is_valid(spec->config)) {
		json_dump(spec->config, &text);
		result = workdir_write(&context->job_dir, "config.json", text.data, text.length, err);
		arguments_printf(arguments, "--config=%s", path);
		buffer_release(&text);
	}
	free(path);
	return result;
}

int
prepare_spec(struct operation_context *context, const void *data, struct error *err)
{
	const struct spec_parameters *parameters = data;
	const struct clusterspec *spec = parameters->spec;
	const struct cluster_record *cluster = context->cluster;
	struct arguments request = {0};
	const struct make_parameters make = {.request = &request, .max_unavailable = parameters->max_unavailable,
	    .allow_moves = parameters->allow_moves};
	int result;

	prepare_push_texts(parameters, &request);
	arguments_printf(&request, "--owner=%s", cluster ? cluster->owner : spec->owner ? spec->owner : context->account.user);
	if (parameters->diff) {
		/* An existing cluster keeps its provider; its services are those of the template that it gets. */
		arguments_printf(&request, "--machines=%" PRId64, parameters->diff->machines);
		if (cluster->provider)
			arguments_printf(&request, "--provider=%s", cluster->provider);
		arguments_push(&request, "--default-services");
	} else {
		prepare_push_range(spec, &request);
	}
	result = prepare_push_config(context, spec, &request, err);
	if (result == 0)
		result = prepare_make(context, &make, err);
	arguments_release(&request);
	return result;
}

int
prepare_describe_spec(struct operation_context *context, const void *data, struct buffer *text, struct error *err)
{
	const struct spec_parameters *parameters = data;
	struct arguments request = {0};
	int result;

	prepare_push_texts(parameters, &request);
	prepare_push_range(parameters->spec, &request);
	result = prepare_describe(context, &request, NULL, text, err);
	if (result == 0 && jv_is_valid(parameters->spec->config))
		json_dump(parameters->spec->config, text);
	arguments_release(&request);
	return result;
}

int
prepare_describe_spec_change(struct operation_context *context, const void *data, struct buffer *text, struct error *err)
{
	return prepare_describe_spec(context, ((const struct amend_parameters *)data)->spec, text, err);
}
