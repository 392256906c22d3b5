/* SPDX-License-Identifier: Apache-2.0
 *
 * A command that runs at a server, as seen from here: what it prints is printed, what is typed is sent to it, and so are signals.
 */
#ifndef REMOTE_SESSION_H
#define REMOTE_SESSION_H

struct destination;
struct error;
struct parcel;
struct parcel_terminal;

/* Fills in what there is at this end. */
void session_look(struct parcel_terminal *terminal);

/* Runs the command. Returns its exit code, or -1. A signal that has ended the command ends this process, too. */
int session_run(const struct destination *destination, const struct parcel *parcel, const struct parcel_terminal *terminal,
    struct error *err);

#endif
