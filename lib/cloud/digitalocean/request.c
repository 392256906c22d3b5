/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/digitalocean/request.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/digitalocean/account.h"

/* Returns the member that answers to GET /v2/NAME have: it is called like what is listed. NULL for other requests. */
static char *
do_member(const char *method, const char *path)
{
	const char *name = path + strlen("/v2/");
	size_t length = strcspn(name, "/?");

	return strcmp(method, "GET") == 0 && name[length] != '/' ? memory_substring(name, length) : NULL;
}

int
do_ask(const struct cloud *cloud, const char *method, const char *path, const char *body, const struct stop *stop, struct client_answer *answer,
    jv *out, struct error *err)
{
	const struct do_account *account = cloud->state;
	char *url = memory_printf("%s%s", account->endpoint, path), *member = do_member(method, path);
	struct client_request request = {.method = method, .url = url, .body = body, .length = body ? strlen(body) : 0,
	    .repeatable = strcmp(method, "POST") != 0, .member = member};
	int result;

	arguments_push(&request.headers, account->authorization);
	result = client_ask(cloud->client, &request, stop, answer, out, err);
	arguments_release(&request.headers);
	free(member);
	free(url);
	return result;
}
