/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/credentials.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/amazon/account.h"
#include "cloud/cloud.h"

enum { ANSWER_S = 5, REFRESH_MS = 5 * 60 * 1000, SHORTEST_MS = 10 * 1000, NAME_BYTES = 200 };

static const char keys_path[] = "/latest/meta-data/iam/security-credentials/";

struct ec2_role { /* what is after the client is under the lock of cloud/stop.h */
	const char *url;
	struct client *client;
	char *id, *secret, *token; /* NULL: none yet */
	int64_t until_ms;          /* monotonic */
	bool asked;                /* a thread is asking for them */
};

struct ec2_role *
ec2_role_new(const char *url, struct error *err)
{
	/* The service is the machine's own: no proxy reaches it. */
	const struct client_settings settings = {.proxy = ""};
	struct client *client = client_open(&settings, err);
	struct ec2_role *role = client ? memory_zeroed(1, sizeof *role) : NULL;

	if (role)
		*role = (struct ec2_role){.url = url, .client = client};
	return role;
}

/* Asks the metadata service, with a header. Returns what it says, in the arena; NULL with an error. */
static const char *
role_ask(const struct ec2_role *role, const char *method, const char *path, const char *header, const struct stop *stop, struct arena *arena,
    struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	struct client_request request = {.method = method, .url = arena_printf(arena, "%s%s", role->url, path), .answer_s = ANSWER_S, .repeatable = true};
	const char *text = NULL;
	int result;

	arguments_push(&request.headers, header);
	result = client_send(role->client, &request, stop, &answer, err);
	if (result == 0 && answer.status == 200)
		text = arena_substring(arena, answer.body.length ? answer.body.data : "", answer.body.length);
	else if (result == 0 && answer.status == 404)
		error_set(err, EX_CONFIG, "this machine has no instance profile, whose role the provider is to use");
	else if (result == 0)
		client_refused(&request, &answer, err);
	arguments_release(&request.headers);
	client_answer_release(&answer);
	return text;
}

/* Reads {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}. */
static int
role_read(const char *text, struct ec2_role *keys, struct error *err)
{
	char *expiration;
	jv value;

	if (json_parse("the role's keys", text, strlen(text), &value, err) < 0)
		return -1;
	expiration = json_get_string(value, "Expiration");
	*keys = (struct ec2_role){.id = json_get_string(value, "AccessKeyId"), .secret = json_get_string(value, "SecretAccessKey"),
	    .token = json_get_string(value, "Token"), .until_ms = cloud_time(expiration)};
	free(expiration);
	jv_free(value);
	if (keys->id && keys->secret && keys->token)
		return 0;
	free(keys->id);
	free(keys->secret);
	free(keys->token);
	return error_set(err, EX_TEMPFAIL, "the metadata service gives no keys of the role");
}

/* Asks for keys: a session of the service first, then the name of the role. */
static int
role_fetch(const struct ec2_role *role, const struct stop *stop, struct ec2_role *keys, struct error *err)
{
	struct arena arena = {0};
	const char *session = role_ask(role, "PUT", "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: 60", stop, &arena, err), *name = NULL, *text = NULL;
	const char *header = session ? arena_printf(&arena, "X-aws-ec2-metadata-token: %s", session) : NULL;
	int result = -1;

	if (session && session[strcspn(session, "\r\n")])
		error_set(err, EX_TEMPFAIL, "the metadata service gives no session");
	else if (session)
		name = role_ask(role, "GET", keys_path, header, stop, &arena, err);
	if (name && (!*name || strlen(name) > NAME_BYTES || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+=,.@_-")]))
		error_set(err, EX_TEMPFAIL, "the metadata service gives no name of a role");
	else if (name)
		text = role_ask(role, "GET", arena_printf(&arena, "%s%s", keys_path, name), header, stop, &arena, err);
	if (text)
		result = role_read(text, keys, err);
	arena_release(&arena);
	return result;
}

/* Takes keys, whose until_ms is of the wall clock. */
static void
role_take(struct ec2_role *role, const struct ec2_role *keys)
{
	int64_t life_ms = keys->until_ms - clock_wall_ms() - REFRESH_MS;

	free(role->id);
	free(role->secret);
	free(role->token);
	role->id = keys->id;
	role->secret = keys->secret;
	role->token = keys->token;
	role->until_ms = clock_monotonic_ms() + (life_ms > SHORTEST_MS ? life_ms : SHORTEST_MS);
}

int
ec2_signer(const struct cloud *cloud, const struct stop *stop, struct arena *arena, struct signature_signer *signer, struct error *err)
{
	const struct ec2_account *account = cloud->state;
	struct ec2_role *role = account->role, keys;
	int result = 0;

	*signer = account->signer;
	if (!role)
		return 0;
	stop_lock();
	while (result == 0 && (role->asked || !role->id || clock_monotonic_ms() >= role->until_ms)) {
		if (role->asked) {
			result = stop_wait(stop, INT64_MAX, err);
			continue;
		}
		role->asked = true;
		stop_unlock();
		result = role_fetch(role, stop, &keys, err);
		stop_lock();
		role->asked = false;
		if (result == 0)
			role_take(role, &keys);
		stop_wake_all();
	}
	if (result == 0) {
		signer->id = arena_string(arena, role->id);
		signer->secret = arena_string(arena, role->secret);
		signer->token = arena_string(arena, role->token);
	}
	stop_unlock();
	return result;
}

bool
ec2_signer_renew(const struct cloud *cloud, const struct signature_signer *signer)
{
	struct ec2_role *role = ((const struct ec2_account *)cloud->state)->role;

	if (!role)
		return false;
	stop_lock();
	if (strcmp(role->token, signer->token) == 0)
		role->until_ms = 0;
	stop_unlock();
	return true;
}
