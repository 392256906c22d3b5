/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a browser of this machine comes back to from an OpenID provider: an address of the loopback interface, RFC 8252, section 7.3. Who
 * has the browser on another machine, where it finds nothing at that address, pastes the address.
 */
#ifndef REMOTE_LOOPBACK_H
#define REMOTE_LOOPBACK_H

struct error;
struct loopback;

/* Opens it, at whatever port is free. */
int loopback_open(struct loopback **loopback, struct error *err);

/* Returns its address, "http://127.0.0.1:40123/" (borrowed). */
const char *loopback_address(const struct loopback *loopback);

/* Shows the address of the provider to the user's browser: $BROWSER, or xdg-open(1) where there is a display. */
void loopback_show(const char *address);

/* Waits until the browser comes back with that state, or a line of standard input is the address with which it would; the code is the
 * caller's to free. EX_NOPERM where the provider has refused, or nobody came for ten minutes. */
int loopback_wait(struct loopback *loopback, const char *state, char **code, struct error *err);

void loopback_release(struct loopback *loopback);

#endif
