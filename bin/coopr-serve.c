/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-serve: serves the API, coopr-api(7), over HTTP on a Unix socket, until SIGTERM or SIGINT; then it takes no new connection,
 * answers the requests that it has, and exits with 0. Exits with 64 on misuse; 66 where there is no store; 71 or 73 where the socket
 * cannot be had; 75 where a server runs there; 77 where this user does not own the store, or
 * nobody could log in at an address of TCP.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "account/members.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "http/certificate.h"
#include "http/client-certificate.h"
#include "login/logins.h"
#include "login/provider.h"
#include "model/duration.h"
#include "store/store.h"
#include "web/listening.h"
#include "web/openapi.h"
#include "web/proxy.h"
#include "web/server.h"

#define SERVE_TLS_ONLY "365d"
#define SERVE_FIRST "admin" /* who logs in by --setup */

static struct listening where;
static const char *store, *chain, *key;
static struct option_list proxies;
static const char *proxy_header, *client_ca, *client_crl, *oidc;
static const char *hsts = SERVE_TLS_ONLY;
static bool describes, sets_up;
static bool no_terminal;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "openapi", &describes, "print the description of the API, and end"),
	OPTION_STRING(0, "socket", &where.path, "PATH", "serve on this Unix socket (default: coopr/serve of the runtime folder)"),
	OPTION_LIST(0, "listen", &where.addresses, "ADDRESS:PORT", "serve on this address of TCP; may be repeated"),
	OPTION_LIST(0, "provisioners", &where.provisioners, "ADDRESS:PORT", "serve provisioners of Coopr on this address of TCP; may be repeated"),
	OPTION_STRING(0, "cert", &chain, "FILE", "the certificate of TLS, with its chain (PEM)"),
	OPTION_STRING(0, "key", &key, "FILE", "its key (PEM)"),
	OPTION_STRING(0, "hsts", &hsts, "DURATION", "for so long browsers come to this host by TLS alone (default: " SERVE_TLS_ONLY ")"),
	OPTION_FLAG(0, "insecure", &where.insecure, "without TLS also where other machines can come"),
	OPTION_STRING(0, "client-ca", &client_ca, "FILE", "believe certificates of clients that these have signed (PEM)"),
	OPTION_STRING(0, "client-crl", &client_crl, "FILE", "but none that they have revoked (PEM)"),
	OPTION_FLAG(0, "setup", &sets_up, "print a link with which the first superadmin logs in"),
	OPTION_STRING(0, "oidc", &oidc, "FILE", "the OpenID provider at which one logs in, as JSON"),
	OPTION_LIST(0, "proxy", &proxies, "ADDRESS", "believe this proxy (or ADDRESS/BITS, unix:USER) from where one asks"),
	OPTION_STRING(0, "proxy-header", &proxy_header, "NAME", "and, in this header, who has logged in there"),
	OPTION_FLAG(0, "no-terminal", &no_terminal, "let no browser log in to nodes"),
	OPTION_STRING(0, "store", &store, "FILE", "the store (default: $COOPR_STORE)"),
	OPTION_END
};

static const struct command command = {
	"coopr-serve", "[OPTION]...", "Serve the API over HTTP.", options,
	"  coopr-serve\n"
	"  coopr-serve --socket ./coopr.sock\n"
	"  coopr-serve --listen '*:8443' --cert coopr.crt --key coopr.key\n"
	"  coopr-serve --provisioners '*:55055' --cert coopr.crt --key coopr.key\n"
	"  coopr-serve --openapi | jq -r '.paths | keys[]'\n"};

static int
serve_describe(void)
{
	struct buffer out = {0};

	openapi_print(&out);
	fputs(buffer_string(&out), stdout);
	buffer_release(&out);
	return message_end(0);
}

/* Opens the store. Refuses to serve somebody else's store: commands would take who asks for the one who serves. */
static int
serve_check_owner(struct store **open, struct error *err)
{
	struct account account;
	int result = account_open(&account, &(struct account_ask){.store = store}, STORE_READ, err);

	if (result == 0 && account.role != ACCOUNT_SUPERADMIN)
		result = error_set(err, EX_NOPERM, "the store is not of this user; serve it as its owner");
	if (result == 0) {
		*open = account.store;
		account.store = NULL;
	}
	account_release(&account);
	return result;
}

/* Looks whether the settings of the provider can be used; they are read again for each login. */
static int
serve_check_provider(struct error *err)
{
	struct provider provider;
	char *path = realpath(oidc, NULL);
	int result = provider_read(&provider, oidc, err);

	provider_release(&provider);
	if (result == 0)
		setenv(PROVIDER_SETTINGS, path ? path : oidc, 1);
	free(path);
	return result;
}

/* Adds the first who can log in, and prints how. */
static int
serve_set_up(const struct server_options *what, struct error *err)
{
	const struct string_list none = {0};
	struct account account;
	char code[TOKEN_SIZE];
	int result = account_open(&account, &(struct account_ask){.store = store, .tenant = RIGHTS_SUPERADMIN}, STORE_WRITE, err);

	if (result == 0)
		result = logins_add(&account, SERVE_FIRST, false, err);
	if (result == 0)
		result = members_set(&account, SERVE_FIRST, ACCOUNT_ADMIN, &none, err);
	if (result == 0)
		result = logins_make_code(&account, SERVE_FIRST, code, err);
	if (result == 0)
		printf("%s/#login=%s\n", what->address, code);
	account_release(&account);
	return result < 0 ? -1 : message_flush();
}

/* Refuses to listen where nobody could log in: the first would not be known to be the administrator. */
static int
serve_check_logins(const struct server_options *what, struct error *err)
{
	bool asks = where.addresses.count && !proxy_header && !client_ca && !oidc;
	int exist = asks || sets_up ? logins_exist(what->store, err) : 1;

	if (exist > 0 && sets_up)
		message("--setup: somebody can log in already; \"coopr user code NAME\" makes another code");
	if (exist != 0)
		return exist < 0 ? -1 : 0;
	if (sets_up)
		return serve_set_up(what, err);
	return error_set(err, EX_NOPERM, "nobody can log in at %s yet; --setup prints a link for the first, or \"coopr user add -r superadmin NAME\" "
	    "adds somebody who can", where.addresses.list[0]);
}

/* Returns the seconds of --hsts. */
static int64_t
serve_read_hsts(void)
{
	int64_t ms = strcmp(hsts, "0") == 0 ? 0 : duration_parse(hsts);

	if (ms < 0)
		exit(option_misuse(&command, "--hsts: expected a duration as 12h or 365d, or 0, found '%s'", hsts));
	return ms / 1000;
}

int
main(int argc, char **argv)
{
	struct proxies believed = {0};
	struct server_options what = {.proxies = &believed, .connections = 12000, .children = 8, .waiting = 1000};
	struct server *server = NULL;
	struct error err;
	int result;

	argv += option_parse(&command, argc, argv);
	if (*argv)
		return option_misuse(&command, "unexpected argument '%s'", *argv);

	if (describes)
		return serve_describe();
	if (!chain != !key)
		return option_misuse(&command, "--cert and --key are given together");
	option_needs(&command, "proxy-header", (const char *const[]){"proxy", NULL});
	option_needs(&command, "setup", (const char *const[]){"listen", NULL});
	option_needs(&command, "client-ca", (const char *const[]){"cert", NULL});
	option_needs(&command, "client-crl", (const char *const[]){"client-ca", NULL});
	what.no_terminal = no_terminal;
	what.tls_only_s = serve_read_hsts();
	result = proxies_open(&believed, &proxies, proxy_header, &err);
	if (result == 0)
		result = serve_check_owner(&what.store, &err);
	if (result == 0 && chain)
		result = certificate_open(&what.certificate, chain, key, &err);
	unsetenv(PROVIDER_SETTINGS);
	if (result == 0 && oidc)
		result = serve_check_provider(&err);
	if (result == 0 && client_ca)
		result = client_authority_open(&what.clients, client_ca, client_crl, &err);
	if (result == 0)
		result = listening_open(&where, &what, &err);
	if (result == 0)
		result = serve_check_logins(&what, &err);
	if (result == 0)
		result = server_open(&server, &what, &err);
	if (result == 0)
		server_run(server);
	server_release(server);
	certificate_release(what.certificate);
	client_authority_release(what.clients);
	store_release(what.store);
	proxies_release(&believed);
	return message_end(result < 0 ? message_error(&err) : 0);
}
