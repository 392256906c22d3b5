/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/joyent/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/fields.h"
#include "cloud/signing-key.h"

enum { KEY_SHORTEST = 128 };

static void
jo_read_key(struct cloud *cloud, struct jo_account *account, const char *user)
{
	const char *field = fields_given(cloud, "api_key") ? "api_key" : "ssh_key_resource", *name = cloud_field(cloud, "ssh_keypair");
	struct buffer fingerprint = {0};
	enum signing_kind kind = SIGNING_RSA;
	struct error err = {.code = 0};
	char *escaped;

	account->key = cloud_field(cloud, field);
	if (!account->key && fields_given(cloud, "api_password")) {
		fields_problem(cloud, "api_key", "is required: CloudAPI takes no passwords since version 8; add a key for ssh to the account, and put its private half into a secret");
	} else if (!account->key) {
		fields_require(cloud, "api_key", "a private key that the account has");
	} else if (!strstr(account->key, "-----BEGIN ") && strlen(account->key) < KEY_SHORTEST) {
		fields_problem(cloud, field, "is the name of a resource of Coopr; put that file into a secret (coopr secret set %s <FILE), and write "
		    "{\"secret\": \"%s\"} here", account->key, account->key);
	} else if (signing_key_examine(account->key, NULL, &kind, &fingerprint, &err) < 0) {
		fields_problem(cloud, field, "%s", err.text);
	}
	account->algorithm = kind == SIGNING_RSA ? "rsa-sha256" : "ecdsa-sha256";
	escaped = client_escape(user);
	account->path = arena_printf(&cloud->arena, "/%s", escaped);
	account->key_id = arena_printf(&cloud->arena, "/%s/keys/%s", user, name ? name : buffer_string(&fingerprint));
	if (account->key_id[strcspn(account->key_id, "\"\\\r\n")])
		fields_problem(cloud, name ? "ssh_keypair" : "api_user", "has a character that cannot be in a header");
	free(escaped);
	buffer_release(&fingerprint);
}

void
jo_open(struct cloud *cloud, struct client_settings *settings)
{
	struct jo_account *account = memory_zeroed(1, sizeof *account);
	const char *user = cloud_field(cloud, "api_user"), *url = cloud_field(cloud, "joyent_api_url"), *version = cloud_field(cloud, "joyent_version");

	(void)settings;
	cloud->state = account;
	fields_require(cloud, "api_user", "the name of the account");
	jo_read_key(cloud, account, user ? user : "");
	url = url ? url : "https://us-east-1.api.joyent.com";
	account->url = arena_substring(&cloud->arena, url, strlen(url) - (*url && url[strlen(url) - 1] == '/'));
	account->version = arena_printf(&cloud->arena, "Accept-Version: %s", version ? version : "~8||~7");
	account->public_key = cloud_field(cloud, "public_key");
	account->networks = fields_words(cloud, "networks");
}
