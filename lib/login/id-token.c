/* SPDX-License-Identifier: Apache-2.0 */
#include "login/id-token.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

enum { TOKEN_RSA_BITS = 2048, TOKEN_HALF = 32 /* bytes of each half of an ES256 signature, and of a coordinate */, TOKEN_SKEW_S = 60 };

struct part { /* zero-initialise; release it */
	unsigned char *bytes;
	size_t length;
};

/* Decodes base64url without padding. */
static bool
part_decode(struct part *part, const char *text, size_t length)
{
	part->bytes = memory_zeroed(length + 1, 1);
	return sodium_base642bin(part->bytes, length, text, length, NULL, &part->length, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
	    part->length > 0;
}

/* Decodes a member of a key. */
static bool
part_decode_member(struct part *part, jv key, const char *name)
{
	char *text = json_get_string(key, name);
	bool decoded = text && part_decode(part, text, strlen(text));

	free(text);
	return decoded;
}

static gnutls_datum_t
part_datum(const struct part *part)
{
	return (gnutls_datum_t){part->bytes, (unsigned)part->length};
}

/* Returns whether a member is absent, or the text. */
static bool
id_token_may_be(jv object, const char *name, const char *text)
{
	jv member = json_get(object, name);
	bool may = !jv_is_valid(member) || (json_string(member) && strcmp(json_string(member), text) == 0);

	jv_free(member);
	return may;
}

static bool
id_token_is(jv object, const char *name, const char *text)
{
	char *member = json_get_string(object, name);
	bool is = member && text && strcmp(member, text) == 0;

	free(member);
	return is;
}

/* Makes a key for GnuTLS of one for RSA. */
static bool
id_token_import_rsa(gnutls_pubkey_t key, jv web_key)
{
	struct part modulus = {0}, exponent = {0};
	bool imported = part_decode_member(&modulus, web_key, "n") && part_decode_member(&exponent, web_key, "e");
	gnutls_datum_t m = part_datum(&modulus), e = part_datum(&exponent);
	unsigned bits = 0;

	imported = imported && gnutls_pubkey_import_rsa_raw(key, &m, &e) == 0 && gnutls_pubkey_get_pk_algorithm(key, &bits) == GNUTLS_PK_RSA &&
	    bits >= TOKEN_RSA_BITS;
	free(modulus.bytes);
	free(exponent.bytes);
	return imported;
}

/* The same of one on the curve P-256. */
static bool
id_token_import_ec(gnutls_pubkey_t key, jv web_key)
{
	struct part left = {0}, right = {0};
	bool imported = id_token_is(web_key, "crv", "P-256") && part_decode_member(&left, web_key, "x") &&
	    part_decode_member(&right, web_key, "y") && left.length == TOKEN_HALF && right.length == TOKEN_HALF;
	gnutls_datum_t x = part_datum(&left), y = part_datum(&right);

	imported = imported && gnutls_pubkey_import_ecc_raw(key, GNUTLS_ECC_CURVE_SECP256R1, &x, &y) == 0;
	free(left.bytes);
	free(right.bytes);
	return imported;
}

/* Returns whether the signature of the text is right. */
static bool
id_token_verify(gnutls_pubkey_t key, bool is_rsa, const char *text, size_t length, const struct part *signature)
{
	gnutls_datum_t signed_text = {(unsigned char *)text, (unsigned)length}, given = part_datum(signature), encoded = {0};
	gnutls_datum_t r = {signature->bytes, TOKEN_HALF}, s = {signature->bytes + TOKEN_HALF, TOKEN_HALF};
	bool right;

	if (is_rsa)
		return gnutls_pubkey_verify_data2(key, GNUTLS_SIGN_RSA_SHA256, 0, &signed_text, &given) >= 0;
	if (signature->length != (size_t)2 * TOKEN_HALF || gnutls_encode_rs_value(&encoded, &r, &s) < 0)
		return false;
	right = gnutls_pubkey_verify_data2(key, GNUTLS_SIGN_ECDSA_SHA256, 0, &signed_text, &encoded) >= 0;
	gnutls_free(encoded.data);
	return right;
}

/* Returns whether the token is signed with that key. */
static bool
id_token_is_signed_with(jv web_key, bool is_rsa, const char *text, size_t length, const struct part *signature)
{
	gnutls_pubkey_t key;
	bool is = false;

	if (gnutls_pubkey_init(&key) < 0)
		return false;
	if (is_rsa ? id_token_import_rsa(key, web_key) : id_token_import_ec(key, web_key))
		is = id_token_verify(key, is_rsa, text, length, signature);
	gnutls_pubkey_deinit(key);
	return is;
}

/* Returns whether one of the keys that may be meant, by its id and what it is for, has signed. The token does not choose more than between
 * RS256 and ES256, and the key has to be of that kind. */
static bool
id_token_is_signed(jv header, jv keys, const char *text, size_t length, const struct part *signature)
{
	bool is_rsa = id_token_is(header, "alg", "RS256"), is_signed = false;
	char *id = json_get_string(header, "kid");
	jv list = json_get(keys, "keys"), critical = json_get(header, "crit");

	if ((is_rsa || id_token_is(header, "alg", "ES256")) && !jv_is_valid(critical))
		for (size_t i = 0; i < json_length(list) && !is_signed; i++) {
			jv key = json_element(list, i);

			is_signed = id_token_is(key, "kty", is_rsa ? "RSA" : "EC") && (!id || id_token_is(key, "kid", id)) &&
			    id_token_may_be(key, "use", "sig") && id_token_may_be(key, "alg", is_rsa ? "RS256" : "ES256") &&
			    id_token_is_signed_with(key, is_rsa, text, length, signature);
			jv_free(key);
		}
	jv_free(critical);
	jv_free(list);
	free(id);
	return is_signed;
}

/* Decodes a part that is an object of JSON. */
static bool
id_token_parse(const char *text, size_t length, jv *object)
{
	struct part part = {0};
	struct error ignored; /* it is malformed */
	bool parsed = part_decode(&part, text, length) && json_parse("the ID token", (char *)part.bytes, part.length, object, &ignored) == 0;

	free(part.bytes);
	return parsed && jv_get_kind(*object) == JV_KIND_OBJECT;
}

int
id_token_open(const char *token, jv keys, jv *claims, struct error *err)
{
	size_t header_length = strcspn(token, "."), claims_at = header_length + (token[header_length] == '.');
	size_t claims_length = strcspn(token + claims_at, "."), signed_length = claims_at + claims_length;
	const char *rest = token[signed_length] == '.' ? token + signed_length + 1 : "";
	struct part signature = {0};
	jv header = jv_null();
	bool is_signed;

	*claims = jv_null();
	is_signed = id_token_parse(token, header_length, &header) && part_decode(&signature, rest, strlen(rest)) &&
	    id_token_is_signed(header, keys, token, signed_length, &signature) && id_token_parse(token + claims_at, claims_length, claims);
	free(signature.bytes);
	jv_free(header);
	return is_signed ? 0 : error_set(err, EX_NOPERM, "the ID token is not signed with a key of the provider, by RS256 or ES256");
}

/* Returns whether the token is for the client: alone, or as the party that it was given to. */
static bool
id_token_is_for(jv claims, const char *client)
{
	jv audience = json_get(claims, "aud"), party = json_get(claims, "azp");
	bool is_list = jv_get_kind(audience) == JV_KIND_ARRAY, is;

	is = is_list ? json_array_has(audience, NULL, client) : json_string(audience) && strcmp(json_string(audience), client) == 0;
	if (jv_is_valid(party) ? !json_string(party) || strcmp(json_string(party), client) != 0 : is_list && json_length(audience) > 1)
		is = false;
	jv_free(party);
	jv_free(audience);
	return is;
}

/* OpenID Connect Core, section 3.1.3.7. */
int
id_token_check(jv claims, const struct id_token_use *use, struct error *err)
{
	double now_s = (double)clock_wall_ms() / 1000;
	char *subject = json_get_string(claims, "sub");
	const char *wrong = NULL;

	if (!id_token_is(claims, "iss", use->issuer))
		wrong = "of another issuer";
	else if (!id_token_is_for(claims, use->client))
		wrong = "for another client";
	else if (json_get_number(claims, "exp", 0) <= now_s - TOKEN_SKEW_S)
		wrong = "not valid any more";
	else if (json_get_number(claims, "iat", now_s) > now_s + TOKEN_SKEW_S || json_get_number(claims, "nbf", 0) > now_s + TOKEN_SKEW_S)
		wrong = "not valid yet; compare the clocks";
	else if (!id_token_is(claims, "nonce", use->nonce))
		wrong = "of another login";
	else if (!subject || !*subject)
		wrong = "of nobody";
	free(subject);
	return wrong ? error_set(err, EX_NOPERM, "the ID token is %s", wrong) : 0;
}
