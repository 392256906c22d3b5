/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/nova.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/base64.h"
#include "cloud/console.h"
#include "cloud/openstack/names.h"
#include "cloud/openstack/request.h"
#include "cloud/openstack/server.h"

/* --- make --- */

static jv
nova_encoded(const char *text)
{
	char *encoded = base64_encode(text, strlen(text));
	jv value = jv_string(encoded);

	free(encoded);
	return value;
}

static jv
nova_metadata(const struct cloud_order *order)
{
	jv metadata = jv_object();

	for (size_t i = 0; i < order->tag_count; i++)
		json_set_string(&metadata, order->tags[i][0], order->tags[i][1]);
	return metadata;
}

/* Adds the networks that the fields name, by their ids, and security groups, which Nova takes by either. */
static int
nova_add_networks(struct cloud *cloud, jv *server, const struct stop *stop, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	jv networks = jv_array(), groups = jv_array();
	int result = 0;

	for (size_t i = 0; result == 0 && i < account->networks.count; i++) {
		const struct openstack_name *found = openstack_find(cloud, OPENSTACK_A_NETWORK, account->networks.list[i], stop, err);
		jv network = jv_object();

		json_set_string(&network, "uuid", found ? found->id : "");
		networks = jv_array_append(networks, network);
		result = found ? 0 : -1;
	}
	for (size_t i = 0; i < account->groups.count; i++) {
		jv group = jv_object();

		json_set_string(&group, "name", account->groups.list[i]);
		groups = jv_array_append(groups, group);
	}
	if (account->networks.count > 0)
		json_set(server, "networks", networks);
	else
		jv_free(networks);
	if (account->groups.count > 0)
		json_set(server, "security_groups", groups);
	else
		jv_free(groups);
	return result;
}

/* Rackspace's images know user data only by a drive, and not all of them; a file each of them takes. */
static void
nova_add_key(const struct openstack_account *account, const struct cloud_order *order, jv *server)
{
	if (!order->key && account->keypair)
		json_set_string(server, "key_name", account->keypair);
	if (*order->user_data)
		json_set(server, "user_data", nova_encoded(order->user_data));
	if (account->config_drive)
		json_set(server, "config_drive", jv_true());
	if (order->key && account->api_key) {
		char *line = memory_printf("%s\n", order->key);
		jv file = jv_object();

		json_set_string(&file, "path", "/root/.ssh/authorized_keys");
		json_set(&file, "contents", nova_encoded(line));
		json_set(server, "personality", jv_array_append(jv_array(), file));
		free(line);
	}
}

/* Finds the ids of flavor and image; what is an id of an image by its look, Nova looks up itself. */
static int
nova_add_kind(struct cloud *cloud, const struct cloud_order *order, jv *server, const struct stop *stop, struct error *err)
{
	const struct openstack_name *flavor = openstack_find(cloud, OPENSTACK_A_FLAVOR, order->flavor, stop, err), *image = NULL;

	if (!flavor)
		return -1;
	if (!openstack_is_id(order->image) && !(image = openstack_find(cloud, OPENSTACK_AN_IMAGE, order->image, stop, err)))
		return -1;
	json_set_string(server, "flavorRef", flavor->id);
	json_set_string(server, "imageRef", image ? image->id : order->image);
	return 0;
}

/* Fills {"server": {...}}. */
static int
nova_fill(struct cloud *cloud, const struct cloud_order *order, jv *body, const struct stop *stop, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	jv server = jv_object();
	int result = nova_add_kind(cloud, order, &server, stop, err);

	if (result == 0)
		result = nova_add_networks(cloud, &server, stop, err);
	json_set_string(&server, "name", order->name);
	json_set(&server, "metadata", nova_metadata(order));
	if (order->zone || account->zone)
		json_set_string(&server, "availability_zone", order->zone ? order->zone : account->zone);
	nova_add_key(account, order, &server);
	*body = jv_object();
	json_set(body, "server", server);
	return result;
}

/* Gives a refusal its class. Before 2014 a limit was told by 413. */
static void
nova_refuse(long status, struct error *err)
{
	if (status == 403 || status == 413 || status == 409)
		err->code = openstack_classify(err->text, status == 413 ? CLOUD_NO_QUOTA : err->code);
	if (err->code == EX_NOINPUT || (status == 409 && strstr(err->text, "Multiple possible networks")))
		err->code = EX_CONFIG;
}

int
nova_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	const struct openstack_account *account = cloud->state;
	struct openstack_request request = {.service = OPENSTACK_COMPUTE, .method = "POST", .path = "/servers", .has_body = true};
	struct client_answer answer = {.wait_ms = -1};
	jv out, server;
	int result;

	if (!cloud_key(order, account->keypair, "ssh_keypair", err))
		return -1;
	result = nova_fill(cloud, order, &request.body, stop, err);
	if (result < 0) {
		jv_free(request.body);
		return -1;
	}
	result = openstack_ask(cloud, &request, stop, &answer, &out, err);
	*unknown = answer.unknown;
	if (result == 0) {
		server = json_get(out, "server");
		cloud_machines_add(made)->id = json_arena_string(server, "id", &made->arena);
		jv_free(server);
		if (!made->list->id) {
			result = error_set(err, EX_TEMPFAIL, "POST /servers: the answer has no server");
			*unknown = true;
		}
	} else {
		nova_refuse(answer.status, err);
	}
	jv_free(out);
	jv_free(request.body);
	client_answer_release(&answer);
	return result;
}

/* --- remove --- */

int
nova_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/servers/%s", machine->id);
	long status;
	int result = openstack_delete(cloud, OPENSTACK_COMPUTE, path, stop, &status, err);

	free(path);
	return result;
}

/* --- host keys --- */

/* A console that is not there yet, or not in this cloud, has no keys. */
int
nova_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena,
    struct string_list *keys, struct error *err)
{
	char *path = memory_printf("/servers/%s/action", machine->id), *text;
	struct openstack_request request = {.service = OPENSTACK_COMPUTE, .method = "POST", .path = path, .body = jv_object(), .has_body = true,
	    .repeatable = true};
	struct client_answer answer = {.wait_ms = -1};
	jv out;
	int result;

	*keys = (struct string_list){0};
	json_set(&request.body, "os-getConsoleOutput", jv_object());
	result = openstack_ask(cloud, &request, stop, &answer, &out, err);
	if (result == 0 && (text = json_get_string(out, "output"))) {
		console_read_keys(text, arena, keys);
		free(text);
	} else if (result < 0 && (answer.status == 400 || answer.status == 404 || answer.status == 409 || answer.status == 501)) {
		result = 0;
	}
	jv_free(out);
	jv_free(request.body);
	client_answer_release(&answer);
	free(path);
	return result;
}
