/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/signing-key.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/pkcs12.h>
#include <gnutls/x509.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

enum { KEY_BYTES = 64 * 1024, MD5_BYTES = 16 };

/* Imports PEM, which GnuTLS takes in all its forms but OpenSSH's own. */
static int
signing_key_import_pem(gnutls_x509_privkey_t key, const char *text, const char *password, struct error *err)
{
	const gnutls_datum_t datum = {(unsigned char *)text, (unsigned)strlen(text)};
	int status;

	if (strstr(text, "-----BEGIN OPENSSH PRIVATE KEY-----"))
		return error_set(err, EX_CONFIG, "the private key is in the format of OpenSSH; convert a copy of its file with ssh-keygen -p -m PEM -N '' -f FILE");
	status = gnutls_x509_privkey_import2(key, &datum, GNUTLS_X509_FMT_PEM, password, password ? 0 : GNUTLS_PKCS_PLAIN);
	return status >= 0 ? 0 : error_set(err, EX_CONFIG, "the private key cannot be read: %s", gnutls_strerror(status));
}

/* Imports PKCS#12, whose key is in one of its bags. */
static int
signing_key_import_pkcs12(gnutls_x509_privkey_t key, const char *text, const char *password, struct error *err)
{
	unsigned char *bytes = memory_zeroed(strlen(text) + 1, 1);
	size_t length = 0;
	int status = GNUTLS_E_BASE64_DECODING_ERROR;

	if (sodium_base642bin(bytes, strlen(text), text, strlen(text), " \r\n", &length, NULL, sodium_base64_VARIANT_ORIGINAL) == 0) {
		const gnutls_datum_t datum = {bytes, (unsigned)length};

		status = gnutls_x509_privkey_import2(key, &datum, GNUTLS_X509_FMT_DER, password, password ? 0 : GNUTLS_PKCS_PLAIN);
	}
	sodium_memzero(bytes, length);
	free(bytes);
	return status >= 0 ? 0 : error_set(err, EX_CONFIG, "the private key is neither PEM nor PKCS#12 in base64: %s", gnutls_strerror(status));
}

/* Returns the key of the text, for gnutls_privkey_deinit. NULL with an error. */
static gnutls_privkey_t
signing_key_open(const char *text, const char *password, struct error *err)
{
	gnutls_x509_privkey_t key;
	gnutls_privkey_t abstract = NULL;
	int result, status;

	if (strlen(text) > KEY_BYTES) {
		error_set(err, EX_CONFIG, "the private key is longer than %d bytes", KEY_BYTES);
		return NULL;
	}
	if (gnutls_x509_privkey_init(&key) < 0) {
		error_set(err, EX_OSERR, "GnuTLS has no memory");
		return NULL;
	}
	result = strstr(text, "-----BEGIN ") ? signing_key_import_pem(key, text, password, err) : signing_key_import_pkcs12(key, text, password, err);
	if (result == 0 && gnutls_privkey_init(&abstract) < 0) {
		error_set(err, EX_OSERR, "GnuTLS has no memory");
	} else if (result == 0 && (status = gnutls_privkey_import_x509(abstract, key, GNUTLS_PRIVKEY_IMPORT_COPY)) < 0) {
		error_set(err, EX_CONFIG, "the private key cannot be used: %s", gnutls_strerror(status));
		gnutls_privkey_deinit(abstract);
		abstract = NULL;
	}
	gnutls_x509_privkey_deinit(key);
	return abstract;
}

static int
signing_key_kind(gnutls_privkey_t key, enum signing_kind *kind, struct error *err)
{
	int algorithm = gnutls_privkey_get_pk_algorithm(key, NULL);

	*kind = algorithm == GNUTLS_PK_RSA ? SIGNING_RSA : SIGNING_ECDSA;
	return algorithm == GNUTLS_PK_RSA || algorithm == GNUTLS_PK_ECDSA ? 0
	    : error_set(err, EX_CONFIG, "the private key is %s, and not RSA or ECDSA", gnutls_pk_algorithm_get_name((gnutls_pk_algorithm_t)algorithm));
}

int
signing_key_sign(const char *text, const char *password, const void *bytes, size_t length, struct buffer *signature, struct error *err)
{
	const gnutls_datum_t datum = {(unsigned char *)bytes, (unsigned)length};
	gnutls_privkey_t key = signing_key_open(text, password, err);
	gnutls_datum_t made = {0};
	enum signing_kind kind;
	int status, result = key ? signing_key_kind(key, &kind, err) : -1;

	if (result == 0) {
		status = gnutls_privkey_sign_data2(key, kind == SIGNING_RSA ? GNUTLS_SIGN_RSA_SHA256 : GNUTLS_SIGN_ECDSA_SHA256, 0, &datum, &made);
		if (status < 0)
			result = error_set(err, EX_CONFIG, "the private key does not sign: %s", gnutls_strerror(status));
		else
			buffer_append(signature, made.data, made.size);
		gnutls_free(made.data);
	}
	if (key)
		gnutls_privkey_deinit(key);
	return result;
}

/* --- the fingerprint of its public half, as ssh names that --- */

static void
signing_key_add_string(struct buffer *blob, const void *bytes, size_t length)
{
	const unsigned char size[] = {(unsigned char)(length >> 24), (unsigned char)(length >> 16), (unsigned char)(length >> 8), (unsigned char)length};

	buffer_append(blob, size, sizeof size);
	buffer_append(blob, bytes, length);
}

/* Appends the public half as it is in the base64 of a file for ssh. */
static int
signing_key_add_public(gnutls_privkey_t key, enum signing_kind kind, struct buffer *blob, struct error *err)
{
	static const struct {
		gnutls_ecc_curve_t curve;
		const char *name;
		size_t bytes;
	} curves[] = {{GNUTLS_ECC_CURVE_SECP256R1, "nistp256", 32}, {GNUTLS_ECC_CURVE_SECP384R1, "nistp384", 48}, {GNUTLS_ECC_CURVE_SECP521R1, "nistp521", 66}};
	gnutls_datum_t one = {0}, two = {0};
	gnutls_ecc_curve_t curve = GNUTLS_ECC_CURVE_INVALID;
	int result = -1;

	if (kind == SIGNING_RSA && gnutls_privkey_export_rsa_raw2(key, &two, &one, NULL, NULL, NULL, NULL, NULL, NULL, 0) >= 0) {
		signing_key_add_string(blob, "ssh-rsa", strlen("ssh-rsa"));
		signing_key_add_string(blob, one.data, one.size);
		signing_key_add_string(blob, two.data, two.size);
		result = 0;
	} else if (kind == SIGNING_ECDSA && gnutls_privkey_export_ecc_raw2(key, &curve, &one, &two, NULL, GNUTLS_EXPORT_FLAG_NO_LZ) >= 0) {
		for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
			unsigned char point[1 + 2 * 66] = {4};
			char *type = memory_printf("ecdsa-sha2-%s", curves[i].name);

			if (curves[i].curve == curve && one.size <= curves[i].bytes && two.size <= curves[i].bytes) {
				memcpy(point + 1 + curves[i].bytes - one.size, one.data, one.size);
				memcpy(point + 1 + 2 * curves[i].bytes - two.size, two.data, two.size);
				signing_key_add_string(blob, type, strlen(type));
				signing_key_add_string(blob, curves[i].name, strlen(curves[i].name));
				signing_key_add_string(blob, point, 1 + 2 * curves[i].bytes);
				result = 0;
			}
			free(type);
		}
	}
	gnutls_free(one.data);
	gnutls_free(two.data);
	return result == 0 ? 0 : error_set(err, EX_CONFIG, "the private key is on a curve that ssh does not have");
}

int
signing_key_examine(const char *text, const char *password, enum signing_kind *kind, struct buffer *fingerprint, struct error *err)
{
	gnutls_privkey_t key = signing_key_open(text, password, err);
	struct buffer blob = {0};
	unsigned char sum[MD5_BYTES];
	int result = key ? signing_key_kind(key, kind, err) : -1;

	if (result == 0 && fingerprint) {
		result = signing_key_add_public(key, *kind, &blob, err);
		/* A name of the key that nothing rests on: MD5 does for that, also where a policy forbids it for more. */
		GNUTLS_FIPS140_SET_LAX_MODE();
		if (result == 0 && gnutls_hash_fast(GNUTLS_DIG_MD5, blob.data, blob.length, sum) < 0)
			result = error_set(err, EX_CONFIG, "GnuTLS has no MD5 here, by which the cloud names keys");
		GNUTLS_FIPS140_SET_STRICT_MODE();
		for (size_t i = 0; result == 0 && i < sizeof sum; i++)
			buffer_printf(fingerprint, "%s%02x", i ? ":" : "", sum[i]);
	}
	buffer_release(&blob);
	if (key)
		gnutls_privkey_deinit(key);
	return result;
}
