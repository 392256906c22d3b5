/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/digitalocean: droplets, by version 2 of DigitalOcean's API, coopr-clouds(7). The API takes no word that names a request, so
 * that a droplet whose answer was lost is found by its tags, cloud/digitalocean/tag.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/digitalocean/account.h"
#include "cloud/digitalocean/droplet.h"
#include "cloud/digitalocean/request.h"
#include "cloud/digitalocean/tag.h"
#include "cloud/digitalocean/trial.h"
#include "cloud/plugin.h"

enum { WINDOW_MS = 60 * 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider digitalocean\",\"type\":\"object\",\"flavors\":true," CLOUD_DESCRIBES
    "\"properties\":{" CLOUD_PROPERTIES "," CLOUD_CONFIG_PROPERTY ","
    "\"api_token\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"A personal access token that may read and write droplets and tags; a secret\"},"
    "\"digitalocean_region\":{\"type\":\"string\",\"description\":\"The region of droplets whose node has no zone\",\"default\":\"nyc3\"},"
    "\"ssh_keypair\":{\"type\":\"string\",\"description\":\"The fingerprint or id of a key that the account has, for droplets of clusters without a key of their own\"},"
    "\"vpc_uuid\":{\"type\":\"string\",\"description\":\"The private network of droplets; by default that of the region\"},"
    "\"ipv6\":{\"type\":\"boolean\",\"default\":false,\"description\":\"Whether droplets have an address of IPv6\"},"
    "\"endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"https://api.digitalocean.com\",\"description\":\"The URL of the API\"},"
    "\"api_user\":{\"type\":\"string\",\"description\":\"The client id of version 1 of the API, which is gone\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The key of version 1 of the API, which is gone\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"description\":\"Not used: each cluster has a key of its own\"}}}";

/* Gives a refusal of a droplet its class, which the API tells only by its sentences. */
static void
do_classify(struct error *err)
{
	static const char *const capacity[] = {"Size is not available in this region", "Region is not available"};

	if (strstr(err->text, "droplet limit"))
		err->code = CLOUD_NO_QUOTA;
	for (size_t i = 0; i < sizeof capacity / sizeof *capacity; i++)
		if (strstr(err->text, capacity[i]))
			err->code = CLOUD_NO_CAPACITY;
}

static int
do_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	const struct do_account *account = cloud->state;
	struct client_answer answer = {.wait_ms = -1};
	struct buffer text = {0};
	jv body, out, droplet;
	int result;

	if (!cloud_key(order, account->keypair, "ssh_keypair", err))
		return -1;
	body = do_droplet(account, order);
	json_dump(body, &text);
	result = do_ask(cloud, "POST", "/v2/droplets", buffer_string(&text), stop, &answer, &out, err);
	*unknown = answer.unknown;
	if (result == 0) {
		droplet = json_get(out, "droplet");
		result = do_read_droplet(droplet, made, err);
		*unknown |= result < 0;
		jv_free(droplet);
	} else if (answer.status == 422 || answer.status == 403) {
		do_classify(err);
	}
	jv_free(out);
	jv_free(body);
	client_answer_release(&answer);
	buffer_release(&text);
	return result;
}

/* Deletes what the path names; what is gone is no error. What something is still being done to, the API refuses by a sentence, for a while. */
static int
do_delete(const struct cloud *cloud, const char *path, const struct stop *stop, struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	int result = do_ask(cloud, "DELETE", path, NULL, stop, &answer, NULL, err);

	if (result < 0 && answer.status == 404)
		result = 0;
	else if (result < 0 && answer.status == 422 && strstr(err->text, "pending event"))
		err->code = EX_TEMPFAIL;
	client_answer_release(&answer);
	return result;
}

static int
do_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/v2/droplets/%s", machine->id);
	int result = do_delete(cloud, path, stop, err);

	free(path);
	return result;
}

static int
do_forget(struct cloud *cloud, const char *node, const char *token, const struct stop *stop, struct error *err)
{
	char *tag = do_machine_tag(node, token), *path = memory_printf("/v2/tags/%s", tag);
	int result = do_delete(cloud, path, stop, err);

	free(path);
	free(tag);
	return result;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "digitalocean", .schema = schema, .user = "root", .per_second = 1.3,
	    .window_ms = WINDOW_MS, .open = do_open, .make = do_make, .list = do_list, .forget = do_forget, .remove = do_remove, .try = do_try, .flavors = do_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
