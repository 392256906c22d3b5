/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/laboratory.h"

#include <string.h>

#include "base/error.h"
#include "cloud/fields.h"

enum { MOST = 1 << 30 };

static double
laboratory_amount(const struct place *size, const char *name, double min)
{
	return place_number(size, name, 0, min, MOST);
}

static void
laboratory_read_sizes(struct cloud *cloud, struct laboratory *laboratory)
{
	struct place flavors = place_member(&cloud->fields, "flavors"), size;
	struct members members;

	if (!place_object(&flavors, NEED_OPTIONAL))
		return;
	laboratory->sizes = arena_alloc(&cloud->arena, json_length(flavors.value) + 1, sizeof *laboratory->sizes);
	members = members_of(&flavors);
	while (members_next(&members, &size)) {
		if (!place_object(&size, NEED_REQUIRED))
			continue;
		laboratory->sizes[laboratory->count++] = (struct laboratory_size){
		    .name = arena_string(&cloud->arena, size.name), .cpu = laboratory_amount(&size, "cpu", 0.05),
		    .memory = laboratory_amount(&size, "memory", 16), .disk = laboratory_amount(&size, "disk", 16),
		    .processes = laboratory_amount(&size, "processes", 16)};
	}
}

const char *
laboratory_read_daemon(struct cloud *cloud, struct client_settings *settings, const char *usual)
{
	static const char local[] = "unix://";
	const char *endpoint = cloud_field(cloud, "endpoint");

	settings->certificate = cloud_field(cloud, "client_certificate");
	settings->key = cloud_field(cloud, "client_key");
	if (!endpoint)
		endpoint = usual;
	if (strncmp(endpoint, local, strlen(local)) == 0 && endpoint[strlen(local)] == '/') {
		settings->socket = endpoint + strlen(local);
		return "http://localhost";
	}
	if (strncmp(endpoint, "https://", 8) != 0 && strncmp(endpoint, "http://", 7) != 0)
		fields_problem(cloud, "endpoint", "expected unix:///PATH, https://HOST:PORT or http://HOST:PORT");
	return endpoint;
}

void
laboratory_open(struct cloud *cloud, struct laboratory *laboratory)
{
	*laboratory = (struct laboratory){.public_key = cloud_field(cloud, "public_key")};
	if (cloud->tenants)
		place_problem(&cloud->fields, "a provider of the type %s is for a superadmin to write: who may ask its daemon for machines may take its host",
		    cloud->api->name);
	laboratory_read_sizes(cloud, laboratory);
}

const struct laboratory_size *
laboratory_find_size(const struct cloud *cloud, const char *flavor, struct error *err)
{
	static const struct laboratory_size unbounded;
	const struct laboratory *laboratory = cloud->state;
	const struct laboratory_size *other = laboratory->count == 0 ? &unbounded : NULL;

	for (size_t i = 0; i < laboratory->count; i++)
		if (strcmp(laboratory->sizes[i].name, flavor) == 0)
			return &laboratory->sizes[i];
		else if (strcmp(laboratory->sizes[i].name, "*") == 0)
			other = &laboratory->sizes[i];
	if (!other)
		error_set(err, EX_CONFIG, "provider %s has no flavor %s, and no flavor *", cloud->name, flavor);
	return other;
}

int
laboratory_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err)
{
	const struct laboratory *laboratory = cloud->state;

	(void)stop, (void)err;
	for (size_t i = 0; i < laboratory->count; i++) {
		const struct laboratory_size *size = &laboratory->sizes[i];
		struct cloud_flavor *flavor;

		if (strcmp(size->name, "*") == 0)
			continue;
		flavor = cloud_flavors_add(flavors);
		flavor->name = arena_string(&flavors->arena, size->name);
		flavor->cpus = size->cpu;
		flavor->memory_mb = size->memory;
		flavor->disk_gb = size->disk / 1024;
	}
	return 0;
}
