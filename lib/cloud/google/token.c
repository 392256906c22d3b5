/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/token.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/base64.h"
#include "cloud/google/account.h"
#include "cloud/signing-key.h"

enum { LIFE_S = 3600, SHORTEST_MS = 60 * 1000, SKEW_MS = 30 * 1000 };

static void
token_add_base64(struct buffer *text, const struct buffer *bytes)
{
	char *encoded = base64_encode_url(bytes->data, bytes->length);

	buffer_text(text, encoded);
	free(encoded);
}

static void
token_add_json(struct buffer *text, jv value)
{
	struct buffer dump = {0};

	json_dump(value, &dump);
	token_add_base64(text, &dump);
	buffer_release(&dump);
	jv_free(value);
}

/* Appends the web token by which the service account asks, made at that time. */
static int
token_add_assertion(const struct google_account *account, int64_t at_ms, struct buffer *text, struct error *err)
{
	jv header = jv_object(), claims = jv_object();
	struct buffer signature = {0};
	int64_t at_s = at_ms / 1000;
	size_t start = text->length;
	int result;

	json_set_string(&header, "alg", "RS256");
	json_set_string(&header, "typ", "JWT");
	if (account->key_id)
		json_set_string(&header, "kid", account->key_id);
	json_set_string(&claims, "iss", account->email);
	json_set_string(&claims, "scope", "https://www.googleapis.com/auth/compute");
	json_set_string(&claims, "aud", account->token_url);
	json_set_number(&claims, "iat", (double)at_s);
	json_set_number(&claims, "exp", (double)(at_s + LIFE_S));
	token_add_json(text, header);
	buffer_byte(text, '.');
	token_add_json(text, claims);
	result = signing_key_sign(account->key, GOOGLE_KEY_PASSWORD, text->data + start, text->length - start, &signature, err);
	buffer_byte(text, '.');
	token_add_base64(text, &signature);
	buffer_release(&signature);
	return result;
}

/* Asks once, by the cloud's clock as far as it is known. */
static int
token_send(const struct cloud *cloud, int64_t skew_ms, const struct stop *stop, struct client_answer *answer, jv *out, struct error *err)
{
	const struct google_account *account = cloud->state;
	struct buffer form = {0};
	struct client_request request = {.method = "POST", .url = account->token_url, .type = "application/x-www-form-urlencoded", .repeatable = true,
	    .member = "access_token"};
	int result;

	*out = jv_invalid();
	buffer_text(&form, "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=");
	result = token_add_assertion(account, clock_wall_ms() + skew_ms, &form, err);
	request.body = form.data;
	request.length = form.length;
	if (result == 0)
		result = client_ask(cloud->client, &request, stop, answer, out, err);
	/* What is wrong with the key or its account is answered with 400. */
	if (result < 0 && (answer->status == 400 || answer->status == 401 || answer->status == 403))
		err->code = EX_NOPERM;
	buffer_release(&form);
	return result;
}

/* Asks for a token, a second time where the cloud's clock shows that ours is wrong. Returns it, which the caller frees; NULL with an error. */
static char *
token_ask(const struct cloud *cloud, const struct stop *stop, int64_t *life_ms, struct error *err)
{
	struct google_account *account = cloud->state;
	struct client_answer answer = {.wait_ms = -1};
	int64_t skew_ms = account->skew_ms; /* which only who asks for tokens changes */
	char *token = NULL;
	jv out;
	int result = token_send(cloud, skew_ms, stop, &answer, &out, err);

	if (result < 0 && answer.status == 400 && (answer.skew_ms - skew_ms > SKEW_MS || skew_ms - answer.skew_ms > SKEW_MS)) {
		skew_ms = answer.skew_ms;
		jv_free(out);
		result = token_send(cloud, skew_ms, stop, &answer, &out, err);
	}
	account->skew_ms = skew_ms;
	if (result == 0) {
		token = json_get_string(out, "access_token");
		*life_ms = (int64_t)(json_get_number(out, "expires_in", 0) * 1000);
		if (!token)
			error_set(err, EX_TEMPFAIL, "%s: the answer has no access_token", account->token_url);
	}
	jv_free(out);
	client_answer_release(&answer);
	return token;
}

struct asked { /* a token */
	const struct cloud *cloud;
	char *token;
	int64_t life_ms;
};

static int
token_ask_anew(void *context, const struct stop *stop, struct error *err)
{
	struct asked *asked = context;

	asked->token = token_ask(asked->cloud, stop, &asked->life_ms, err);
	return asked->token ? 0 : -1;
}

static int64_t
token_take(void *context)
{
	struct asked *asked = context;
	struct google_account *account = asked->cloud->state;

	free(account->token);
	account->token = asked->token;
	return asked->life_ms;
}

const char *
google_token(const struct cloud *cloud, const struct stop *stop, struct arena *arena, struct error *err)
{
	static const struct renewal_calls calls = {token_ask_anew, token_take, SHORTEST_MS};
	struct google_account *account = cloud->state;
	struct asked asked = {.cloud = cloud};
	const char *copy = NULL;

	stop_lock();
	if (renewal_await(&account->token_renewal, &calls, &asked, stop, err) == 0)
		copy = arena_string(arena, account->token);
	stop_unlock();
	return copy;
}

void
google_token_drop(const struct cloud *cloud, const char *token)
{
	struct google_account *account = cloud->state;

	stop_lock();
	if (account->token && strcmp(account->token, token) == 0)
		account->token_renewal.until_ms = 0;
	stop_unlock();
}
