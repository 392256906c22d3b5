/* SPDX-License-Identifier: Apache-2.0 */
#include "web/page.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "content/content.h"
#include "http/exchange.h"
#include "web/answer.h"
#include "web/problem.h"
#include "web/route.h"

#define WWW "share/coopr/www"
#define PLACE "\"ui/RELEASE/" /* where the page names a file */

enum { PAGE_FILE_MAX = 1 << 20 };

static const struct {
	const char *ending, *type;
} types[] = {
	{".html", "text/html; charset=utf-8"}, {".css", "text/css; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
	{".svg", "image/svg+xml"},             {".json", "application/schema+json"},
};

/* Nothing but what this server sends is run, shown or asked, and no other page shows this one. The terminal makes styles as it runs. */
#define POLICY(styles) "default-src 'none'; script-src 'self'; style-src 'self'" styles "; connect-src 'self'; img-src 'self' data:; " \
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

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

/* Adds what a file is as long as nobody changes it. */
static void
page_add_stamp(int folder, const char *name, struct buffer *stamps)
{
	struct stat found;

	if (page_type(name) && fstatat(folder, name, &found, 0) == 0)
		buffer_printf(stamps, "%s %jd %jd %ld\n", name, (intmax_t)found.st_size, (intmax_t)found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

/* Returns the release of the page, a word that is another one once any of its files is: what a browser has of it need not be asked for again. */
static char *
page_release(void)
{
	char *path = location_installed(WWW), digest[CONTENT_DIGEST_SIZE];
	struct buffer stamps = {0};
	struct dirent **entries = NULL;
	int folder = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int count = folder < 0 ? 0 : scandirat(folder, ".", &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		page_add_stamp(folder, entries[i]->d_name, &stamps);
		free(entries[i]);
	}
	free(entries);
	if (folder >= 0)
		close(folder);
	free(path);
	content_digest(buffer_string(&stamps), stamps.length, digest);
	buffer_release(&stamps);
	return memory_substring(digest, 16);
}

/* Has the page name its files with the release that they are of. */
static void
page_name_release(struct buffer *page, const char *release)
{
	struct buffer named = {0};
	const char *at = buffer_string(page), *found;

	for (; (found = strstr(at, PLACE)); at = found + strlen(PLACE)) {
		buffer_append(&named, at, (size_t)(found - at));
		buffer_printf(&named, "\"ui/%s/", release);
	}
	buffer_text(&named, at);
	buffer_release(page);
	*page = named;
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
	relative = memory_printf("%s/%s", folder, name);
	path = location_installed(relative);
	status = path ? file_read(AT_FDCWD, path, PAGE_FILE_MAX, &exchange->answer.body, &err) : -1;
	free(relative);
	free(path);
	exchange->answer.type = type;
	return status == 0;
}

static bool
page_is_terminal(const struct route_match *match)
{
	return strcmp(match->route->path, "/terminal") == 0;
}

/* Answers with a file of the page, or of what others have made for it. Its name with the release never means another file. */
static bool
page_answer_file(const struct route_match *match, struct http_exchange *exchange)
{
	const char *name = route_variable(match, "file", strlen("file")), *asked = route_variable(match, "release", strlen("release"));
	char *release = page_release();
	const char *page = page_is_terminal(match) ? "terminal.html" : "index.html";
	bool is_known = page_read(name && !asked ? WWW "/vendor" : WWW, name ? name : page, exchange);
	bool is_settled = asked && strcmp(asked, release) == 0;

	if (is_known && !name)
		page_name_release(&exchange->answer.body, release);
	if (is_known)
		http_field_add(exchange, &exchange->answer.headers, "Cache-Control", is_settled ? "max-age=31536000, immutable" : "no-cache");
	free(release);
	return is_known;
}

static bool
page_answer_schema(const struct route_match *match, struct http_exchange *exchange)
{
	char *file = memory_printf("%s.json", match->variables[0]);
	bool is_known = page_read("share/coopr/schema", file, exchange);

	free(file);
	if (is_known)
		http_field_add(exchange, &exchange->answer.headers, "Cache-Control", "no-cache");
	return is_known;
}

void
page_answer(const struct route_match *match, struct http_exchange *exchange)
{
	bool is_schema = strcmp(match->route->path, "/v1/schemas/{kind}") == 0;

	if (!(is_schema ? page_answer_schema : page_answer_file)(match, exchange)) {
		problem_answer(exchange, 404, NULL);
		return;
	}
	exchange->answer.status = 200;
	http_field_add(exchange, &exchange->answer.headers, "Content-Security-Policy",
	    page_is_terminal(match) ? POLICY(" 'unsafe-inline'") : POLICY(""));
	answer_tag(exchange);
	answer_spare(exchange);
}
