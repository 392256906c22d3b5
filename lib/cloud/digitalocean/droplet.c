/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/digitalocean/droplet.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/digitalocean/account.h"
#include "cloud/digitalocean/request.h"
#include "cloud/digitalocean/tag.h"

enum { PAGE = 200 };

/* --- as it is asked for --- */

static void
do_add_keys(const struct do_account *account, const struct cloud_order *order, jv *body)
{
	jv keys = jv_array();
	char *end;
	long id;

	if (!order->key && account->keypair) {
		id = strtol(account->keypair, &end, 10);
		keys = jv_array_append(keys, *end ? jv_string(account->keypair) : jv_number((double)id));
	}
	json_set(body, "ssh_keys", keys);
}

static jv
do_image(const char *image)
{
	char *end;
	long id = strtol(image, &end, 10);

	return *end ? jv_string(image) : jv_number((double)id);
}

jv
do_droplet(const struct do_account *account, const struct cloud_order *order)
{
	jv body = jv_object(), tags = jv_array();

	for (size_t i = 0; i < order->tag_count; i++) {
		const char *name = order->tags[i][0], *value = order->tags[i][1];
		char *tag;

		if (strcmp(name, CLOUD_TAG_CLUSTER) == 0 || strcmp(name, CLOUD_TAG_TOKEN) == 0)
			continue; /* the machine's own has them */
		tag = strcmp(name, CLOUD_TAG_NODE) == 0 ? do_machine_tag(value, order->token) : do_tag(name, value);
		tags = jv_array_append(tags, jv_string(tag));
		free(tag);
	}
	json_set_string(&body, "name", order->name);
	json_set_string(&body, "region", order->zone ? order->zone : account->region);
	json_set_string(&body, "size", order->flavor);
	json_set(&body, "image", do_image(order->image));
	json_set(&body, "tags", tags);
	json_set_string(&body, "user_data", order->user_data);
	json_set(&body, "ipv6", account->ipv6 ? jv_true() : jv_false());
	json_set(&body, "monitoring", jv_false());
	if (account->vpc)
		json_set_string(&body, "vpc_uuid", account->vpc);
	do_add_keys(account, order, &body);
	return body;
}

/* --- as they are listed --- */

static void
do_read_addresses(struct cloud_machines *machines, struct cloud_machine *machine, jv networks, const char *version)
{
	jv list = json_get(networks, version);
	bool six = strcmp(version, "v6") == 0;

	for (size_t i = 0; i < json_length(list); i++) {
		jv one = json_element(list, i), type = json_get(one, "type");
		const char *address = json_arena_string(one, "ip_address", &machines->arena);
		bool public = json_string(type) && strcmp(json_string(type), "public") == 0;

		*(public ? six ? &machine->access_v6 : &machine->access_v4 : six ? &machine->bind_v6 : &machine->bind_v4) = address;
		jv_free(type);
		jv_free(one);
	}
	jv_free(list);
}

static enum cloud_state
do_state(const char *status)
{
	return !status || strcmp(status, "new") == 0 || strcmp(status, "off") == 0 ? CLOUD_PENDING
	    : strcmp(status, "active") == 0 ? CLOUD_RUNNING : strcmp(status, "archive") == 0 ? CLOUD_GONE : CLOUD_PENDING;
}

int
do_read_droplet(jv droplet, struct cloud_machines *machines, struct error *err)
{
	struct cloud_machine machine = {.state = CLOUD_PENDING};
	jv networks = json_get(droplet, "networks"), tags = json_get(droplet, "tags"), region = json_get(droplet, "region");
	char *status = json_get_string(droplet, "status"), *made = json_get_string(droplet, "created_at");
	double id = json_get_number(droplet, "id", -1);

	if (id >= 0)
		machine.id = arena_printf(&machines->arena, "%.0f", id);
	machine.name = json_arena_string(droplet, "name", &machines->arena);
	machine.zone = json_arena_string(region, "slug", &machines->arena);
	machine.state = do_state(status);
	machine.made_ms = cloud_time(made);
	do_read_addresses(machines, &machine, networks, "v4");
	do_read_addresses(machines, &machine, networks, "v6");
	for (size_t i = 0; i < json_length(tags); i++) {
		jv tag = json_element(tags, i);

		if (json_string(tag))
			do_read_tag(machines, &machine, json_string(tag));
		jv_free(tag);
	}
	free(made);
	free(status);
	jv_free(region);
	jv_free(tags);
	jv_free(networks);
	if (!machine.id)
		return error_set(err, EX_TEMPFAIL, "DigitalOcean's answer has a droplet without an id");
	*cloud_machines_add(machines) = machine;
	return 0;
}

/* Reads a page. Returns 1 where another follows, 0 where none does, -1 on error. */
static int
do_read_page(jv out, struct cloud_machines *found, struct error *err)
{
	jv droplets = json_get(out, "droplets"), links = json_get(out, "links"), pages = json_get(links, "pages"), next = json_get(pages, "next");
	int result = json_string(next) != NULL;

	if (jv_get_kind(droplets) != JV_KIND_ARRAY)
		result = error_set(err, EX_TEMPFAIL, "DigitalOcean's answer has no list of droplets");
	for (size_t i = 0; result >= 0 && i < json_length(droplets); i++) {
		jv droplet = json_element(droplets, i);

		if (do_read_droplet(droplet, found, err) < 0)
			result = -1;
		jv_free(droplet);
	}
	jv_free(next);
	jv_free(pages);
	jv_free(links);
	jv_free(droplets);
	return result;
}

/* Reads all pages. They have numbers, so that a droplet which goes moves another from the next page to the one that was read. Returns 1 where the list
 * has not as many as the last page says that there are. */
static int
do_list_pages(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	char *tag = do_tag(CLOUD_TAG_INSTALLATION, cloud->installation), *escaped = client_escape(tag);
	double total = -1;
	int result = 1;

	for (unsigned page = 1; result > 0; page++) {
		char *path = memory_printf("/v2/droplets?tag_name=%s&page=%u&per_page=%d", escaped, page, PAGE);
		struct client_answer answer = {.wait_ms = -1};
		jv out;

		result = do_ask(cloud, "GET", path, NULL, stop, &answer, &out, err);
		if (result == 0) {
			jv meta = json_get(out, "meta");

			total = json_get_number(meta, "total", -1);
			result = do_read_page(out, found, err);
			jv_free(meta);
		}
		jv_free(out);
		client_answer_release(&answer);
		free(path);
	}
	free(escaped);
	free(tag);
	return result < 0 ? -1 : total >= 0 && (double)found->count != total;
}

int
do_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	return cloud_list_whole(cloud, do_list_pages, "DigitalOcean's list of droplets", stop, found, err);
}
