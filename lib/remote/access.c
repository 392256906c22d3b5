/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/access.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "remote/api.h"
#include "remote/destination.h"

static void
access_set(jv *document, const char *name, const char *value)
{
	if (value)
		json_set_string(document, name, value);
}

int
access_begin(const struct destination *to, const char *redirect, struct access_begun *begun, struct error *err)
{
	jv document = jv_object(), answer;
	int result;

	json_set_string(&document, "redirect", redirect);
	result = api_ask(to, "POST", "/v1/session/provider", document, &answer, NULL, err);
	*begun = (struct access_begun){json_get_string(answer, "address"), json_get_string(answer, "state"), json_get_string(answer, "verifier"),
	    json_get_string(answer, "nonce")};
	if (result == 0 && (!begun->address || !begun->state || !begun->verifier || !begun->nonce))
		result = error_set(err, EX_UNAVAILABLE, "%s: it is no server of coopr", to->name);
	jv_free(answer);
	jv_free(document);
	return result;
}

void
access_begun_release(struct access_begun *begun)
{
	free(begun->address);
	free(begun->state);
	free(begun->verifier);
	free(begun->nonce);
}

int
access_get(const struct destination *to, const struct access_ask *ask, struct access *access, struct error *err)
{
	jv document = jv_object(), answer;
	int result;

	*access = (struct access){0};
	access_set(&document, "user", ask->user);
	access_set(&document, "password", ask->password);
	access_set(&document, "code", ask->code);
	access_set(&document, "new_password", ask->new_password);
	access_set(&document, "provider_code", ask->provider_code);
	access_set(&document, "verifier", ask->verifier);
	access_set(&document, "nonce", ask->nonce);
	access_set(&document, "redirect", ask->redirect);
	access_set(&document, "name", ask->name);
	access_set(&document, "role", ask->role);
	access_set(&document, "lifetime", ask->lifetime);
	result = api_ask(to, "POST", "/v1/session", document, &answer, &access->token, err);
	if (result < 0 && err->code == EX_USAGE)
		err->code = EX_DATAERR;
	access->user = json_get_string(answer, "user");
	access->expires = json_get_string(answer, "expires");
	if (result == 0 && (!access->token || !access->user))
		result = error_set(err, EX_UNAVAILABLE, "%s: it is no server of coopr", to->name);
	jv_free(answer);
	jv_free(document);
	return result;
}

int
access_check(const struct destination *to, struct access *access, struct error *err)
{
	jv answer;
	int result;

	*access = (struct access){0};
	result = api_ask(to, "GET", "/v1/session", jv_null(), &answer, NULL, err);
	access->user = json_get_string(answer, "user");
	access->token = to->token ? memory_string(to->token) : NULL;
	jv_free(answer);
	return result;
}

int
access_end(const struct destination *to, struct error *err)
{
	jv answer;
	int result = api_ask(to, "DELETE", "/v1/session", jv_null(), &answer, NULL, err);

	jv_free(answer);
	return result < 0 && err->code != EX_NOPERM ? -1 : 0;
}

void
access_release(struct access *access)
{
	free(access->token);
	free(access->user);
	free(access->expires);
	*access = (struct access){0};
}
