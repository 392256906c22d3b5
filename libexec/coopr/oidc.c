/* SPDX-License-Identifier: Apache-2.0
 *
 * oidc: speaks with the OpenID provider of an installation, apart from the programs that have the store open, so that only this one
 * carries libcurl and what the provider answers. Reads {"issuer", "ca", "client_id", "client_secret", "redirect"}, and prints
 * {"authorization_endpoint"}; with "code", "verifier" and "nonce" beside it has the code exchanged, and prints the claims of the ID token
 * where that is the provider's, for this client and this login, and valid now. Exits with 65 for a wrong order, 69 where the provider is
 * not reached, or answers wrongly, 77 where it does not vouch for anybody.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "confine/confine.h"
#include "json/dump.h"
#include "json/json.h"
#include "login/id-token.h"

enum { OIDC_BYTES = 1 << 20, OIDC_SECONDS = 10, OIDC_CONNECT_SECONDS = 5 };

struct oidc {
	jv order;
	char *issuer, *ca, *client_id;
};

static size_t
oidc_keep(char *bytes, size_t size, size_t count, void *data)
{
	struct buffer *said = data;

	if (said->length + size * count > OIDC_BYTES)
		return 0;
	buffer_append(said, bytes, size * count);
	return size * count;
}

/* Returns whether an address is by TLS; that of a provider of this machine may be without. */
static bool
oidc_is_safe(const struct oidc *oidc, const char *url)
{
	return url && (strncmp(url, "https://", 8) == 0 || (strncmp(url, "http://", 7) == 0 && strncmp(oidc->issuer, "http://", 7) == 0));
}

struct oidc_form { /* NULL: none of it */
	const char *text;
	char *user, *password; /* with which it is sent, encoded as RFC 6749 has it */
};

/* Gets a document, or posts a form. Follows no redirection: whom we tell the secret is in the settings. */
static int
oidc_fetch(const struct oidc *oidc, const char *url, const struct oidc_form *form, jv *answer, struct error *err)
{
	char reason[CURL_ERROR_SIZE] = "";
	struct buffer said = {0};
	struct curl_blob ca = {.data = oidc->ca, .len = oidc->ca ? strlen(oidc->ca) : 0, .flags = CURL_BLOB_NOCOPY};
	CURL *curl = oidc_is_safe(oidc, url) ? curl_easy_init() : NULL;
	CURLcode code;
	long status = 0;
	int result;

	if (!curl)
		return error_set(err, EX_UNAVAILABLE, "it names an address without TLS");
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)OIDC_SECONDS);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)OIDC_CONNECT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, oidc_keep);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &said);
	if (oidc->ca)
		curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &ca);
	if (form)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, form->text);
	if (form && form->user) {
		curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		curl_easy_setopt(curl, CURLOPT_USERNAME, form->user);
		curl_easy_setopt(curl, CURLOPT_PASSWORD, form->password);
	}
	code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (code != CURLE_OK)
		result = error_set(err, EX_UNAVAILABLE, "%s", *reason ? reason : curl_easy_strerror(code));
	else if (status != 200)
		result = error_set(err, form ? EX_NOPERM : EX_UNAVAILABLE, form ? "it does not take the code (status %ld)" : "it answers with status %ld",
		    status);
	else
		result = json_parse("its answer", buffer_string(&said), said.length, answer, err);
	curl_easy_cleanup(curl);
	buffer_release(&said);
	return result;
}

/* Gets what the provider says of itself, which has to be of the issuer. */
static int
oidc_discover(const struct oidc *oidc, jv *found, struct error *err)
{
	size_t length = strlen(oidc->issuer);
	char *url = memory_printf("%s%s.well-known/openid-configuration", oidc->issuer, length && oidc->issuer[length - 1] == '/' ? "" : "/");
	int result = oidc_fetch(oidc, url, NULL, found, err);
	char *issuer = result == 0 ? json_get_string(*found, "issuer") : NULL;

	if (result == 0 && (!issuer || strcmp(issuer, oidc->issuer) != 0))
		result = error_set(err, EX_UNAVAILABLE, "it is the issuer \"%s\", and not \"%s\"", issuer ? issuer : "", oidc->issuer);
	free(issuer);
	free(url);
	return result;
}

/* Returns a member of the order, encoded; NULL if there is none. curl_free frees it. */
static char *
oidc_escape(const struct oidc *oidc, const char *member)
{
	char *value = json_get_string(oidc->order, member), *escaped = value ? curl_easy_escape(NULL, value, 0) : NULL;

	free(value);
	return escaped;
}

static void
oidc_add(struct buffer *form, const struct oidc *oidc, const char *name, const char *member)
{
	char *escaped = oidc_escape(oidc, member);

	if (escaped)
		buffer_printf(form, "&%s=%s", name, escaped);
	curl_free(escaped);
}

/* Returns whether the provider takes the secret in the form alone: where it does not say how, it takes it as a password. */
static bool
oidc_wants_secret_in_form(jv found)
{
	jv ways = json_get(found, "token_endpoint_auth_methods_supported");
	bool wants = json_array_has(ways, NULL, "client_secret_post") && !json_array_has(ways, NULL, "client_secret_basic");

	jv_free(ways);
	return wants;
}

/* Has the code exchanged for an ID token. */
static int
oidc_exchange(const struct oidc *oidc, jv found, char **token, struct error *err)
{
	char *endpoint = json_get_string(found, "token_endpoint");
	struct oidc_form form = {.password = oidc_escape(oidc, "client_secret")};
	struct buffer text = {0};
	jv answer = jv_null();
	int result;

	buffer_text(&text, "grant_type=authorization_code");
	oidc_add(&text, oidc, "code", "code");
	oidc_add(&text, oidc, "redirect_uri", "redirect");
	oidc_add(&text, oidc, "code_verifier", "verifier");
	if (form.password && !oidc_wants_secret_in_form(found)) {
		form.user = oidc_escape(oidc, "client_id");
	} else {
		oidc_add(&text, oidc, "client_id", "client_id");
		oidc_add(&text, oidc, "client_secret", "client_secret");
	}
	form.text = buffer_string(&text);
	result = oidc_fetch(oidc, endpoint, &form, &answer, err);
	*token = json_get_string(answer, "id_token");
	if (result == 0 && !*token)
		result = error_set(err, EX_NOPERM, "it has given no ID token");
	jv_free(answer);
	curl_free(form.user);
	curl_free(form.password);
	buffer_release(&text);
	free(endpoint);
	return result;
}

/* Asks who has got the code. */
static int
oidc_vouch(const struct oidc *oidc, jv found, jv *claims, struct error *err)
{
	char *keys = json_get_string(found, "jwks_uri"), *token = NULL;
	jv published = jv_null();
	char *nonce = json_get_string(oidc->order, "nonce");
	int result = oidc_exchange(oidc, found, &token, err);

	if (result == 0)
		result = oidc_fetch(oidc, keys, NULL, &published, err);
	if (result == 0)
		result = id_token_open(token, published, claims, err);
	if (result == 0)
		result = id_token_check(*claims, &(struct id_token_use){oidc->issuer, oidc->client_id, nonce}, err);
	free(nonce);
	jv_free(published);
	free(token);
	free(keys);
	return result;
}

static int
oidc_act(const struct oidc *oidc, jv *record, struct error *err)
{
	char *code = json_get_string(oidc->order, "code"), *endpoint;
	jv found = jv_null();
	int result = oidc_discover(oidc, &found, err);

	endpoint = json_get_string(found, "authorization_endpoint");
	if (result == 0 && !oidc_is_safe(oidc, endpoint))
		result = error_set(err, EX_UNAVAILABLE, "it does not say where one logs in, by TLS");
	if (result == 0 && code) {
		result = oidc_vouch(oidc, found, record, err);
	} else if (result == 0) {
		*record = jv_object();
		json_set_string(record, "authorization_endpoint", endpoint);
	}
	free(endpoint);
	free(code);
	jv_free(found);
	return result;
}

static void
oidc_print(jv record)
{
	struct buffer line = {0};

	json_dump(record, &line);
	puts(buffer_string(&line));
	buffer_release(&line);
}

int
main(void)
{
	struct oidc oidc = {0};
	struct error err;
	jv record = jv_null();
	int result;

	message_program("oidc");
	if (json_read_file("-", &oidc.order, &err) < 0)
		return message_error(&err);
	oidc.issuer = json_get_string(oidc.order, "issuer");
	oidc.client_id = json_get_string(oidc.order, "client_id");
	oidc.ca = json_get_string(oidc.order, "ca");
	if (!oidc.issuer || !oidc.client_id) {
		message("standard input: issuer and client_id are required");
		return EX_DATAERR;
	}
	curl_global_init(CURL_GLOBAL_DEFAULT);
	confine_client(NULL);

	result = oidc_act(&oidc, &record, &err);
	if (result == 0)
		oidc_print(record);

	jv_free(record);
	jv_free(oidc.order);
	free(oidc.issuer);
	free(oidc.client_id);
	free(oidc.ca);
	return message_end(result < 0 ? message_error(&err) : 0);
}
