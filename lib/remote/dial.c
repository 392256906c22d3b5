/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/dial.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/json.h"
#include "remote/destination.h"

enum { DIAL_CONNECT_S = 20 };

CURL *
dial(const struct destination *to, const char *path)
{
	char *url = memory_printf("%s%s", to->url, path);
	CURL *curl = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;

	if (curl) {
		curl_easy_setopt(curl, CURLOPT_URL, url);
		curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
		curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
		curl_easy_setopt(curl, CURLOPT_USERAGENT, "coopr/" COOPR_VERSION);
		curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)DIAL_CONNECT_S);
		curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
		curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
		if (to->socket) {
			curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, to->socket);
			curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
		}
		if (to->ca)
			curl_easy_setopt(curl, CURLOPT_CAINFO, to->ca);
	}
	free(url);
	return curl;
}

struct curl_slist *
dial_token(struct curl_slist *headers, const struct destination *to)
{
	char *line;

	if (!to->token)
		return headers;
	line = memory_printf("Authorization: Bearer %s", to->token);
	headers = curl_slist_append(headers, line);
	free(line);
	return headers;
}

/* Returns whether the certificate is one that nobody who is trusted has signed: X509_V_ERR_..., which libcurl hands through. */
static bool
dial_is_untrusted(CURL *request, CURLcode result)
{
	long why = 0;

	if (result == CURLE_PEER_FAILED_VERIFICATION)
		curl_easy_getinfo(request, CURLINFO_SSL_VERIFYRESULT, &why);
	return why >= 18 && why <= 21;
}

/* Returns a member of the description of a certificate, "Subject"; "?" where there is none. */
static const char *
dial_describe(const struct curl_slist *certificate, const char *member)
{
	size_t length = strlen(member);

	for (; certificate; certificate = certificate->next)
		if (strncmp(certificate->data, member, length) == 0 && certificate->data[length] == ':')
			return certificate->data + length + 1;
	return "?";
}

/* Tells which certificate it was: shakes hands once more, and says nothing. */
static void
dial_name_certificate(const struct destination *to, const char *reason, struct error *err)
{
	CURL *look = dial(to, "/");
	struct curl_certinfo *chain = NULL;

	if (look) {
		curl_easy_setopt(look, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(look, CURLOPT_SSL_VERIFYHOST, 0L);
		curl_easy_setopt(look, CURLOPT_CONNECT_ONLY, 1L);
		curl_easy_setopt(look, CURLOPT_CERTINFO, 1L);
		if (curl_easy_perform(look) == CURLE_OK)
			curl_easy_getinfo(look, CURLINFO_CERTINFO, &chain);
	}
	if (chain && chain->num_of_certs > 0)
		error_set(err, EX_UNAVAILABLE, "%s: %s: %s, signed by %s, until %s; with --ca FILE, \"coopr login\" and \"coopr context set\" are told "
		    "whose signature is trusted", to->name, reason, dial_describe(chain->certinfo[0], "Subject"),
		    dial_describe(chain->certinfo[0], "Issuer"), dial_describe(chain->certinfo[0], "Expire date"));
	curl_easy_cleanup(look);
}

/* Returns what to do about a connection that was not made, as the end of a sentence. */
static const char *
dial_remedy(const struct destination *to, CURLcode result)
{
	if (result == CURLE_COULDNT_RESOLVE_HOST)
		return "; look whether the name is right";
	if (result != CURLE_COULDNT_CONNECT)
		return "";
	return to->socket ? "; check whether coopr serve runs" : "; check whether coopr serve runs there, and listens on this port";
}

/* Returns whether the server has answered a greeting of TLS with something else: OpenSSL calls that a number of its version. */
static bool
dial_is_plain(CURLcode result, const char *reason)
{
	return result == CURLE_SSL_CONNECT_ERROR && (strstr(reason, "wrong version number") || strstr(reason, "packet length too long"));
}

int
dial_failed(const struct destination *to, CURL *request, CURLcode result, const char *reason, struct error *err)
{
	long number = 0;

	curl_easy_getinfo(request, CURLINFO_OS_ERRNO, &number);
	if (result == CURLE_COULDNT_CONNECT && number)
		reason = strerror((int)number);
	reason = *reason ? reason : curl_easy_strerror(result);
	error_set(err, EX_UNAVAILABLE, "%s: %s%s", to->name, reason, dial_remedy(to, result));
	if (dial_is_plain(result, reason))
		error_set(err, EX_UNAVAILABLE, "%s: no TLS is spoken there; a server without a certificate is asked by http://, on its own machine",
		    to->name);
	if (dial_is_untrusted(request, result))
		dial_name_certificate(to, reason, err);
	return -1;
}

static int
dial_code(long status)
{
	switch (status) {
	case 401:
	case 403:
		return EX_NOPERM;
	case 413:
	case 422:
		return EX_USAGE;
	case 429:
	case 503:
		return EX_TEMPFAIL;
	default:
		return EX_UNAVAILABLE;
	}
}

int
dial_refused(const struct destination *to, long status, const struct buffer *said, struct error *err)
{
	char *detail = NULL;
	struct error ignored; /* then it is somebody else's answer */
	jv problem;

	if (json_parse("the answer", buffer_string(said), said->length, &problem, &ignored) == 0) {
		detail = json_get_string(problem, "detail");
		jv_free(problem);
	}
	if (status == 404 && !detail)
		error_set(err, EX_UNAVAILABLE, "%s: the server does not know this request; it is none of coopr, or too old", to->name);
	else if (status == 422 && detail)
		error_set(err, EX_USAGE, "%s", detail);
	else
		error_set(err, dial_code(status), "%s: %s", to->name, detail ? detail : "the server does not do this");
	free(detail);
	return -1;
}
