/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "sandbox/helper/reply.h"
#include "sandbox/helper/wish.h"
#include "tap.h"

#define KEY "ssh-ed25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static const struct wish whole = {.verb = WISH_CREATE, .installation = "0123abcd", .machine = {.node = "c-1", .cluster = "c",
    .token = "c:t1", .provider = "p", .hostname = "h", .login = KEY, .network = "10.1.0.0/16", .image = "host", .shares = "/a:/b",
    .route = "yes", .cpu = "0.5", .memory = "64", .processes = "32", .disk = "64"}};

/* What the helper finds out or decides itself. A member of a machine is here, or a request has it. */
static const char *const its_own[] = {"address", "table", "resolvers", "files", "tree", "masks", "ids", "nested", "unconfined", "host_key", "pid", NULL};

static void
test_members(void)
{
	for (const char *const *name = machine_members(); *name; name++) {
		bool own = false;

		for (const char *const *other = its_own; *other; other++)
			own |= strcmp(*name, *other) == 0;
		tap_ok(own != wish_takes(WISH_CREATE, *name), "%s is the helper's own, or asked for, and not both", *name);
	}
}

static void
test_round_trip(void)
{
	struct buffer text = {0}, again = {0};
	struct wish read;
	struct error err;

	wish_print(&whole, &text);
	tap_ok(wish_parse(text.data, text.length, &read, &err) == 0, "what is printed is read");
	wish_print(&read, &again);
	tap_is_text(again.data, text.data, "and is the same");
	machine_release(&read.machine);
	for (size_t length = 0; length < text.length; length++)
		if (wish_parse(text.data, length, &read, &err) == 0)
			tap_ok(false, "the first %zu bytes are no request", length);
		else
			machine_release(&read.machine);
	buffer_release(&again);
	buffer_release(&text);
}

static void
is_refused(const char *text, const char *reason)
{
	struct wish read;
	struct error err;

	tap_ok(wish_parse(text, strlen(text), &read, &err) < 0, "it is refused");
	tap_is_text(err.text, reason, "and the reason is said");
	machine_release(&read.machine);
}

static void
test_refused(void)
{
	is_refused("", "request: cut off");
	is_refused("end\n", "request: cut off");
	is_refused("\nend\n", "request: no such verb");
	is_refused("listen\nend\n", "request: no such verb");
	is_refused("list\nend\n", "request: list lacks installation");
	is_refused("list\ninstallation=0123abcd\ninstallation=0123abcd\nend\n", "request: installation stands twice");
	is_refused("list\ninstallation=0123abcd\ntoken=x\nend\n", "request: list takes no such line");
	is_refused("list\ninstallation=0123abcd\n\nend\n", "request: list takes no such line");
	is_refused("list\ninstallation=../..\nend\n", "request: the value of installation is none that the helper takes");
	is_refused("list\ninstallation=0123abcd\nname=.x\nend\n", "request: the value of name is none that the helper takes");
	is_refused("list\ninstallation=0123abcd\r\nend\n", "request: byte 27 is not printable");
}

static void
test_reply(void)
{
	struct reply reply = {.error = {.code = 0}, .notice = "so"}, read;
	struct found *found = found_add(&reply.found);
	struct buffer text = {0};
	struct error err;

	*found = (struct found){.machine = {.name = "a", .address = "10.1.0.2", .masks = "/secret"}, .state = MACHINE_DEAD};
	found_add(&reply.found)->machine.name = "b";
	reply_print(&reply, &text);
	tap_ok(!buffer_contains(&text, "secret"), "an answer says nothing of what is the helper's own");
	tap_ok(reply_parse(text.data, text.length, &read, &err) == 0 && read.found.count == 2, "it is read");
	tap_is_text(read.found.list[0].machine.address, "10.1.0.2", "with all that is said");
	tap_ok(read.found.list[0].state == MACHINE_DEAD && read.found.list[1].state == MACHINE_HALF, "of each machine");
	tap_is_text(read.notice, "so", "and of all");
	reply_release(&read);
	for (size_t length = 0; length < text.length; length++) {
		if (reply_parse(text.data, length, &read, &err) == 0 || err.code != EX_PROTOCOL)
			tap_ok(false, "the first %zu bytes are no answer", length);
		reply_release(&read);
	}
	reply_release(&reply);
	buffer_clear(&text);
	error_set(&reply.error, EX_CONFIG, "no\nname=x");
	reply_print(&reply, &text);
	tap_ok(reply_parse(text.data, text.length, &read, &err) < 0 && err.code == EX_CONFIG && read.found.count == 0,
	    "an error is one line, whatever it says");
	reply_release(&read);
	buffer_release(&text);
}

int
main(void)
{
	test_members();
	test_round_trip();
	test_refused();
	test_reply();
	return tap_end();
}
