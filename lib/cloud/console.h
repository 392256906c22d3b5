/* SPDX-License-Identifier: Apache-2.0
 *
 * What a machine prints on its console when it starts, as clouds tell it: cloud-init prints the host keys there.
 */
#ifndef CLOUD_CONSOLE_H
#define CLOUD_CONSOLE_H

struct arena;
struct string_list;

/* Sets keys to those that stand between the last two lines which cloud-init puts around them: those of the last boot. None: count 0. */
void console_read_keys(const char *console, struct arena *arena, struct string_list *keys);

#endif
