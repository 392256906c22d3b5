/* SPDX-License-Identifier: Apache-2.0
 *
 * What a machine tells of itself by way of its cloud: cloud-init prints the host keys on the console when it starts, and a script of ours may report
 * the files that they are in.
 */
#ifndef CLOUD_CONSOLE_H
#define CLOUD_CONSOLE_H

struct arena;
struct string_list;

/* Sets keys to those that stand between the last two lines which cloud-init puts around them: those of the last boot. None: count 0. */
void console_read_keys(const char *console, struct arena *arena, struct string_list *keys);

/* Sets keys to those that lines begin with, "ssh-ed25519 AAAA... root@host". */
void console_read_lines(const char *text, struct arena *arena, struct string_list *keys);

#endif
