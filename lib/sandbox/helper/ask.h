/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the helper: machines that a service of root makes, at a socket of this host, coopr-sandbox(7). Names of machines are the
 * helper's; a user sees those of this installation, and logs in with its own key.
 */
#ifndef SANDBOX_HELPER_ASK_H
#define SANDBOX_HELPER_ASK_H

#include <stdbool.h>

struct error;
struct maker;

/* Returns whether there is a helper that this user may ask. Where there is one for others only, or none, err says what to do. */
bool ask_is_allowed(struct error *err);

/* Returns the path of the helper's socket; the caller frees it. */
char *ask_path(void);

extern const struct maker ask_maker;

#endif
