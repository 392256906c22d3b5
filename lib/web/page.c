/* SPDX-License-Identifier: Apache-2.0 */
#include "web/page.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "http/exchange.h"
#include "web/answer.h"
#include "web/problem.h"
#include "web/route.h"

enum { PAGE_FILE_MAX = 1 << 20 };

static const struct {
	const char *ending, *type;
} types[] = {
	{".html", "text/html; charset=utf-8"}, {".css", "text/css; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
	{".svg", "image/svg+xml"},             {".json", "application/schema+json"},
};

/* Nothing but what this server sends is run, shown or asked, and no other page shows this one. */
static const struct http_field guards[] = {
	{"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
	                            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cache-Control", "no-cache"},
};

/* Returns the media type of a file by its name; NULL where the page has no such files. A name is one word of letters, digits, - and dots
 * inside, so it leads to no other folder. */
static const char *
page_type(const char *name)
{
	size_t length = strlen(name);

	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '-' && (*at != '.' || at == name))
			return NULL;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t ending = strlen(types[i].ending);

		if (length > ending && strcmp(name + length - ending, types[i].ending) == 0)
			return types[i].type;
	}
	return NULL;
}

/* Reads the file of that name from an installed folder into the answer. */
static bool
page_read(const char *folder, const char *name, struct http_exchange *exchange)
{
	const char *type = page_type(name);
	struct error err;
	char *relative, *path;
	int status;

	if (!type)
		return false;
	relative = memory_printf("share/coopr/%s/%s", folder, name);
	path = location_installed(relative);
	status = path ? file_read(AT_FDCWD, path, PAGE_FILE_MAX, &exchange->answer.body, &err) : -1;
	free(relative);
	free(path);
	exchange->answer.type = type;
	return status == 0;
}

void
page_answer(const struct route_match *match, struct http_exchange *exchange)
{
	const char *name = match->variables[0];
	bool is_schema = strcmp(match->route->path, "/v1/schemas/{kind}") == 0;
	char *file = is_schema ? memory_printf("%s.json", name) : memory_string(name ? name : "index.html");

	if (page_read(is_schema ? "schema" : "www", file, exchange)) {
		exchange->answer.status = 200;
		for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
			http_field_add(exchange, &exchange->answer.headers, guards[i].name, guards[i].value);
		answer_tag(exchange);
		answer_spare(exchange);
	} else {
		problem_answer(exchange, 404, NULL);
	}
	free(file);
}
