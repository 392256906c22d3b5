/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/destination.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/memory.h"
#include "remote/contexts.h"

enum { TOKEN_BYTES = 4096 };

/* Returns whether the host of a URL, behind its scheme, is this machine. */
static bool
destination_is_here(const char *host)
{
	static const char *const names[] = {"127.0.0.1", "[::1]", "localhost"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(host, names[i], length) == 0 && (!host[length] || host[length] == ':' || host[length] == '/'))
			return true;
	}
	return false;
}

int
destination_check(const char *text, struct error *err)
{
	if (strncmp(text, "https://", 8) == 0 && text[8])
		return 0;
	if (strncmp(text, "unix:/", 6) == 0)
		return 0;
	if (strncmp(text, "http://", 7) == 0)
		return destination_is_here(text + 7) ? 0 : error_set(err, EX_USAGE,
		    "%s: without TLS only a server of this machine is asked; use https://", text);
	return error_set(err, EX_USAGE, "%s: expected https://HOST[:PORT], http://localhost:PORT, unix:/PATH, or a context (coopr context list)",
	    text);
}

/* Reads the token from its file. */
static int
destination_read_token(struct destination *destination, const char *path, struct error *err)
{
	struct buffer text = {0};

	if (contexts_check_private(path, err) < 0 || file_read(AT_FDCWD, path, TOKEN_BYTES, &text, err) < 0) {
		buffer_release(&text);
		return -1;
	}
	destination->token = memory_substring(buffer_string(&text), strcspn(buffer_string(&text), " \r\n"));
	buffer_release(&text);
	return 0;
}

static void
destination_set_address(struct destination *destination, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(text, "unix:", 5) == 0) {
		destination->socket = memory_string(text + 5);
		destination->url = memory_string("http://coopr");
		return;
	}
	while (length && text[length - 1] == '/')
		length--;
	destination->url = memory_substring(text, length);
}

/* Takes what the context says. */
static int
destination_set_context(struct destination *destination, const struct context *context, struct error *err)
{
	if (context->ca && !destination->ca)
		destination->ca = memory_string(context->ca);
	if (destination->token)
		return 0;
	if (context->token)
		destination->token = memory_string(context->token);
	return destination->token || !context->token_file ? 0 : destination_read_token(destination, context->token_file, err);
}

int
destination_of(struct destination *destination, const struct context *context, struct error *err)
{
	*destination = (struct destination){0};
	if (destination_check(context->server, err) < 0)
		return -1;
	destination->name = memory_string(context->name);
	destination->ca = context->ca ? memory_string(context->ca) : NULL;
	destination_set_address(destination, context->server);
	return 0;
}

int
destination_find(struct destination *destination, const char *option, struct error *err)
{
	const char *named = option ? option : getenv("COOPR_SERVER"), *token = home_variable("COOPR_TOKEN");
	const struct context *context = NULL;
	struct contexts contexts;
	int result = 0;

	*destination = (struct destination){0};
	if (named && !*named)
		return 0;
	if (contexts_read(&contexts, err) < 0)
		return -1;
	context = named ? contexts_find(&contexts, named) : contexts_current(&contexts);
	if (!named && !context) {
		contexts_release(&contexts);
		return 0;
	}
	destination->name = memory_string(context && !named ? context->name : named);
	destination->token = token ? memory_string(token) : NULL;
	result = destination_check(context ? context->server : named, err);
	if (result == 0)
		destination_set_address(destination, context ? context->server : named);
	if (result == 0 && context)
		result = destination_set_context(destination, context, err);
	contexts_release(&contexts);
	return result;
}

void
destination_release(struct destination *destination)
{
	free(destination->name);
	free(destination->url);
	free(destination->socket);
	free(destination->ca);
	free(destination->token);
	*destination = (struct destination){0};
}
