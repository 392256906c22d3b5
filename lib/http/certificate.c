/* SPDX-License-Identifier: Apache-2.0 */
#include "http/certificate.h"

#include <fcntl.h>
#include <stdlib.h>

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "http/certificate-use.h"

enum { CERTIFICATE_CHAIN = 8, CERTIFICATE_MAX = 1 << 20 };

struct certificate {
	char *chain_path, *key_path;
	gnutls_pcert_st chain[CERTIFICATE_CHAIN];
	unsigned count;
	bool is_self_signed;
	gnutls_privkey_t key;
	struct certificate *former; /* what was read before: a connection may still be about to use it */
};

static struct certificate *shown; /* GnuTLS asks for it without saying of which listener */

static void
certificate_forget(struct certificate *certificate)
{
	for (unsigned i = 0; i < certificate->count; i++)
		gnutls_pcert_deinit(&certificate->chain[i]);
	certificate->count = 0;
	if (certificate->key)
		gnutls_privkey_deinit(certificate->key);
	certificate->key = NULL;
}

/* Reads a file of PEM into the memory of GnuTLS. */
static int
certificate_read_file(const char *path, struct buffer *text, gnutls_datum_t *pem, struct error *err)
{
	if (file_read(AT_FDCWD, path, CERTIFICATE_MAX, text, err) < 0)
		return -1;
	*pem = (gnutls_datum_t){(unsigned char *)text->data, (unsigned)text->length};
	return 0;
}

static int
certificate_read_chain(struct certificate *certificate, struct error *err)
{
	struct buffer text = {0};
	gnutls_datum_t pem;
	int result = certificate_read_file(certificate->chain_path, &text, &pem, err), code;

	certificate->count = CERTIFICATE_CHAIN;
	code = result == 0 ? gnutls_pcert_list_import_x509_raw(certificate->chain, &certificate->count, &pem, GNUTLS_X509_FMT_PEM, 0) : 0;
	if (result < 0 || code < 0)
		certificate->count = 0;
	if (code < 0)
		result = error_set(err, EX_DATAERR, "%s: is no certificate in PEM: %s", certificate->chain_path, gnutls_strerror(code));
	buffer_release(&text);
	return result;
}

static int
certificate_read_key(struct certificate *certificate, struct error *err)
{
	struct buffer text = {0};
	gnutls_datum_t pem;
	int result = certificate_read_file(certificate->key_path, &text, &pem, err), code;

	if (result == 0 && gnutls_privkey_init(&certificate->key) < 0)
		result = error_set(err, EX_OSERR, "there is no memory for a key");
	code = result == 0 ? gnutls_privkey_import_x509_raw(certificate->key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0) : 0;
	if (code < 0)
		result = error_set(err, EX_DATAERR, "%s: is no key in PEM: %s", certificate->key_path, gnutls_strerror(code));
	if (text.data)
		gnutls_memset(text.data, 0, text.length);
	buffer_release(&text);
	return result;
}

/* Returns whether the key is that of the certificate. */
static bool
certificate_fits(const struct certificate *certificate)
{
	unsigned char of_key[64], of_certificate[64];
	size_t key_size = sizeof of_key, certificate_size = sizeof of_certificate;
	gnutls_pubkey_t key;
	bool fits = false;

	if (gnutls_pubkey_init(&key) < 0)
		return false;
	if (gnutls_pubkey_import_privkey(key, certificate->key, 0, 0) == 0 &&
	    gnutls_pubkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, of_key, &key_size) == 0 &&
	    gnutls_pubkey_get_key_id(certificate->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, of_certificate, &certificate_size) == 0)
		fits = key_size == certificate_size && gnutls_memcmp(of_key, of_certificate, key_size) == 0;
	gnutls_pubkey_deinit(key);
	return fits;
}

/* Returns whether the first of the chain has signed itself. */
static bool
certificate_has_no_authority(struct certificate *certificate)
{
	gnutls_x509_crt_t first;
	bool has_none;

	if (gnutls_pcert_export_x509(&certificate->chain[0], &first) < 0)
		return true;
	has_none = gnutls_x509_crt_check_issuer(first, first);
	gnutls_x509_crt_deinit(first);
	return has_none;
}

/* Reads both files. */
static int
certificate_read(struct certificate *certificate, struct error *err)
{
	if (certificate_read_chain(certificate, err) < 0 || certificate_read_key(certificate, err) < 0)
		return -1;
	if (!certificate_fits(certificate))
		return error_set(err, EX_DATAERR, "%s: is not the key of %s", certificate->key_path, certificate->chain_path);
	certificate->is_self_signed = certificate_has_no_authority(certificate);
	return 0;
}

int
certificate_open(struct certificate **out, const char *chain_path, const char *key_path, struct error *err)
{
	struct certificate *certificate = memory_zeroed(1, sizeof *certificate);

	certificate->chain_path = memory_string(chain_path);
	certificate->key_path = memory_string(key_path);
	if (certificate_read(certificate, err) < 0) {
		certificate_release(certificate);
		return -1;
	}
	*out = shown = certificate;
	return 0;
}

int
certificate_reload(struct certificate *certificate, struct error *err)
{
	struct certificate read = {.chain_path = certificate->chain_path, .key_path = certificate->key_path};

	if (certificate_read(&read, err) < 0) {
		certificate_forget(&read);
		return -1;
	}
	read.former = memory_zeroed(1, sizeof *read.former);
	*read.former = *certificate;
	*certificate = read;
	return 0;
}

int
certificate_show(gnutls_session_t session, const struct gnutls_cert_retr_st *asked, gnutls_pcert_st **chain, unsigned *count,
    gnutls_ocsp_data_st **ocsp, unsigned *ocsp_count, gnutls_privkey_t *key, unsigned *flags)
{
	(void)session;
	(void)asked;
	*chain = shown->chain;
	*count = shown->count;
	*key = shown->key;
	*ocsp = NULL;
	*ocsp_count = 0;
	*flags = 0;
	return 0;
}

bool
certificate_is_self_signed(const struct certificate *certificate)
{
	return certificate->is_self_signed;
}

void
certificate_release(struct certificate *certificate)
{
	if (!certificate)
		return;
	if (shown == certificate)
		shown = NULL;
	free(certificate->chain_path);
	free(certificate->key_path);
	while (certificate) {
		struct certificate *former = certificate->former;

		certificate_forget(certificate);
		free(certificate);
		certificate = former;
	}
}
