/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/bastion.h"

#include <stdlib.h>
#include <string.h>

#include "address/range.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/process.h"
#include "event/tail.h"
#include "json/credential.h"
#include "model/name.h"
#include "model/take/task.h"
#include "ssh/options.h"
#include "ssh/shell-words.h"

enum { SSH_PORT = 22, PORT_MAX = 65535 };

/* --- as a provider's fields have it --- */

static void
bastion_check_key(const struct place *place)
{
	struct place key = place_member(place, "key");
	bool is_generated;
	char *name = credential_reference(key.value, &is_generated);

	if (!name || is_generated)
		place_problem(&key, "expected {\"secret\": \"NAME\"}, whose value is a private key");
	free(name);
}

jv
bastion_read(const struct place *auth, bool public_only)
{
	struct place place = place_member(auth, "bastion");
	struct arena arena = {0};
	const char *host;
	size_t before;

	if (jv_get_kind(auth->value) != JV_KIND_OBJECT || !place_object(&place, NEED_OPTIONAL))
		return jv_invalid();
	before = auth->problems->total;
	host = name_parse_as(&place, "host", NEED_REQUIRED, name_is_host, "an address", &arena);
	name_parse_as(&place, "user", NEED_OPTIONAL, name_is_user, "a user name", &arena);
	place_string(&place, "hostkey", NEED_REQUIRED, &arena);
	place_integer(&place, "port", SSH_PORT, 1, PORT_MAX);
	bastion_check_key(&place);
	if (public_only && host && !range_is_public(host)) {
		struct place at = place_member(&place, "host");

		place_problem(&at, "expected an address of the public network, in numbers; a superadmin may write a provider with another one");
	}
	arena_release(&arena);
	return auth->problems->total == before ? jv_copy(place.value) : jv_invalid();
}

/* --- the command --- */

int
bastion_check(const struct machine *machine, struct error *err)
{
	const struct bastion *bastion = &machine->bastion;

	if (!bastion->host || bastion->identityfile)
		return 0;
	return error_set(err, EX_CONFIG, "node %s: the key of its bastion %s is not there", machine->id, bastion->host);
}

void
bastion_push(const struct machine *machine, const char *known_hosts, struct arguments *argv)
{
	const struct bastion *bastion = &machine->bastion;

	arguments_push(argv, "ssh");
	options_push(argv);
	arguments_push_all(argv, "-o", "PasswordAuthentication=no", "-o", "KbdInteractiveAuthentication=no", "-o", "ControlPath=none", NULL);
	arguments_push(argv, "-o");
	arguments_printf(argv, "UserKnownHostsFile=%s", known_hosts);
	arguments_push_all(argv, "-o", "IdentitiesOnly=yes", "-i", bastion->identityfile, "-p", NULL);
	arguments_printf(argv, "%lld", (long long)bastion->port);
	arguments_push_all(argv, "-l", bastion->user, "-W", NULL);
	arguments_printf(argv, "[%s]:%lld", machine->address, (long long)machine->port);
	arguments_push_all(argv, "--", bastion->host, NULL);
}

void
bastion_print_proxy(const struct machine *machine, const char *known_hosts, struct buffer *out)
{
	struct arguments words = {0};

	bastion_push(machine, known_hosts, &words);
	for (size_t i = 0; i < words.count; i++) {
		struct buffer word = {0};

		/* ssh would replace what stands behind "%", without a look at quotes. */
		for (const char *at = words.list[i]; *at; at++) {
			if (*at == '%')
				buffer_byte(&word, '%');
			buffer_byte(&word, *at);
		}
		buffer_text(out, i ? " " : "");
		shell_words_quote(buffer_string(&word), out);
		buffer_release(&word);
	}
	arguments_release(&words);
}

void
bastion_push_proxy(const struct machine *machine, const char *known_hosts, struct arguments *argv)
{
	struct buffer option = {0};

	if (!machine->bastion.host)
		return;
	buffer_text(&option, "ProxyCommand=");
	bastion_print_proxy(machine, known_hosts, &option);
	arguments_push_all(argv, "-o", buffer_string(&option), NULL);
	buffer_release(&option);
}

void
bastion_add_known_host(const struct machine *machine, struct buffer *lines)
{
	const struct bastion *bastion = &machine->bastion;

	if (bastion->host && bastion->port == SSH_PORT)
		buffer_printf(lines, "%s %s\n", bastion->host, bastion->host_key);
	else if (bastion->host)
		buffer_printf(lines, "[%s]:%lld %s\n", bastion->host, (long long)bastion->port, bastion->host_key);
}

uint64_t
bastion_hash(const struct machine *machine, uint64_t hash)
{
	const struct bastion *bastion = &machine->bastion;
	char *port = memory_printf("%lld", (long long)bastion->port);

	hash = hash_field(hash, bastion->host);
	hash = hash_field(hash, port);
	hash = hash_field(hash, bastion->user);
	hash = hash_field(hash, bastion->host_key);
	hash = hash_field(hash, bastion->identityfile ? bastion->identityfile : "");
	free(port);
	return hash;
}

/* --- what went wrong --- */

static const char verification[] = "Host key verification failed", refusal[] = "Permission denied", forwarding[] = "stdio forwarding failed",
    connecting[] = "ssh: ";

/* Tells whether this was said, before the ssh behind that of the bastion found its way ended. */
static bool
bastion_has_said(const struct tail *said, const char *words)
{
	const char *at = strstr(buffer_string(&said->kept), words);

	return at && strstr(at, "kex_exchange_identification");
}

bool
bastion_is_at_fault(const struct tail *said)
{
	return bastion_has_said(said, verification) || bastion_has_said(said, refusal) || bastion_has_said(said, forwarding) ||
	    bastion_has_said(said, connecting);
}

/* Returns the end of the line "ssh: connect to host 203.0.113.4 port 22: Connection refused", which the caller frees. */
static char *
bastion_reason(const struct tail *said)
{
	const char *at = strstr(buffer_string(&said->kept), connecting), *end = at + strcspn(at, "\r\n"), *colon = end;

	while (colon > at && *colon != ':')
		colon--;
	return memory_substring(colon + 2, colon + 2 < end ? (size_t)(end - colon - 2) : 0);
}

int
bastion_explain(const struct machine *machine, const char *name, const struct tail *said, struct error *err)
{
	const struct bastion *bastion = &machine->bastion;
	char *why;

	if (!bastion->host || !bastion_is_at_fault(said))
		return 0;
	if (bastion_has_said(said, verification))
		return error_set(err, EX_NOPERM, "%s: the host key of its bastion %s is not the one that the provider has; another machine answers",
		    name, bastion->host);
	if (bastion_has_said(said, refusal))
		return error_set(err, EX_NOPERM, "%s: its bastion %s has refused the login as %s", name, bastion->host, bastion->user);
	if (bastion_has_said(said, forwarding))
		return error_set(err, EX_TEMPFAIL, "%s: cannot be reached from its bastion %s", name, bastion->host);
	why = bastion_reason(said);
	error_set(err, EX_TEMPFAIL, "%s: its bastion %s cannot be reached: %s", name, bastion->host, why);
	free(why);
	return -1;
}
