/* SPDX-License-Identifier: Apache-2.0
 *
 * What every ssh of ours is told, wherever it goes: it asks nobody, reads no configuration that is not ours, and takes no host key that is not pinned.
 */
#ifndef SSH_OPTIONS_H
#define SSH_OPTIONS_H

struct arguments;

/* Pushes the options. */
void options_push(struct arguments *argv);

#endif
