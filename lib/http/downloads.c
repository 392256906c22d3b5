/* SPDX-License-Identifier: Apache-2.0 */
#include "http/downloads.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "http/exchange.h"

enum { DOWNLOADS_MAX = 128, DOWNLOADS_OF_USER = 32 };

struct download {
	char *user;
	struct download *next;
};

struct downloads {
	struct download *first;
};

struct downloads *
downloads_open(void)
{
	return memory_zeroed(1, sizeof(struct downloads));
}

bool
downloads_are_too_many(const struct downloads *downloads, const char *user)
{
	unsigned all = 0, own = 0;

	for (const struct download *download = downloads->first; download; download = download->next, all++)
		own += strcmp(download->user, user) == 0;
	return all >= DOWNLOADS_MAX || own >= DOWNLOADS_OF_USER;
}

void
downloads_add(struct downloads *downloads, const char *user, struct http_exchange *exchange)
{
	struct download *download = memory_zeroed(1, sizeof *download);

	download->user = memory_string(user);
	download->next = downloads->first;
	downloads->first = download;
	exchange->owner = download;
}

static void
downloads_drop(struct download **at)
{
	struct download *download = *at;

	*at = download->next;
	free(download->user);
	free(download);
}

void
downloads_remove(struct downloads *downloads, struct http_exchange *exchange)
{
	struct download **at = &downloads->first;

	while (*at != exchange->owner)
		at = &(*at)->next;
	downloads_drop(at);
	exchange->owner = NULL;
}

void
downloads_close(struct downloads *downloads)
{
	while (downloads->first)
		downloads_drop(&downloads->first);
	free(downloads);
}
