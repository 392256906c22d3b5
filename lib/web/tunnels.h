/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections that are the way to the sshd of a node, coopr-api(7): after the head of the answer both sides send what they like. The bytes
 * go to and come from a command, which finds the node, and ends once who asks may not enter it any more.
 */
#ifndef WEB_TUNNELS_H
#define WEB_TUNNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asker;
struct child;
struct error;
struct http_exchange;
struct route_match;
struct store;
struct supervisor;
struct tunnels;

int tunnels_open(struct tunnels **tunnels, struct supervisor *supervisor, struct store *store, struct error *err); /* both borrowed */

/* Starts the command of the route. The request is answered once the node has said something, or the command why it cannot be reached. */
void tunnels_start(struct tunnels *tunnels, const struct route_match *match, const struct asker *asker, struct http_exchange *exchange);

/* Returns whether a child is one of these. */
bool tunnels_have(const struct tunnels *tunnels, const struct child *child);

/* Passes on what a child has printed; takes more for one that has taken all; tells of its end. */
void tunnels_send(struct tunnels *tunnels, struct child *child);
void tunnels_fed(struct tunnels *tunnels, struct child *child);
void tunnels_finish(struct tunnels *tunnels, struct child *child);

/* Nobody waits any more for the answer. Returns whether it was one of these. */
bool tunnels_left(struct tunnels *tunnels, struct http_exchange *exchange);

/* Does what there is to do, and ends what was begun with a token that is not valid any more. Returns the milliseconds until that is due
 * again; -1: when something comes. */
int64_t tunnels_turn(struct tunnels *tunnels);

/* Ends all. */
void tunnels_end(struct tunnels *tunnels);

void tunnels_close(struct tunnels *tunnels);

#endif
