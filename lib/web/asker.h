/* SPDX-License-Identifier: Apache-2.0
 *
 * Who asks the server, and the environment in which a command knows that (store/client.h).
 */
#ifndef WEB_ASKER_H
#define WEB_ASKER_H

#include <sys/types.h>

struct arguments;

/* Fills in the environment of a command that this user has asked for: ours, without what says who has started the server. */
void asker_environment(uid_t uid, struct arguments *environment);

#endif
