/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/client.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "address/range.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cloud/pace.h"

enum { ANSWER_BYTES = 64 * 1024 * 1024, CONNECT_S = 20, LATER_MAX_MS = 10 * 60 * 1000, SAID_BYTES = 400 };

struct client {
	struct pace pace;
	char *ca_file, *proxy, *socket, *certificate, *key;
	bool unverified, public_only;
	CURL *idle[CLIENT_CONNECTIONS]; /* under the lock, as all below */
	pthread_cond_t given_back;
	unsigned idle_count, open_count;
	pthread_t first;  /* whose requests go first, where has_first */
	bool has_first;
	bool has_answer;
};

struct try { /* one attempt at a request */
	const struct stop *stop;
	struct client_answer *answer;
	const struct client_request *request;
	size_t given; /* bytes of its body */
	bool refused_address;
};

static char *
client_copy(const char *text)
{
	return text ? memory_string(text) : NULL;
}

struct client *
client_open(const struct client_settings *settings, struct error *err)
{
	struct client *client;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		error_set(err, EX_OSERR, "libcurl cannot be used");
		return NULL;
	}
	client = memory_zeroed(1, sizeof *client);
	pace_init(&client->pace, settings->per_second);
	stop_prepare_condition(&client->given_back);
	client->ca_file = client_copy(settings->ca_file);
	client->proxy = client_copy(settings->proxy);
	client->socket = client_copy(settings->socket);
	client->certificate = client_copy(settings->certificate);
	client->key = client_copy(settings->key);
	client->unverified = settings->unverified;
	client->public_only = settings->public_only;
	return client;
}

int64_t
client_go_first(struct client *client, bool on)
{
	client->has_first = on;
	client->first = pthread_self();
	return (int64_t)client->pace.first_ms;
}

static bool
client_is_first(const struct client *client)
{
	bool is_first;

	stop_lock();
	is_first = client->has_first && pthread_equal(client->first, pthread_self());
	stop_unlock();
	return is_first;
}

bool
client_has_answer(const struct client *client)
{
	bool has_answer;

	stop_lock();
	has_answer = client->has_answer;
	stop_unlock();
	return has_answer;
}

char *
client_escape(const char *text)
{
	char *escaped = curl_easy_escape(NULL, text, 0), *copy = memory_string(escaped ? escaped : "");

	curl_free(escaped);
	return copy;
}

void
client_answer_release(struct client_answer *answer)
{
	buffer_release(&answer->body);
	free(answer->wanted);
	*answer = (struct client_answer){.wait_ms = -1};
}

/* --- one connection for each request that is under way --- */

/* Takes a handle with its connection, or makes one, or waits until another thread gives one back. */
static CURL *
client_take(struct client *client, const struct stop *stop, struct error *err)
{
	CURL *curl = NULL;
	int result = 0;

	stop_lock();
	while (result == 0 && client->idle_count == 0 && client->open_count == CLIENT_CONNECTIONS)
		result = stop_wait_for(&client->given_back, stop, err);
	if (result == 0 && client->idle_count > 0)
		curl = client->idle[--client->idle_count];
	else if (result == 0 && (curl = curl_easy_init()))
		client->open_count++;
	stop_unlock();
	if (result == 0 && !curl)
		error_set(err, EX_OSERR, "libcurl has no memory");
	return curl;
}

static void
client_give_back(struct client *client, CURL *curl, bool answered)
{
	curl_easy_reset(curl); /* keeps its connection */
	stop_lock();
	client->has_answer = client->has_answer || answered;
	client->idle[client->idle_count++] = curl;
	pthread_cond_signal(&client->given_back);
	stop_unlock();
}

/* --- what libcurl calls --- */

static size_t
client_keep(char *bytes, size_t size, size_t count, void *data)
{
	struct try *try = data;
	size_t length = size * count;

	if (try->answer->body.length + length > ANSWER_BYTES)
		return 0;
	buffer_append(&try->answer->body, bytes, length);
	return length;
}

/* Returns the value of the header of that name in a line, without blanks around it, which the caller frees; NULL if it is another's. */
static char *
client_header_value(const char *line, size_t length, const char *name)
{
	size_t at = strlen(name);

	if (length <= at || strncasecmp(line, name, at) != 0 || line[at] != ':')
		return NULL;
	for (at++; at < length && strchr(" \t", line[at]); at++)
		;
	while (length > at && strchr(" \t\r\n", line[length - 1]))
		length--;
	return memory_substring(line + at, length - at);
}

/* Returns how long a Retry-After asks to wait: seconds, or a date by the cloud's clock. */
static int64_t
client_wait_of(const char *value, int64_t skew_ms)
{
	char *end;
	double seconds = strtod(value, &end);
	int64_t ms;

	if (*value && !*end && seconds >= 0)
		ms = seconds > LATER_MAX_MS / 1000.0 ? LATER_MAX_MS : (int64_t)(seconds * 1000);
	else
		ms = (int64_t)curl_getdate(value, NULL) * 1000 - (clock_wall_ms() + skew_ms);
	return ms < 0 ? 0 : ms > LATER_MAX_MS ? LATER_MAX_MS : ms;
}

static size_t
client_header(char *line, size_t size, size_t count, void *data)
{
	struct client_answer *answer = ((struct try *)data)->answer;
	const char *wants = ((struct try *)data)->request->wants;
	size_t length = size * count;
	char *value;

	if (wants && (value = client_header_value(line, length, wants))) {
		free(answer->wanted);
		answer->wanted = value;
	}
	if ((value = client_header_value(line, length, "date"))) {
		time_t date = curl_getdate(value, NULL);

		answer->skew_ms = date > 0 ? (int64_t)date * 1000 - clock_wall_ms() : 0;
	} else if ((value = client_header_value(line, length, "retry-after"))) {
		answer->wait_ms = client_wait_of(value, answer->skew_ms);
	}
	free(value);
	return length;
}

/* Gives the body out once. Where an idle connection turns out to be closed, libcurl sends a request again by itself; what makes something may
 * have been carried out by then, so that it gets no second body, and fails. */
static size_t
client_give(char *room, size_t size, size_t count, void *data)
{
	struct try *try = data;
	size_t left = try->request->length - try->given, length = size * count < left ? size * count : left;

	memcpy(room, try->request->body + try->given, length);
	try->given += length;
	return length;
}

static int
client_progress(void *data, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up)
{
	const struct try *try = data;

	(void)down_total, (void)down, (void)up_total, (void)up;
	return stop_is_due(try->stop);
}

/* Opens no socket to an address that is none of the public network: the name of a tenant's endpoint may resolve to this host. */
static curl_socket_t
client_open_public(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
	const void *bytes = address->family == AF_INET6 ? (const void *)&((struct sockaddr_in6 *)&address->addr)->sin6_addr
	    : (const void *)&((struct sockaddr_in *)&address->addr)->sin_addr;
	char text[INET6_ADDRSTRLEN];

	(void)purpose;
	if ((address->family != AF_INET && address->family != AF_INET6) || !inet_ntop(address->family, bytes, text, sizeof text) ||
	    !range_is_public(text)) {
		((struct try *)data)->refused_address = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static curl_socket_t
client_open_any(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
	(void)data, (void)purpose;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* --- one try --- */

static struct curl_slist *
client_headers_of(const struct client_request *request)
{
	struct curl_slist *headers = curl_slist_append(NULL, "Expect:");

	for (size_t i = 0; i < request->headers.count; i++)
		headers = curl_slist_append(headers, request->headers.list[i]);
	if (request->body) {
		char *type = memory_printf("Content-Type: %s", request->type ? request->type : "application/json");

		headers = curl_slist_append(headers, type);
		free(type);
	}
	return headers;
}

static void
client_set_connection(const struct client *client, CURL *curl)
{
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "coopr/" COOPR_VERSION);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
	if (client->ca_file)
		curl_easy_setopt(curl, CURLOPT_CAINFO, client->ca_file);
	if (client->proxy || client->public_only) /* what a proxy reaches is not known here */
		curl_easy_setopt(curl, CURLOPT_PROXY, client->public_only ? "" : client->proxy);
	if (client->socket)
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, client->socket);
	if (client->certificate)
		curl_easy_setopt(curl, CURLOPT_SSLCERT, client->certificate);
	if (client->key)
		curl_easy_setopt(curl, CURLOPT_SSLKEY, client->key);
	if (client->unverified) {
		curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static void
client_set_request(CURL *curl, const struct client_request *request, struct curl_slist *headers, struct try *try)
{
	curl_easy_setopt(curl, CURLOPT_URL, request->url);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, request->answer_s ? (long)request->answer_s : (long)CLIENT_ANSWER_S);
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	if (request->body && !request->repeatable) {
		curl_easy_setopt(curl, CURLOPT_POST, 1L);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->length);
		curl_easy_setopt(curl, CURLOPT_READFUNCTION, client_give);
		curl_easy_setopt(curl, CURLOPT_READDATA, try);
	} else if (request->body) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->length);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
	} else if (strcmp(request->method, "POST") == 0) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)0);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
	}
}

static void
client_set_calls(const struct client *client, CURL *curl, struct try *try)
{
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, client_keep);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, try);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, client_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, try);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, client_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, try);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	if (!client->socket) {
		curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, client->public_only ? client_open_public : client_open_any);
		curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, try);
	}
}

/* Tells whether the request was sent, and what was answered is no HTTP: libcurl calls that a protocol that it does not know, as one in a URL. */
static bool
client_is_noise(CURL *curl, CURLcode result)
{
	long sent = 0;

	curl_easy_getinfo(curl, CURLINFO_REQUEST_SIZE, &sent);
	return result == CURLE_UNSUPPORTED_PROTOCOL && sent > 0;
}

/* Tells whether nothing of the request can have come to the cloud. */
static bool
client_is_unsent(CURLcode result)
{
	return result == CURLE_COULDNT_RESOLVE_HOST || result == CURLE_COULDNT_RESOLVE_PROXY || result == CURLE_COULDNT_CONNECT ||
	    result == CURLE_SSL_CONNECT_ERROR || result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE ||
	    result == CURLE_URL_MALFORMAT || result == CURLE_UNSUPPORTED_PROTOCOL;
}

/* Sends it once. Returns 0 with an answer, else -1. */
static int
client_try(const struct client *client, CURL *curl, const struct client_request *request, struct try *try, struct error *err)
{
	struct curl_slist *headers = client_headers_of(request);
	char reason[CURL_ERROR_SIZE] = "";
	CURLcode result;
	bool wrong_peer, is_wrong;

	client_answer_release(try->answer);
	client_set_connection(client, curl);
	client_set_request(curl, request, headers, try);
	client_set_calls(client, curl, try);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
	result = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &try->answer->status);
	curl_slist_free_all(headers);
	if (result == CURLE_OK)
		return 0;
	try->answer->unknown = !client_is_unsent(result) || client_is_noise(curl, result);
	try->answer->status = 0;
	wrong_peer = result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE;
	if (try->refused_address)
		return error_set(err, EX_NOPERM, "%s: its address is none of the public network; a superadmin may write a provider with such an address", request->url);
	is_wrong = result == CURLE_URL_MALFORMAT || (result == CURLE_UNSUPPORTED_PROTOCOL && !client_is_noise(curl, result));
	error_set(err, wrong_peer ? EX_UNAVAILABLE : is_wrong ? EX_CONFIG : EX_TEMPFAIL, "%s %s: %s", request->method, request->url,
	    *reason ? reason : curl_easy_strerror(result));
	return client->socket ? error_prefix(err, "unix://%s", client->socket) : -1;
}

/* Tells whether it may be sent again after this: it was not taken, or does no harm twice. */
static bool
client_may_repeat(const struct client_request *request, const struct client_answer *answer, bool answered, int code)
{
	if (!answered)
		return code == EX_TEMPFAIL && (request->repeatable || !answer->unknown);
	return answer->status == 429 || (request->repeatable && (answer->status == 408 || answer->status >= 500) && answer->status != 501);
}

/* A header with the end of a line in it would be two, and credentials come from documents. */
static int
client_check_headers(const struct client_request *request, struct error *err)
{
	for (size_t i = 0; i < request->headers.count; i++) {
		const char *header = request->headers.list[i];

		if (header[strcspn(header, "\r\n")])
			return error_set(err, EX_CONFIG, "%s %s: the header %.*s has the end of a line in it", request->method, request->url,
			    (int)strcspn(header, ":"), header);
	}
	return 0;
}

/* Reads the answer. One that is none of the cloud's says nothing of what was done. */
static int
client_read(const struct client_request *request, struct client_answer *answer, struct error *err)
{
	if (!request->read || answer->status / 100 != 2 || request->read(answer, request->data, err) == 0)
		return 0;
	answer->unknown = err->code == EX_TEMPFAIL;
	return -1;
}

int
client_send(struct client *client, const struct client_request *request, const struct stop *stop, struct client_answer *answer,
    struct error *err)
{
	int result = client_check_headers(request, err);

	if (result < 0)
		return -1;
	for (unsigned number = 1;; number++) {
		struct try try = {.stop = stop, .answer = answer, .request = request};
		CURL *curl;
		int64_t ms;

		if (pace_wait(&client->pace, client_is_first(client), stop, err) < 0 || !(curl = client_take(client, stop, err)))
			return -1;
		result = client_try(client, curl, request, &try, err);
		client_give_back(client, curl, result == 0);
		if (result == 0)
			result = client_read(request, answer, err);
		if (number == CLIENT_TRIES || !client_may_repeat(request, answer, result == 0, result < 0 ? err->code : 0))
			break;
		ms = pace_backoff_ms(number);
		if (result == 0 && answer->wait_ms >= 0) {
			pace_close(&client->pace, answer->wait_ms);
			ms = ms / 8;
		}
		if (stop_sleep(stop, ms, err) < 0)
			return -1;
	}
	/* A failure of the cloud's own may come behind the work as well as before it. */
	if (result == 0)
		answer->unknown = !request->repeatable && answer->status >= 500 && answer->status != 501;
	return result;
}

/* Finds what the answer says to people, up to a depth: "message" wherever clouds have it. Returns NULL if there is nothing. */
static char *
client_find_text(jv value, unsigned depth)
{
	static const char *const names[] = {"message", "error_description", "faultstring", "cause", "title", "error"};
	char *found = NULL;

	for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
		found = json_get_string(value, names[i]);
	if (found || depth == 0)
		return found;
	if (jv_get_kind(value) == JV_KIND_OBJECT) {
		jv_object_foreach(value, name, member) {
			if (!found)
				found = client_find_text(member, depth - 1);
			jv_free(name);
			jv_free(member);
		}
	}
	return found;
}

/* Returns what the cloud says of a failure, on one line and of bounded length; the caller frees it. */
static char *
client_said(const struct client_answer *answer)
{
	struct error ignored;
	char *text = NULL;
	jv value;

	if (answer->body.length > 0 && strchr("{[", *answer->body.data) &&
	    json_parse("answer", answer->body.data, answer->body.length, &value, &ignored) == 0) {
		text = client_find_text(value, 2);
		jv_free(value);
	}
	if (!text)
		text = memory_substring(buffer_string(&answer->body), strnlen(buffer_string(&answer->body), SAID_BYTES));
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = ' ';
	if (strlen(text) > SAID_BYTES)
		text[SAID_BYTES] = '\0';
	return text;
}

int
client_refused(const struct client_request *request, const struct client_answer *answer, struct error *err)
{
	const char *host = strstr(request->url, "://"), *path = host ? strchr(host + 3, '/') : NULL;
	long status = answer->status;
	char *said = client_said(answer);
	int code = status == 401 || status == 403 ? EX_NOPERM
	    : status == 404 || status == 410 ? EX_NOINPUT
	    : status == 408 || status == 409 || status == 423 || status == 429 || status >= 500 ? EX_TEMPFAIL : EX_CONFIG;

	error_set(err, code, "%s %.*s: %ld%s%s", request->method, (int)strcspn(path ? path : "/", "?"), path ? path : "/", status,
	    *said ? " " : "", said);
	free(said);
	return -1;
}

struct document { /* which is asked for */
	const struct client_request *request;
	jv *out;
};

static bool
client_has_member(jv value, const char *name)
{
	jv member;
	bool has;

	if (!*name)
		return jv_get_kind(value) == JV_KIND_ARRAY;
	member = json_get(value, name);
	has = jv_is_valid(member);
	jv_free(member);
	return has;
}

static int
client_read_json(struct client_answer *answer, void *data, struct error *err)
{
	const struct document *document = data;
	const struct client_request *request = document->request;

	jv_free(*document->out);
	*document->out = jv_invalid();
	if (answer->body.length == 0 && !request->member)
		return 0;
	if (json_parse(request->url, answer->body.length ? answer->body.data : "", answer->body.length, document->out, err) < 0) {
		err->code = EX_TEMPFAIL;
		return -1;
	}
	if (!request->member || client_has_member(*document->out, request->member))
		return 0;
	jv_free(*document->out);
	*document->out = jv_invalid();
	return error_set(err, EX_TEMPFAIL, "%s %s: the answer %s%s", request->method, request->url,
	    *request->member ? "has no " : "is no list", request->member);
}

int
client_ask(struct client *client, const struct client_request *request, const struct stop *stop, struct client_answer *answer, jv *out,
    struct error *err)
{
	struct client_request sent = *request;
	struct document document = {request, out};

	if (out) {
		*out = jv_invalid();
		sent.read = client_read_json;
		sent.data = &document;
	}
	if (client_send(client, &sent, stop, answer, err) < 0)
		return -1;
	return answer->status / 100 == 2 ? 0 : client_refused(request, answer, err);
}
