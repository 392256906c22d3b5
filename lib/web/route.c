/* SPDX-License-Identifier: Apache-2.0 */
#include "web/route.h"

#include <string.h>

#include "base/buffer.h"
#include "http/exchange.h"

/* Returns the length of the part of a path that text begins with, behind its slash. */
static size_t
route_part(const char *text)
{
	return strcspn(text, "/");
}

/* Compares a path with that of a route. Returns 1, and the variables; 0; -1 where a part is malformed. */
static int
route_compare(const struct route *route, const char *path, struct arena *arena, struct route_match *match)
{
	const char *pattern = route->path;
	size_t count = 0;

	while (*pattern == '/' && *path == '/') {
		size_t expected = route_part(++pattern), found = route_part(++path);

		if (*pattern == '{') {
			match->variables[count] = http_decode(arena, path, found);
			if (!match->variables[count])
				return -1;
			if (!*match->variables[count++])
				return 0;
		} else if (expected != found || strncmp(pattern, path, found) != 0) {
			return 0;
		}
		pattern += expected;
		path += found;
	}
	match->route = route;
	return !*pattern && !*path;
}

static bool
route_does(const struct route *route, const char *method)
{
	return strcmp(route->method, method) == 0 || (strcmp(method, "HEAD") == 0 && strcmp(route->method, "GET") == 0);
}

bool
route_is_coopr(const char *path)
{
	return strncmp(path, "/v2/", 4) == 0 || strcmp(path, "/status") == 0;
}

const struct route *
route_table(const char *path)
{
	return route_is_coopr(path) ? coopr_routes : routes;
}

int
route_find(const struct route *table, const char *method, const char *path, struct arena *arena, struct route_match *match,
    const char **allow)
{
	size_t length = strlen(path);
	struct buffer methods = {0};
	int status = 404;

	/* Coopr's clients may have a slash at the end. */
	if (route_is_coopr(path) && length > 4 && path[length - 1] == '/')
		path = arena_printf(arena, "%.*s", (int)length - 1, path);
	for (const struct route *route = table; route->method && status != 0; route++) {
		int same = route_compare(route, path, arena, match);

		if (same < 0) {
			status = 400;
			break;
		}
		if (!same)
			continue;
		status = route_does(route, method) ? 0 : 405;
		buffer_printf(&methods, "%s%s", methods.length ? ", " : "", route->method);
	}
	*allow = status == 405 ? arena_string(arena, buffer_string(&methods)) : NULL;
	buffer_release(&methods);
	return status;
}

const char *
route_variable(const struct route_match *match, const char *name, size_t length)
{
	size_t count = 0;

	for (const char *at = strchr(match->route->path, '{'); at; at = strchr(at + 1, '{')) {
		if (strcspn(at + 1, "}") == length && strncmp(at + 1, name, length) == 0)
			return match->variables[count];
		count++;
	}
	return NULL;
}

bool
route_is_text(const struct route *route, const struct http_exchange *exchange)
{
	const char *accept = http_field_find(&exchange->headers, "Accept");

	return route->answer == ROUTE_TEXT || (route->answer != ROUTE_BYTES && route->answer != ROUTE_SESSION && accept &&
	    strncmp(accept, "text/plain", 10) == 0);
}

bool
route_follows(const struct route *route, const struct http_exchange *exchange)
{
	const char *follow = route->answer == ROUTE_TEXT ? http_field_find(&exchange->query, ROUTE_FOLLOW) : NULL;

	return follow && (!*follow || strcmp(follow, "true") == 0);
}

bool
route_has_fields(const struct route *route)
{
	return strcmp(route->method, "GET") == 0 && route->command &&
	    (route->answer == ROUTE_RECORD || route->answer == ROUTE_RECORDS || route->answer == ROUTE_RECORDS_EVENTS);
}

const char *
route_fields(const struct route *route, const struct http_exchange *exchange)
{
	return route_has_fields(route) ? http_field_find(&exchange->query, ROUTE_FIELDS) : NULL;
}
