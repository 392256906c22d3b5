/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sandbox's helper reads of users, and users of it: a request that is taken is printed and taken again as the same, and none of
 * its values has a byte that ends a line, or a name that leads out of a folder.
 */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "fuzz.h"
#include "sandbox/helper/reply.h"
#include "sandbox/helper/wish.h"

static void
check_wish(const struct wish *wish)
{
	const char *const names[] = {wish->machine.name, wish->machine.node, wish->machine.cluster, wish->machine.provider};
	struct buffer text = {0}, again = {0};
	struct wish read;
	struct error err;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		fuzz_promise(!names[i] || (*names[i] && *names[i] != '.' && !strpbrk(names[i], "/\n ")), "a name is a name of a file");
	wish_print(wish, &text);
	fuzz_promise(wish_parse(text.data, text.length, &read, &err) == 0, "what is printed is read");
	wish_print(&read, &again);
	fuzz_promise(strcmp(text.data, again.data) == 0, "and is the same");
	machine_release(&read.machine);
	buffer_release(&again);
	buffer_release(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_substring((const char *)data, size);
	struct error err = {.code = 0};
	struct reply reply;
	struct wish wish;

	if (wish_parse(text, size, &wish, &err) == 0)
		check_wish(&wish);
	else
		fuzz_promise(err.code == EX_DATAERR, "what is no request is EX_DATAERR");
	machine_release(&wish.machine);
	if (reply_parse(text, size, &reply, &err) < 0)
		fuzz_promise(err.code != 0 && *err.text, "a refusal has a code and a reason");
	reply_release(&reply);
	free(text);
	return 0;
}
