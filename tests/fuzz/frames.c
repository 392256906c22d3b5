/* SPDX-License-Identifier: Apache-2.0
 *
 * The body of /v1/run: frames, and the call of a command in them. What is taken is printed as the same, the program is one of ours, and no
 * file that it writes or that was sent is outside of its folder.
 */
#include <dirent.h>

#include "base/location.h"
#include "base/memory.h"
#include "fuzz.h"
#include "http/exchange.h"
#include "remote/frame.h"
#include "web/asker.h"
#include "web/run-call.h"

static void
check_frames(const char *text, size_t size)
{
	struct buffer printed = {0};
	struct frame frame;
	size_t at = 0;

	while (frame_take(text, size, &at, &frame) > 0)
		frame_append(&printed, frame.kind, frame.bytes, frame.length);
	fuzz_promise(printed.length == at && (at == 0 || memcmp(printed.data, text, at) == 0), "a frame that is taken is printed as the same");
	buffer_release(&printed);
}

/* Returns how many entries a folder has. */
static size_t
count_entries(const char *folder)
{
	DIR *stream = opendir(folder);
	size_t count = 0;

	while (stream && readdir(stream))
		count++;
	if (stream)
		closedir(stream);
	return count;
}

static void
check_call(const struct run_call *call)
{
	char *bin = location_installed("bin/coopr-");

	fuzz_promise(strncmp(call->argv.list[0], bin, strlen(bin)) == 0, "the program is one of ours");
	for (size_t i = 0; i < call->outputs.count; i++)
		fuzz_promise(!location_leads_out(call->outputs.list[i]), "a file that is written is in the folder");
	free(bin);
}

static char above[] = "/tmp/coopr-fuzz.XXXXXX", *folder;

static void
remove_folder(void)
{
	rmdir(above);
}

/* Makes the folder in which those of calls are. */
static void
make_folder(void)
{
	if (!mkdtemp(above))
		abort();
	atexit(remove_folder);
	folder = memory_printf("%s/run", above);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char user[] = "ann", from[] = "-";
	const struct asker asker = {.user = user, .from = from};
	struct http_exchange exchange = {.method = "POST", .path = "/v1/run"};
	struct run_call call = {0};
	struct error err = {.code = 0};

	if (!folder)
		make_folder();
	buffer_append(&exchange.body, data, size);
	check_frames(buffer_string(&exchange.body), size);
	if (run_call_read(&call, &exchange, &asker, folder, &err) == 0)
		check_call(&call);
	else
		fuzz_promise((err.code == EX_USAGE || err.code == EX_UNAVAILABLE) && *err.text, "what is no call is refused with a reason");
	fuzz_promise(count_entries(above) <= 3, "nothing is outside of the folder");
	run_call_release(&call);
	fuzz_promise(count_entries(above) == 2, "the folder goes with the call");
	http_exchange_release(&exchange);
	return 0;
}
