/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/credentials.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/amazon/account.h"
#include "cloud/cloud.h"
#include "cloud/renewal.h"

enum { ANSWER_S = 5, SHORTEST_MS = 10 * 1000, NAME_BYTES = 200 };

static const char keys_path[] = "/latest/meta-data/iam/security-credentials/";

struct keys {
	char *id, *secret, *token; /* NULL: none yet */
	int64_t until_ms;          /* of the wall clock */
};

struct ec2_role { /* what is after the client is under the lock of cloud/stop.h */
	const char *url;
	struct client *client;
	struct keys keys;
	struct renewal renewal;
};

static void
keys_release(struct keys *keys)
{
	free(keys->id);
	free(keys->secret);
	free(keys->token);
}

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
role_read(const char *text, struct keys *keys, struct error *err)
{
	char *expiration;
	jv value;

	if (json_parse("the role's keys", text, strlen(text), &value, err) < 0)
		return -1;
	expiration = json_get_string(value, "Expiration");
	*keys = (struct keys){.id = json_get_string(value, "AccessKeyId"), .secret = json_get_string(value, "SecretAccessKey"),
	    .token = json_get_string(value, "Token"), .until_ms = cloud_time(expiration)};
	free(expiration);
	jv_free(value);
	if (keys->id && keys->secret && keys->token)
		return 0;
	keys_release(keys);
	return error_set(err, EX_TEMPFAIL, "the metadata service gives no keys of the role");
}

/* Asks for keys: a session of the service first, then the name of the role. */
static int
role_fetch(const struct ec2_role *role, const struct stop *stop, struct keys *keys, struct error *err)
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

struct asked { /* keys of a role */
	struct ec2_role *role;
	struct keys keys;
};

static int
role_ask_anew(void *context, const struct stop *stop, struct error *err)
{
	struct asked *asked = context;

	return role_fetch(asked->role, stop, &asked->keys, err);
}

static int64_t
role_take(void *context)
{
	struct asked *asked = context;

	keys_release(&asked->role->keys);
	asked->role->keys = asked->keys;
	return asked->keys.until_ms - clock_wall_ms();
}

int
ec2_signer(const struct cloud *cloud, const struct stop *stop, struct arena *arena, struct signature_signer *signer, struct error *err)
{
	static const struct renewal_calls calls = {role_ask_anew, role_take, SHORTEST_MS};
	const struct ec2_account *account = cloud->state;
	struct asked asked = {.role = account->role};
	int result;

	*signer = account->signer;
	if (!asked.role)
		return 0;
	stop_lock();
	result = renewal_await(&asked.role->renewal, &calls, &asked, stop, err);
	if (result == 0) {
		signer->id = arena_string(arena, asked.role->keys.id);
		signer->secret = arena_string(arena, asked.role->keys.secret);
		signer->token = arena_string(arena, asked.role->keys.token);
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
	if (strcmp(role->keys.token, signer->token) == 0)
		role->renewal.until_ms = 0;
	stop_unlock();
	return true;
}
