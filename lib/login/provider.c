/* SPDX-License-Identifier: Apache-2.0 */
#include "login/provider.h"

#include <ctype.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/process.h"
#include "json/place.h"
#include "login/group-roles.h"
#include "model/name.h"

enum { PROVIDER_BYTES = 1 << 20, PROVIDER_RANDOM = 32, PROVIDER_TEXT = 64 };

/* Refuses a file that others may read: it has a secret. */
static int
provider_check_private(const char *path, struct error *err)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return error_errno(err, EX_CONFIG, "%s", path);
	return status.st_mode & (S_IRWXG | S_IRWXO) ? error_set(err, EX_CONFIG, "%s: others may read it; use chmod 600", path) : 0;
}

/* Adds a problem where an address is none by TLS, other than one of this machine. */
static void
provider_check_address(const struct place *root, const char *name, const char *address)
{
	struct place member = place_member(root, name);

	if (address && strncmp(address, "https://", 8) != 0 && strncmp(address, "http://127.0.0.1:", 17) != 0 &&
	    strncmp(address, "http://localhost:", 17) != 0)
		place_problem(&member, "expected https://HOST, or http://localhost:PORT");
}

/* Reads the members. ca is the path of a file. */
static void
provider_take(struct provider *provider, const struct place *root)
{
	struct arena *arena = &provider->arena;
	struct place users = place_member(root, "users"), roles = place_member(root, "roles");

	provider->issuer = place_string(root, "issuer", NEED_REQUIRED, arena);
	provider->client_id = place_string(root, "client_id", NEED_REQUIRED, arena);
	provider->client_secret = place_string(root, "client_secret", NEED_OPTIONAL, arena);
	provider->redirect = place_string(root, "redirect", NEED_REQUIRED, arena);
	provider->name = place_string(root, "name", NEED_OPTIONAL, arena);
	provider->scope = place_string(root, "scope", NEED_OPTIONAL, arena);
	provider->claim = place_string(root, "claim", NEED_OPTIONAL, arena);
	provider->groups = place_string(root, "groups", NEED_OPTIONAL, arena);
	provider->ca = place_string(root, "ca", NEED_OPTIONAL, arena);
	provider_check_address(root, "issuer", provider->issuer);
	provider_check_address(root, "redirect", provider->redirect);
	if (place_object(&users, NEED_OPTIONAL)) {
		jv_free(provider->users);
		provider->users = jv_copy(users.value);
	}
	group_roles_check(&roles);
	if (place_present(&roles)) {
		jv_free(provider->roles);
		provider->roles = jv_copy(roles.value);
	}
	if (!provider->name)
		provider->name = "OpenID";
	if (!provider->scope)
		provider->scope = "openid profile email";
	if (!provider->claim)
		provider->claim = "sub";
	if (!provider->groups)
		provider->groups = "groups";
}

/* Reads the certificates in the place of their file. */
static int
provider_read_ca(struct provider *provider, struct error *err)
{
	struct buffer text = {0};
	int result = !provider->ca ? 0 : file_read(AT_FDCWD, provider->ca, PROVIDER_BYTES, &text, err);

	if (provider->ca && result == 0)
		provider->ca = arena_string(&provider->arena, buffer_string(&text));
	buffer_release(&text);
	return result;
}

int
provider_read(struct provider *provider, const char *path, struct error *err)
{
	struct problems problems = {0};
	struct place root;
	jv document;
	int result;

	*provider = (struct provider){.users = jv_object(), .roles = jv_null()};
	if (provider_check_private(path, err) < 0 || json_read_file(path, &document, err) < 0) {
		err->code = EX_CONFIG;
		return -1;
	}
	root = place_root(document, &problems);
	if (place_object(&root, NEED_REQUIRED))
		provider_take(provider, &root);
	result = problems_error(&problems, path, EX_CONFIG, err);
	problems_release(&problems);
	jv_free(document);
	return result < 0 ? -1 : provider_read_ca(provider, err);
}

int
provider_set_redirect(struct provider *provider, const char *address, struct error *err)
{
	static const char host[] = "http://127.0.0.1:";
	size_t start = sizeof host - 1, digits;

	if (!address)
		return 0;
	digits = strncmp(address, host, start) == 0 ? strspn(address + start, "0123456789") : 0;
	if (digits == 0 || digits > 5 || strcmp(address + start + digits, "/") != 0)
		return error_set(err, EX_DATAERR, "redirect: expected http://127.0.0.1:PORT/");
	provider->redirect = arena_string(&provider->arena, address);
	return 0;
}

/* Tells what the program has said: a message for people, or a record of one. */
static void
provider_tell(struct buffer *said, int code, struct error *err)
{
	char *line, *text = NULL;
	struct error ignored; /* then it is for people */
	jv record;

	line = memory_substring(buffer_string(said), strcspn(buffer_string(said), "\n"));
	if (json_parse("the message", line, strlen(line), &record, &ignored) == 0) {
		text = json_get_string(record, "text");
		jv_free(record);
	}
	error_set(err, code, "the provider: %s", text ? text : strncmp(line, "oidc: ", 6) == 0 ? line + 6 : line);
	free(text);
	free(line);
}

/* Has the program ask the provider; record is what it prints. */
static int
provider_run(jv order, jv *record, struct error *err)
{
	char *program = location_installed("libexec/coopr/oidc"), *argv[] = {program, NULL};
	struct buffer input = {0}, out = {0}, said = {0};
	int code;

	json_dump(order, &input);
	code = process_run(argv, input.data, input.length, &out, &said, PROVIDER_BYTES, err);
	if (code > 0)
		provider_tell(&said, code, err);
	if (code == 0 && json_parse("the provider", buffer_string(&out), out.length, record, err) < 0)
		code = -1;
	sodium_memzero(input.data, input.length);
	buffer_release(&input);
	buffer_release(&out);
	buffer_release(&said);
	free(program);
	return code == 0 ? 0 : -1;
}

/* Returns what the program is told in any case. */
static jv
provider_order(const struct provider *provider)
{
	jv order = jv_object();

	json_set_string(&order, "issuer", provider->issuer);
	json_set_string(&order, "client_id", provider->client_id);
	json_set_string(&order, "client_secret", provider->client_secret);
	json_set_string(&order, "redirect", provider->redirect);
	json_set_string(&order, "ca", provider->ca);
	return order;
}

static void
provider_random(char text[static PROVIDER_TEXT])
{
	unsigned char bytes[PROVIDER_RANDOM];

	randombytes_buf(bytes, sizeof bytes);
	sodium_bin2base64(text, PROVIDER_TEXT, bytes, sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static void
provider_add_parameter(struct buffer *address, const char *name, const char *value)
{
	buffer_printf(address, "%s%s=", strchr(buffer_string(address), '?') ? "&" : "?", name);
	for (; *value; value++)
		buffer_printf(address, isalnum((unsigned char)*value) || strchr("-._~", *value) ? "%c" : "%%%02X", (unsigned char)*value);
}

/* Makes the address, RFC 7636 and OpenID Connect Core, section 3.1.2.1. */
static jv
provider_make_address(const struct provider *provider, const char *endpoint)
{
	char state[PROVIDER_TEXT], nonce[PROVIDER_TEXT], verifier[PROVIDER_TEXT], challenge[PROVIDER_TEXT];
	unsigned char sum[crypto_hash_sha256_BYTES];
	struct buffer address = {0};
	jv record = jv_object();

	provider_random(state);
	provider_random(nonce);
	provider_random(verifier);
	crypto_hash_sha256(sum, (const unsigned char *)verifier, strlen(verifier));
	sodium_bin2base64(challenge, sizeof challenge, sum, sizeof sum, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	buffer_text(&address, endpoint);
	provider_add_parameter(&address, "response_type", "code");
	provider_add_parameter(&address, "client_id", provider->client_id);
	provider_add_parameter(&address, "redirect_uri", provider->redirect);
	provider_add_parameter(&address, "scope", provider->scope);
	provider_add_parameter(&address, "state", state);
	provider_add_parameter(&address, "nonce", nonce);
	provider_add_parameter(&address, "code_challenge", challenge);
	provider_add_parameter(&address, "code_challenge_method", "S256");
	json_set_string(&record, "address", buffer_string(&address));
	json_set_string(&record, "state", state);
	json_set_string(&record, "nonce", nonce);
	json_set_string(&record, "verifier", verifier);
	buffer_release(&address);
	return record;
}

int
provider_begin(const struct provider *provider, jv *record, struct error *err)
{
	jv order = provider_order(provider), found = jv_null();
	int result = provider_run(order, &found, err);
	char *endpoint = json_get_string(found, "authorization_endpoint");

	*record = jv_null();
	if (result == 0 && !endpoint)
		result = error_set(err, EX_UNAVAILABLE, "the provider: it does not say where one logs in");
	if (result == 0)
		*record = provider_make_address(provider, endpoint);
	free(endpoint);
	jv_free(found);
	jv_free(order);
	return result;
}

/* Finds the user of the claims. An address of e-mail counts where the provider has verified it. */
static char *
provider_user(const struct provider *provider, jv claims)
{
	char *value = json_get_string(claims, provider->claim), *user;
	bool counts = value && (strcmp(provider->claim, "email") != 0 || json_is(claims, "email_verified", JV_KIND_TRUE));

	user = !counts ? NULL : json_length(provider->users) ? json_get_string(provider->users, value) : memory_string(value);
	free(value);
	if (user && !name_is_valid(user)) {
		free(user);
		user = NULL;
	}
	return user;
}

int
provider_ask(const struct provider *provider, const struct provider_answer *answer, struct provider_person *person, struct error *err)
{
	jv order = provider_order(provider), claims = jv_null(), groups;
	int result;

	*person = (struct provider_person){.roles = jv_null()};
	json_set_string(&order, "code", answer->code);
	json_set_string(&order, "verifier", answer->verifier);
	json_set_string(&order, "nonce", answer->nonce);
	result = provider_run(order, &claims, err);
	if (result == 0 && !(person->user = provider_user(provider, claims)))
		result = error_set(err, EX_NOPERM, "the provider: its %s names no user of this installation", provider->claim);
	if (result == 0 && jv_get_kind(provider->roles) == JV_KIND_OBJECT) {
		groups = json_get(claims, provider->groups);
		person->roles = group_roles_of(provider->roles, groups);
		jv_free(groups);
	}
	jv_free(claims);
	jv_free(order);
	return result;
}

void
provider_person_release(struct provider_person *person)
{
	free(person->user);
	jv_free(person->roles);
}

void
provider_release(struct provider *provider)
{
	arena_release(&provider->arena);
	jv_free(provider->users);
	jv_free(provider->roles);
}
