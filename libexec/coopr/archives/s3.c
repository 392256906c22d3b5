/* SPDX-License-Identifier: Apache-2.0
 *
 * s3: keeps archives, or resources, in a bucket of a service that speaks the protocol of Amazon S3, coopr-config(5).
 *
 *	s3 KEYFILE REGION URL put KEY | get KEY | has KEY | list | delete KEY
 *
 * URL is that of the bucket, perhaps with a folder in it: https://HOST/BUCKET/FOLDER. KEYFILE has the id of an access key, its secret, and
 * perhaps the token of a session, each on a line; nobody else may read it. What is put is one object, and so at most 5 GiB; it is
 * sent once all of it is read, and is there as a whole or not at all.
 *
 * Exits with 0; 1 where has finds none; 64 on misuse; 66 where there is no such object; 74 where it is refused; 75 where it may be tried
 * again; 77 where the key is refused, or others might read its file.
 */
#include <curl/curl.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "confine/confine.h"
#include "content/content.h"
#include "content/signature.h"
#include "model/name.h"

enum { KEY_FILE_BYTES = 64 * 1024, ANSWER_BYTES = 16 * 1024 * 1024, BLOCK = 64 * 1024, CONNECT_S = 20, STALLED_S = 60 };

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command command = {
	"s3", "KEYFILE REGION URL put KEY | get KEY | has KEY | list | delete KEY", "Keep archives or resources in a bucket.", options, ""};

struct bucket {
	struct signature_signer signer;
	struct buffer key;          /* what the signer borrows from */
	char *host, *origin, *path; /* "h:9000", "http://h:9000", "/bucket/folder" */
};

struct exchange { /* one request */
	const char *method, *key, *query;
	char sum[CONTENT_DIGEST_SIZE]; /* of the body */
	FILE *body;                    /* NULL: there is none */
	curl_off_t size;
	FILE *to;                      /* where a good answer goes; NULL: it is kept */
	CURL *curl;
	struct buffer answer;
	long status;
};

/* Reads the access key; EX_NOPERM where others might. */
static int
s3_read_key(const char *path, struct bucket *bucket, struct error *err)
{
	int fd = file_open(AT_FDCWD, path, O_RDONLY, 0, err);
	struct stat status;
	char *rest;
	int result;

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && (status.st_mode & 077))
		result = error_set(err, EX_NOPERM, "%s: others may read it; chmod 600 closes it", path);
	else
		result = file_read_fd(fd, path, KEY_FILE_BYTES, &bucket->key, err);
	close(fd);
	if (result < 0)
		return -1;
	buffer_byte(&bucket->key, '\0');
	rest = bucket->key.data;
	bucket->signer.id = strsep(&rest, "\n");
	bucket->signer.secret = strsep(&rest, "\n");
	bucket->signer.token = rest && *rest && *rest != '\n' ? strsep(&rest, "\n") : NULL;
	if (!bucket->signer.secret || !*bucket->signer.secret)
		return error_set(err, EX_CONFIG, "%s: expected two lines, the id of an access key and its secret", path);
	return 0;
}

/* Takes the URL apart. Its path is sent as it is, so that it has only what needs no encoding. */
static int
s3_read_url(const char *url, struct bucket *bucket, struct error *err)
{
	const char *host = strncmp(url, "https://", 8) == 0 ? url + 8 : strncmp(url, "http://", 7) == 0 ? url + 7 : NULL;
	const char *path = host ? strchr(host, '/') : NULL;
	size_t length = path ? strlen(path) : 0;

	while (length > 1 && path[length - 1] == '/')
		length--;
	if (length < 2 || path == host || strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-/") != strlen(path))
		return error_set(err, EX_USAGE, "%s: expected https://HOST/BUCKET", url);
	bucket->host = memory_substring(host, (size_t)(path - host));
	bucket->origin = memory_substring(url, (size_t)(path - url));
	bucket->path = memory_substring(path, length);
	return 0;
}

static size_t
s3_take(char *bytes, size_t size, size_t count, void *data)
{
	struct exchange *exchange = data;
	size_t length = size * count;

	curl_easy_getinfo(exchange->curl, CURLINFO_RESPONSE_CODE, &exchange->status);
	if (exchange->to && exchange->status == 200)
		return fwrite(bytes, 1, length, exchange->to);
	if (exchange->answer.length + length > ANSWER_BYTES)
		return 0;
	buffer_append(&exchange->answer, bytes, length);
	return length;
}

static void
s3_set_options(const struct exchange *exchange, const char *url, struct curl_slist *headers, char *reason)
{
	CURL *curl = exchange->curl;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, exchange->method);
	curl_easy_setopt(curl, CURLOPT_NOBODY, strcmp(exchange->method, "HEAD") == 0 ? 1L : 0L);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "coopr/" COOPR_VERSION);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)STALLED_S);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, s3_take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, exchange);
	if (exchange->body) {
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_READDATA, exchange->body);
		curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, exchange->size);
	}
}

/* Returns the headers of a request, signed. */
static struct curl_slist *
s3_headers(const struct bucket *bucket, const struct exchange *exchange, const char *path)
{
	const struct signature_request request = {exchange->method, bucket->host, path, exchange->query ? exchange->query : "", exchange->sum};
	struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
	struct arguments signed_headers = {0};

	signature_add(&bucket->signer, &request, clock_wall_ms(), &signed_headers);
	for (size_t i = 0; i < signed_headers.count; i++)
		headers = curl_slist_append(headers, signed_headers.list[i]);
	arguments_release(&signed_headers);
	return headers;
}

/* Returns what the service says that is wrong: the text of <Code>, or "". */
static char *
s3_code_of(const struct exchange *exchange)
{
	const char *at = strstr(buffer_string(&exchange->answer), "<Code>");

	return at ? memory_substring(at + 6, strcspn(at + 6, "<\n\r")) : memory_string("");
}

/* Sets the error that a status means, other than those that the caller knows. */
static int
s3_refused(const struct exchange *exchange, const char *path, struct error *err)
{
	long status = exchange->status;
	char *code = s3_code_of(exchange);

	error_set(err, status == 404 ? EX_NOINPUT : status == 401 || status == 403 ? EX_NOPERM
	    : status >= 500 || status == 429 || status == 408 ? EX_TEMPFAIL : EX_IOERR, "%s: %s %s: %ld %s", path, exchange->method,
	    exchange->key ? exchange->key : "", status, code);
	free(code);
	return -1;
}

/* Sends a request, and sets its status; -1 where there was no answer. */
static int
s3_send(const struct bucket *bucket, struct exchange *exchange, struct error *err)
{
	char *path = exchange->key ? memory_printf("%s/%s", bucket->path, exchange->key) : memory_string(bucket->path);
	char *url = memory_printf("%s%s%s%s", bucket->origin, path, exchange->query ? "?" : "", exchange->query ? exchange->query : "");
	char reason[CURL_ERROR_SIZE] = "";
	struct curl_slist *headers;
	CURLcode result;

	if (!exchange->body)
		content_digest("", 0, exchange->sum);
	exchange->curl = curl_easy_init();
	headers = s3_headers(bucket, exchange, path);
	s3_set_options(exchange, url, headers, reason);
	result = curl_easy_perform(exchange->curl);
	curl_easy_getinfo(exchange->curl, CURLINFO_RESPONSE_CODE, &exchange->status);
	curl_slist_free_all(headers);
	curl_easy_cleanup(exchange->curl);
	buffer_byte(&exchange->answer, '\0');
	free(url);
	free(path);
	return result == CURLE_OK ? 0 : error_set(err, EX_TEMPFAIL, "%s: %s", bucket->origin, *reason ? reason : curl_easy_strerror(result));
}

/* Reads all of stdin to a file that has no name, and finds its SHA-256. */
static int
s3_read_body(struct exchange *exchange, struct error *err)
{
	unsigned char block[BLOCK], hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	size_t got;

	exchange->body = tmpfile();
	if (!exchange->body)
		return error_errno(err, EX_CANTCREAT, "a temporary file");
	crypto_hash_sha256_init(&state);
	while ((got = fread(block, 1, sizeof block, stdin)) > 0) {
		crypto_hash_sha256_update(&state, block, got);
		exchange->size += (curl_off_t)got;
		if (fwrite(block, 1, got, exchange->body) != got)
			return error_errno(err, EX_IOERR, "a temporary file");
	}
	if (ferror(stdin))
		return error_errno(err, EX_IOERR, "standard input");
	if (fflush(exchange->body) != 0 || fseek(exchange->body, 0, SEEK_SET) != 0)
		return error_errno(err, EX_IOERR, "a temporary file");
	crypto_hash_sha256_final(&state, hash);
	sodium_bin2hex(exchange->sum, sizeof exchange->sum, hash, sizeof hash);
	return 0;
}

/* Does what concerns one key. Returns the exit code of has, else 0; or -1. */
static int
s3_act(const struct bucket *bucket, const char *verb, const char *key, struct error *err)
{
	static const struct {
		const char *verb, *method;
	} methods[] = {{"put", "PUT"}, {"get", "GET"}, {"has", "HEAD"}, {"delete", "DELETE"}};
	struct exchange exchange = {.key = key};
	int result = 0;

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcmp(verb, methods[i].verb) == 0)
			exchange.method = methods[i].method;
	if (strcmp(verb, "get") == 0)
		exchange.to = stdout;
	if (strcmp(verb, "put") == 0)
		result = s3_read_body(&exchange, err);
	if (result == 0)
		result = s3_send(bucket, &exchange, err);
	if (result == 0 && exchange.status == 404 && strcmp(verb, "has") == 0)
		result = EX_NO;
	else if (result == 0 && exchange.status / 100 != 2 && (exchange.status != 404 || strcmp(verb, "delete") != 0))
		result = s3_refused(&exchange, bucket->path, err);
	if (exchange.body)
		fclose(exchange.body);
	buffer_release(&exchange.answer);
	return result;
}

/* Returns the text between the first <NAME> at or behind *at and its end, and moves *at behind it; NULL where there is none. */
static char *
s3_element(const char **at, const char *name)
{
	char *begin = memory_printf("<%s>", name), *end = memory_printf("</%s>", name), *text = NULL;
	const char *from = strstr(*at, begin), *to = from ? strstr(from, end) : NULL;

	if (to) {
		from += strlen(begin);
		text = memory_substring(from, (size_t)(to - from));
		*at = to + strlen(end);
	}
	free(end);
	free(begin);
	return text;
}

/* Prints the keys of a page that are in our folder, without that. */
static void
s3_print_keys(const char *answer, const char *folder)
{
	char *key;

	while ((key = s3_element(&answer, "Key"))) {
		const char *name = strncmp(key, folder, strlen(folder)) == 0 ? key + strlen(folder) : "";

		if (name_is_valid(name))
			puts(name);
		free(key);
	}
}

/* Returns where the next page begins, encoded; NULL: there is none. */
static char *
s3_next_page(const char *answer)
{
	char *token = s3_element(&answer, "NextContinuationToken"), *encoded, *copy;

	if (!token)
		return NULL;
	encoded = curl_easy_escape(NULL, token, 0);
	copy = memory_string(encoded);
	curl_free(encoded);
	free(token);
	return copy;
}

static int
s3_list(struct bucket *bucket, struct error *err)
{
	char *inside = strchr(bucket->path + 1, '/'), *folder = inside ? memory_printf("%s/", inside + 1) : memory_string(""), *page = NULL;
	char *prefix = curl_easy_escape(NULL, folder, 0);
	int result;

	if (inside)
		*inside = '\0';
	do {
		char *query = memory_printf("%s%s%slist-type=2&prefix=%s", page ? "continuation-token=" : "", page ? page : "",
		    page ? "&" : "", prefix);
		struct exchange exchange = {.method = "GET", .query = query};

		free(page);
		page = NULL;
		result = s3_send(bucket, &exchange, err);
		if (result == 0 && exchange.status != 200)
			result = s3_refused(&exchange, bucket->path, err);
		if (result == 0) {
			s3_print_keys(exchange.answer.data, folder);
			page = s3_next_page(exchange.answer.data);
		}
		buffer_release(&exchange.answer);
		free(query);
	} while (result == 0 && page);
	curl_free(prefix);
	free(folder);
	return result;
}

int
main(int argc, char **argv)
{
	struct bucket bucket = {.signer = {.service = "s3"}};
	const char *verb, *key;
	struct error err;
	bool lists;
	int result;

	argv += option_parse(&command, argc, argv);
	for (int i = 0; i < 4; i++)
		if (!argv[i])
			return option_misuse(&command, "expected KEYFILE REGION URL and what to do");
	verb = argv[3];
	key = argv[4];
	lists = strcmp(verb, "list") == 0;
	if (!lists && strcmp(verb, "put") != 0 && strcmp(verb, "get") != 0 && strcmp(verb, "has") != 0 && strcmp(verb, "delete") != 0)
		return option_misuse(&command, "expected put, get, has, list or delete");
	if (lists ? key != NULL : !key || argv[5] || !name_is_valid(key))
		return option_misuse(&command, "expected one KEY, and none for list");

	curl_global_init(CURL_GLOBAL_DEFAULT);
	bucket.signer.region = argv[1];
	result = s3_read_key(argv[0], &bucket, &err) < 0 || s3_read_url(argv[2], &bucket, &err) < 0 ? -1 : 0;
	confine_client(P_tmpdir);
	if (result == 0)
		result = lists ? s3_list(&bucket, &err) : s3_act(&bucket, verb, key, &err);

	if (bucket.key.data)
		sodium_memzero(bucket.key.data, bucket.key.length);
	buffer_release(&bucket.key);
	free(bucket.host);
	free(bucket.origin);
	free(bucket.path);
	curl_global_cleanup();
	return message_end(result < 0 ? message_error(&err) : result);
}
