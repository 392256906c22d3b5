/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/token.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/base64.h"
#include "cloud/google/account.h"
#include "cloud/signing-key.h"

enum { LIFE_S = 3600, REFRESH_MS = 5 * 60 * 1000, SHORTEST_MS = 60 * 1000, SKEW_MS = 30 * 1000 };

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
	struct client_request request = {.method = "POST", .url = account->token_url, .type = "application/x-www-form-urlencoded", .repeatable = true};
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

const char *
google_token(const struct cloud *cloud, const struct stop *stop, struct arena *arena, struct error *err)
{
	struct google_account *account = cloud->state;
	const char *copy = NULL;
	int64_t life_ms = 0;
	char *token;
	int result = 0;

	stop_lock();
	while (result == 0 && (account->token_asked || !account->token || clock_monotonic_ms() >= account->token_until_ms)) {
		if (account->token_asked) {
			result = stop_wait(stop, INT64_MAX, err);
			continue;
		}
		account->token_asked = true;
		stop_unlock();
		token = token_ask(cloud, stop, &life_ms, err);
		stop_lock();
		account->token_asked = false;
		result = token ? 0 : -1;
		if (token) {
			free(account->token);
			account->token = token;
			account->token_until_ms = clock_monotonic_ms() + (life_ms > REFRESH_MS + SHORTEST_MS ? life_ms - REFRESH_MS : SHORTEST_MS);
		}
		stop_wake_all();
	}
	if (result == 0)
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
		account->token_until_ms = 0;
	stop_unlock();
}
