/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/access.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "remote/api.h"
#include "remote/destination.h"

enum { ACCESS_SESSION_MS = 12 * 3600 * 1000 }; /* a session lasts so long, coopr-api(7) */

static void
access_set(jv *document, const char *name, const char *value)
{
	if (value)
		json_set_string(document, name, value);
}

/* Begins a session. */
static int
access_log_in(const struct destination *to, const struct access_ask *ask, struct api_session *session, struct access *access,
    struct error *err)
{
	jv document = jv_object(), answer;
	int result;

	access_set(&document, "user", ask->user);
	access_set(&document, "password", ask->password);
	access_set(&document, "code", ask->code);
	access_set(&document, "new_password", ask->new_password);
	result = api_ask(to, session, "POST", "/v1/session", document, &answer, err);
	if (result < 0 && err->code == EX_USAGE)
		err->code = EX_DATAERR;
	if (result == 0)
		access->user = json_get_string(answer, "user");
	if (result == 0 && (!session->cookie || !access->user))
		result = error_set(err, EX_UNAVAILABLE, "%s: it is no server of coopr", to->name);
	jv_free(answer);
	jv_free(document);
	return result;
}

/* Keeps the session itself, for as long as it lasts. */
static int
access_keep_session(const struct api_session *session, struct access *access)
{
	const char *text = strchr(session->cookie, '=');
	char until[CLOCK_RFC3339_SIZE];

	access->token = memory_string(text ? text + 1 : "");
	access->expires = memory_string(clock_seconds(clock_wall_ms() + ACCESS_SESSION_MS, until));
	return 0;
}

/* Makes a token, and ends the session; where none may be made keeps this. */
static int
access_make_token(const struct destination *to, const struct access_ask *ask, struct api_session *session, struct access *access,
    struct error *err)
{
	jv document = jv_object(), answer;
	struct error ignored; /* the session ends by itself */
	int result;

	access_set(&document, "name", ask->name);
	access_set(&document, "role", ask->role);
	access_set(&document, "lifetime", ask->lifetime);
	json_set(&document, "all-tenants", jv_true());
	result = api_ask(to, session, "POST", "/v1/tokens", document, &answer, err);
	jv_free(document);
	if (result < 0) {
		jv_free(answer);
		return err->code == EX_NOPERM && !ask->role ? access_keep_session(session, access) : -1;
	}
	access->token = json_get_string(answer, "token");
	access->expires = json_get_string(answer, "expires");
	jv_free(answer);
	if (!access->token)
		return error_set(err, EX_UNAVAILABLE, "%s: the server has made no token", to->name);
	if (api_ask(to, session, "DELETE", "/v1/session", jv_null(), &answer, &ignored) == 0)
		jv_free(answer);
	return 0;
}

int
access_get(const struct destination *to, const struct access_ask *ask, struct access *access, struct error *err)
{
	struct api_session session = {0};
	int result;

	*access = (struct access){0};
	result = access_log_in(to, ask, &session, access, err);
	if (result == 0)
		result = access_make_token(to, ask, &session, access, err);
	api_session_release(&session);
	return result;
}

int
access_check(const struct destination *to, struct access *access, struct error *err)
{
	struct api_session none = {0};
	jv answer;
	int result;

	*access = (struct access){0};
	result = api_ask(to, &none, "GET", "/v1/session", jv_null(), &answer, err);
	access->user = json_get_string(answer, "user");
	access->token = to->token ? memory_string(to->token) : NULL;
	jv_free(answer);
	api_session_release(&none);
	return result;
}

int
access_end(const struct destination *to, struct error *err)
{
	struct api_session none = {0};
	jv answer;
	int result = api_ask(to, &none, "DELETE", "/v1/session", jv_null(), &answer, err);

	jv_free(answer);
	api_session_release(&none);
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
