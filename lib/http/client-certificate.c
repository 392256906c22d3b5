/* SPDX-License-Identifier: Apache-2.0 */
#include "http/client-certificate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "http/exchange.h"

enum { AUTHORITY_BYTES = 8 << 20, CLIENT_CHAIN = 8, CLIENT_NAME_SIZE = 256 };

struct client_authority {
	char *path, *revoked_path; /* the latter may be NULL */
	struct buffer text;
	gnutls_x509_trust_list_t trusted;
};

static void
client_authority_forget(struct client_authority *authority)
{
	buffer_release(&authority->text);
	if (authority->trusted)
		gnutls_x509_trust_list_deinit(authority->trusted, 1);
	authority->trusted = NULL;
}

/* Adds the certificates, or the lists of revoked ones, of a text. */
static int
client_authority_add(gnutls_x509_trust_list_t list, const char *path, const struct buffer *text, bool revoked, struct error *err)
{
	gnutls_datum_t pem = {(unsigned char *)text->data, (unsigned)text->length};
	int count = gnutls_x509_trust_list_add_trust_mem(list, revoked ? NULL : &pem, revoked ? &pem : NULL, GNUTLS_X509_FMT_PEM, 0, 0);

	return count > 0 ? 0 : error_set(err, EX_DATAERR, "%s: there is no %s in PEM%s%s", path,
	    revoked ? "list of revoked certificates" : "certificate", count < 0 ? ": " : "", count < 0 ? gnutls_strerror(count) : "");
}

static int
client_authority_read(struct client_authority *authority, struct error *err)
{
	struct buffer revoked = {0};
	int result = file_read(AT_FDCWD, authority->path, AUTHORITY_BYTES, &authority->text, err);

	if (result == 0 && gnutls_x509_trust_list_init(&authority->trusted, 0) < 0)
		result = error_set(err, EX_OSERR, "there is no memory for certificates");
	if (result == 0)
		result = client_authority_add(authority->trusted, authority->path, &authority->text, false, err);
	if (result == 0 && authority->revoked_path)
		result = file_read(AT_FDCWD, authority->revoked_path, AUTHORITY_BYTES, &revoked, err);
	if (result == 0 && authority->revoked_path)
		result = client_authority_add(authority->trusted, authority->revoked_path, &revoked, true, err);
	buffer_release(&revoked);
	return result;
}

int
client_authority_open(struct client_authority **out, const char *path, const char *revoked_path, struct error *err)
{
	struct client_authority *authority = memory_zeroed(1, sizeof *authority);

	authority->path = memory_string(path);
	authority->revoked_path = revoked_path ? memory_string(revoked_path) : NULL;
	if (client_authority_read(authority, err) < 0) {
		client_authority_release(authority);
		return -1;
	}
	*out = authority;
	return 0;
}

int
client_authority_reload(struct client_authority *authority, struct error *err)
{
	struct client_authority read = {.path = authority->path, .revoked_path = authority->revoked_path};

	if (client_authority_read(&read, err) < 0) {
		client_authority_forget(&read);
		return -1;
	}
	client_authority_forget(authority);
	*authority = read;
	return 0;
}

const char *
client_authority_text(const struct client_authority *authority)
{
	return buffer_string(&authority->text);
}

/* Returns the one common name of the subject, in the exchange's arena; NULL where there is none, or more than one, or it is no text. */
static const char *
client_certificate_name(gnutls_x509_crt_t certificate, struct http_exchange *exchange)
{
	char name[CLIENT_NAME_SIZE], other[CLIENT_NAME_SIZE];
	size_t size = sizeof name, other_size = sizeof other;

	if (gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &size) != 0 || strlen(name) != size ||
	    gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 1, 0, other, &other_size) !=
	        GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
		return NULL;
	return arena_string(&exchange->arena, name);
}

/* Tells why a certificate is not believed. */
static void
client_certificate_refuse(unsigned status, struct http_exchange *exchange)
{
	gnutls_datum_t why;

	exchange->certificate_reason = "its subject has no common name, or several";
	if (status && gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &why, 0) == 0) {
		exchange->certificate_reason = arena_string(&exchange->arena, (char *)why.data);
		gnutls_free(why.data);
	}
}

/* Looks at each request: a list of revoked ones may have been read meanwhile, and time goes on. */
void
client_certificate_look(const struct client_authority *authority, void *session, struct http_exchange *exchange)
{
	gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};
	gnutls_x509_crt_t chain[CLIENT_CHAIN];
	unsigned given = 0, count, status = GNUTLS_CERT_INVALID;
	const gnutls_datum_t *shown = gnutls_certificate_get_peers(session, &given);

	for (count = 0; count < given && count < CLIENT_CHAIN; count++) {
		if (gnutls_x509_crt_init(&chain[count]) < 0)
			break;
		if (gnutls_x509_crt_import(chain[count], &shown[count], GNUTLS_X509_FMT_DER) < 0) {
			gnutls_x509_crt_deinit(chain[count]);
			break;
		}
	}
	if (count == given && count > 0 &&
	    gnutls_x509_trust_list_verify_crt2(authority->trusted, chain, count, &purpose, 1, 0, &status, NULL) < 0)
		status = GNUTLS_CERT_INVALID;
	if (given > 0 && status == 0)
		exchange->certificate_name = client_certificate_name(chain[0], exchange);
	if (given > 0 && !exchange->certificate_name)
		client_certificate_refuse(status, exchange);
	while (count-- > 0)
		gnutls_x509_crt_deinit(chain[count]);
}

void
client_authority_release(struct client_authority *authority)
{
	if (!authority)
		return;
	client_authority_forget(authority);
	free(authority->path);
	free(authority->revoked_path);
	free(authority);
}
