/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages as versions before the outbox kept them: a file for each message and hook in STATE/hooks.
 */
#ifndef HOOK_HOOK_FILES_H
#define HOOK_HOOK_FILES_H

struct store;

/* Moves them to the outbox. A file that cannot be moved stays, with a notice. */
void hook_adopt_files(struct store *store);

#endif
