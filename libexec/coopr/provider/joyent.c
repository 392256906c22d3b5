/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/joyent: machines of Triton, by its CloudAPI, coopr-clouds(7). Requests are signed with a key of the account, HTTP signatures. The API takes
 * no word that names a request, so that a machine whose answer was lost is found by its tags. A machine admits the cluster's key, and reports its
 * host keys in its metadata, by a script that the cloud has it run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/console.h"
#include "cloud/joyent/account.h"
#include "cloud/joyent/machine.h"
#include "cloud/joyent/names.h"
#include "cloud/joyent/request.h"
#include "cloud/joyent/trial.h"
#include "cloud/plugin.h"
#include "ssh/shell-words.h"

enum { WINDOW_MS = 60 * 1000 };

#define HOST_KEYS "coopr-host-keys"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider joyent\",\"type\":\"object\",\"flavors\":true," CLOUD_DESCRIBES
    "\"properties\":{" CLOUD_PROPERTIES "," CLOUD_CONFIG_PROPERTY ","
    "\"api_user\":{\"type\":\"string\",\"description\":\"The name of the account\"},"
    "\"api_key\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"A private key for ssh that the account has, in PEM, RSA or ECDSA; a secret\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The same: a secret with the content of Coopr's resource\"},"
    "\"ssh_keypair\":{\"type\":\"string\",\"description\":\"The name of that key in the account; by default its fingerprint says which it is\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The password of an account, which CloudAPI takes no more\"},"
    "\"joyent_api_url\":{\"type\":\"string\",\"default\":\"https://us-east-1.api.joyent.com\",\"description\":\"The URL of CloudAPI in the data center\"},"
    "\"joyent_version\":{\"type\":\"string\",\"default\":\"~8||~7\",\"description\":\"The versions of CloudAPI that are asked for\"},"
    "\"networks\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Names or ids of networks, with commas between them; by default as the account has it\"},"
    "\"public_key\":{\"type\":\"string\",\"description\":\"The public key for clusters without a key of their own; by default the account's keys open machines\"}}}";

/* Returns the script that a machine runs when it boots: it admits the key, and tells the host keys. Where its programs are differs among images. */
static char *
jo_script(const char *key)
{
	struct buffer text = {0}, quoted = {0};

	buffer_text(&text, "#!/bin/sh\nPATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin:/native/usr/sbin:/lib/smartdc\n");
	if (key) {
		shell_words_quote(key, &quoted);
		buffer_printf(&text, "umask 077\nmkdir -p /root/.ssh\ngrep -qxF %s /root/.ssh/authorized_keys 2>/dev/null || echo %s >>/root/.ssh/authorized_keys\n",
		    buffer_string(&quoted), buffer_string(&quoted));
	}
	buffer_text(&text, "( for i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
	    "keys=$(cat /etc/ssh/ssh_host_*_key.pub /var/ssh/ssh_host_*_key.pub 2>/dev/null)\n"
	    "[ -z \"$keys\" ] || { mdata-put " HOST_KEYS " \"$keys\" && break; }\nsleep 5\ndone ) >/dev/null 2>&1 &\n");
	buffer_release(&quoted);
	return buffer_take(&text);
}

static int
jo_add_networks(const struct cloud *cloud, const struct stop *stop, struct arena *arena, jv *body, struct error *err)
{
	const struct jo_account *account = cloud->state;
	jv networks = jv_array();

	for (size_t i = 0; i < account->networks.count; i++) {
		const char *id = jo_id(cloud, "networks", account->networks.list[i], stop, arena, err);

		if (!id) {
			jv_free(networks);
			return -1;
		}
		networks = jv_array_append(networks, jv_string(id));
	}
	if (account->networks.count > 0)
		json_set(body, "networks", jv_copy(networks));
	jv_free(networks);
	return 0;
}

/* Sets what is asked for. The name has a part of the token in it, as an account's machines have no name twice. */
static int
jo_fill(const struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct arena *arena, jv *body, struct error *err)
{
	const struct jo_account *account = cloud->state;
	const char *package = jo_id(cloud, "packages", order->flavor, stop, arena, err);
	const char *image = package ? jo_id(cloud, "images", order->image, stop, arena, err) : NULL;
	char *script = jo_script(order->key ? order->key : account->public_key);

	json_set_string(body, "name", arena_printf(arena, "%.50s-%.12s", order->name, order->token));
	json_set_string(body, "package", package);
	json_set_string(body, "image", image);
	json_set_string(body, "metadata.user-script", script);
	if (*order->user_data)
		json_set_string(body, "metadata.cloud-init:user-data", order->user_data);
	for (size_t i = 0; i < order->tag_count; i++)
		json_set_string(body, arena_printf(arena, "tag.%s", order->tags[i][0]), order->tags[i][1]);
	free(script);
	return image ? jo_add_networks(cloud, stop, arena, body, err) : -1;
}

static int
jo_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	struct buffer text = {0};
	char code[JO_CODE_SIZE] = "";
	jv body = jv_object(), out = jv_invalid();
	int result;

	if (order->zone)
		result = error_set(err, EX_CONFIG, "node has the zone %s; a provider of Triton is one data center, that of joyent_api_url", order->zone);
	else
		result = jo_fill(cloud, order, stop, &made->arena, &body, err);
	if (result == 0) {
		json_dump(body, &text);
		result = jo_ask(cloud, "POST", "/machines", buffer_string(&text), stop, &answer, &out, code, err);
		*unknown = answer.unknown;
		/* The name is taken: by the machine of an earlier request. */
		*unknown |= result < 0 && answer.status == 409 && strcmp(code, "InvalidArgument") == 0;
		if (result == 0) {
			result = jo_read_machine(out, made, err);
			*unknown |= result < 0;
		}
	}
	jv_free(out);
	jv_free(body);
	client_answer_release(&answer);
	buffer_release(&text);
	return result;
}

/* --- remove --- */

static int
jo_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/machines/%s", machine->id), code[JO_CODE_SIZE];
	struct client_answer answer = {.wait_ms = -1};
	jv out;
	int result = jo_ask(cloud, "DELETE", path, NULL, stop, &answer, &out, code, err);

	/* It is gone; or it is half made, or going, and is asked for again where it stays. */
	if (result < 0 && (answer.status == 404 || answer.status == 410 || (answer.status == 409 && strcmp(code, "InvalidState") == 0)))
		result = 0;
	jv_free(out);
	client_answer_release(&answer);
	free(path);
	return result;
}

/* --- host keys --- */

static int
jo_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena, struct string_list *keys,
    struct error *err)
{
	char *path = memory_printf("/machines/%s/metadata", machine->id), *text;
	long status;
	jv metadata = jo_get(cloud, path, stop, &status, err);
	int result = jv_is_valid(metadata) || status == 404 || status == 410 ? 0 : -1;

	*keys = (struct string_list){0};
	text = json_get_string(metadata, HOST_KEYS);
	if (text)
		console_read_lines(text, arena, keys);
	free(text);
	jv_free(metadata);
	free(path);
	return result;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "joyent", .schema = schema, .user = "root", .per_second = 5, .window_ms = WINDOW_MS,
	    .open = jo_open, .make = jo_make, .list = jo_list, .remove = jo_remove, .host_keys = jo_host_keys, .try = jo_try, .flavors = jo_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
