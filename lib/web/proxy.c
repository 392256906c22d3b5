/* SPDX-License-Identifier: Apache-2.0 */
#include "web/proxy.h"

#include <arpa/inet.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address/range.h"
#include "base/error.h"
#include "base/option.h"
#include "http/exchange.h"
#include "web/problem.h"

/* Adds an address or a range of them. */
static int
proxies_add_range(struct proxies *proxies, size_t *capacity, const char *name, struct error *err)
{
	const char *bits = strchr(name, ':') ? "128" : "32";
	char *range = strchr(name, '/') ? memory_string(name) : memory_printf("%s/%s", name, bits);
	bool is_valid = range_is_valid(range);

	if (is_valid) {
		ARRAY_ROOM(proxies->ranges.list, proxies->ranges.count, *capacity);
		proxies->ranges.list[proxies->ranges.count++] = arena_string(&proxies->arena, range);
	}
	free(range);
	return is_valid ? 0 : error_set(err, EX_USAGE, "--proxy: invalid address '%s': expected ADDRESS, ADDRESS/BITS or unix:USER", name);
}

static int
proxies_add_user(struct proxies *proxies, const char *name, struct error *err)
{
	const struct passwd *user = getpwnam(name);

	if (!user)
		return error_set(err, EX_USAGE, "--proxy: there is no user '%s' on this machine", name);
	ARRAY_ROOM(proxies->users, proxies->user_count, proxies->user_capacity);
	proxies->users[proxies->user_count++] = user->pw_uid;
	return 0;
}

int
proxies_open(struct proxies *proxies, const struct option_list *named, const char *header, struct error *err)
{
	size_t capacity = 0;
	int result = 0;

	proxies->header = header;
	for (size_t i = 0; i < named->count && result == 0; i++)
		result = strncmp(named->list[i], "unix:", 5) == 0 ? proxies_add_user(proxies, named->list[i] + 5, err)
		    : proxies_add_range(proxies, &capacity, named->list[i], err);
	return result;
}

static bool
proxies_have(const struct proxies *proxies, const struct http_exchange *exchange)
{
	if (exchange->address)
		return range_list_has(&proxies->ranges, exchange->address);
	for (size_t i = 0; i < proxies->user_count; i++)
		if (proxies->users[i] == exchange->uid)
			return true;
	return false;
}

/* Returns all that headers of a name say, with commas between as RFC 9110 has it, in the exchange's arena. */
static char *
proxy_header_all(struct http_exchange *exchange, const char *name)
{
	struct buffer all = {0};
	char *text;

	for (size_t i = 0; i < exchange->headers.count; i++)
		if (strcasecmp(exchange->headers.list[i].name, name) == 0)
			buffer_printf(&all, "%s%s", all.length ? "," : "", exchange->headers.list[i].value);
	text = arena_alloc(&exchange->arena, all.length + 1, 1);
	memcpy(text, buffer_string(&all), all.length + 1);
	buffer_release(&all);
	return text;
}

/* Returns the address of an element, without a port; NULL where it is none. It changes the text. */
static const char *
proxy_address(char *element)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char *end;

	element += strspn(element, " \t");
	element[strcspn(element, " \t")] = '\0';
	if (*element == '[') {
		element++;
		element[strcspn(element, "]")] = '\0';
	} else if ((end = strchr(element, ':')) && !strchr(end + 1, ':')) {
		*end = '\0';
	}
	return inet_pton(AF_INET, element, bytes) == 1 || inet_pton(AF_INET6, element, bytes) == 1 ? element : NULL;
}

/* Goes through the chain from its end, where our proxy has written: what stands before the first who is none of ours, anybody may have
 * written. */
static void
proxy_take_address(const struct proxies *proxies, struct http_exchange *exchange)
{
	char *chain = proxy_header_all(exchange, "X-Forwarded-For"), *comma;
	const char *address;

	do {
		comma = strrchr(chain, ',');
		address = proxy_address(comma ? comma + 1 : chain);
		if (!address)
			return;
		exchange->address = address;
		if (comma)
			*comma = '\0';
	} while (comma && range_list_has(&proxies->ranges, address));
}

bool
proxy_look(const struct proxies *proxies, struct http_exchange *exchange)
{
	const char *encrypted = http_field_find(&exchange->headers, "X-Forwarded-Proto");
	size_t named = 0;

	if (exchange->is_proxied)
		return true;
	if (!proxies_have(proxies, exchange)) {
		exchange->stray = proxies->header && http_field_find(&exchange->headers, proxies->header) ? proxies->header : NULL;
		return true;
	}
	exchange->is_proxied = true;
	exchange->uid = (uid_t)-1; /* it is the proxy's, and so is a certificate */
	exchange->certificate_name = exchange->certificate_reason = NULL;
	exchange->is_encrypted |= encrypted && strcasecmp(encrypted, "https") == 0;
	proxy_take_address(proxies, exchange);
	for (size_t i = 0; proxies->header && i < exchange->headers.count; i++)
		if (strcasecmp(exchange->headers.list[i].name, proxies->header) == 0) {
			exchange->user = exchange->headers.list[i].value;
			named++;
		}
	if (exchange->user && !*exchange->user)
		exchange->user = NULL;
	if (named > 1)
		problem_answer(exchange, 400, "the proxy names more than one user");
	return named <= 1;
}

void
proxies_release(struct proxies *proxies)
{
	arena_release(&proxies->arena);
	free(proxies->ranges.list);
	free(proxies->users);
	*proxies = (struct proxies){0};
}
