/* SPDX-License-Identifier: Apache-2.0 */
#include "content/signature.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/process.h"
#include "content/content.h"

enum { SIGNATURE_SUM = crypto_auth_hmacsha256_BYTES, SIGNATURE_HEX = 2 * SIGNATURE_SUM + 1, SIGNATURE_TIME = 17, SIGNATURE_DAY = 9 };

static void
signature_hmac(const void *key, size_t length, const char *text, unsigned char sum[static SIGNATURE_SUM])
{
	crypto_auth_hmacsha256_state state;

	crypto_auth_hmacsha256_init(&state, key, length);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)text, strlen(text));
	crypto_auth_hmacsha256_final(&state, sum);
}

/* Derives the key of a day, a region and a service from the secret. */
static void
signature_derive(const struct signature_signer *signer, const char *day, unsigned char key[static SIGNATURE_SUM])
{
	const char *const parts[] = {signer->region, signer->service, "aws4_request"};
	char *secret = memory_printf("AWS4%s", signer->secret);

	signature_hmac(secret, strlen(secret), day, key);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		signature_hmac(key, SIGNATURE_SUM, parts[i], key);
	sodium_memzero(secret, strlen(secret));
	free(secret);
}

void
signature_add(const struct signature_signer *signer, const struct signature_request *request, int64_t at_ms, struct arguments *headers)
{
	char now[SIGNATURE_TIME], day[SIGNATURE_DAY], digest[CONTENT_DIGEST_SIZE], hex[SIGNATURE_HEX];
	const char *names = signer->token ? "host;x-amz-content-sha256;x-amz-date;x-amz-security-token" : "host;x-amz-content-sha256;x-amz-date";
	unsigned char key[SIGNATURE_SUM], sum[SIGNATURE_SUM];
	struct buffer canonical = {0};
	time_t seconds = (time_t)(at_ms / 1000);
	struct tm tm;
	char *text;

	gmtime_r(&seconds, &tm);
	strftime(now, sizeof now, "%Y%m%dT%H%M%SZ", &tm);
	strftime(day, sizeof day, "%Y%m%d", &tm);
	buffer_printf(&canonical, "%s\n%s\n%s\nhost:%s\nx-amz-content-sha256:%s\nx-amz-date:%s\n", request->method, request->path,
	    request->query, request->host, request->sum, now);
	if (signer->token)
		buffer_printf(&canonical, "x-amz-security-token:%s\n", signer->token);
	buffer_printf(&canonical, "\n%s\n%s", names, request->sum);
	content_digest(canonical.data, canonical.length, digest);
	buffer_release(&canonical);

	text = memory_printf("AWS4-HMAC-SHA256\n%s\n%s/%s/%s/aws4_request\n%s", now, day, signer->region, signer->service, digest);
	signature_derive(signer, day, key);
	signature_hmac(key, sizeof key, text, sum);
	sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
	sodium_memzero(key, sizeof key);
	free(text);

	arguments_printf(headers, "x-amz-content-sha256: %s", request->sum);
	arguments_printf(headers, "x-amz-date: %s", now);
	if (signer->token)
		arguments_printf(headers, "x-amz-security-token: %s", signer->token);
	arguments_printf(headers, "Authorization: AWS4-HMAC-SHA256 Credential=%s/%s/%s/%s/aws4_request, SignedHeaders=%s, Signature=%s",
	    signer->id, day, signer->region, signer->service, names, hex);
}
