/* SPDX-License-Identifier: Apache-2.0
 *
 * Calling one hook: an executable with the message on its standard input, or a signed POST to a URL.
 */
#ifndef HOOK_HOOK_CALL_H
#define HOOK_HOOK_CALL_H

struct error;
struct hook;
struct outbox_message;

enum hook_answer {
	HOOK_ACCEPTS,
	HOOK_REFUSES, /* for good; err says why, in its own words */
	HOOK_FAILS,   /* this time: it hangs, there is no connection, 5xx */
};

/* Calls the hook. err has EX_NO or EX_TEMPFAIL and "hook NAME: ..." where it does not accept. */
enum hook_answer hook_call(const struct hook *hook, const struct outbox_message *message, struct error *err);

#endif
