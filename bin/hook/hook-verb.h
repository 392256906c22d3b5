/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-hook.
 */
#ifndef BIN_HOOK_HOOK_VERB_H
#define BIN_HOOK_HOOK_VERB_H

int hook_verb_list(int argc, char **argv);
int hook_verb_try(int argc, char **argv);
int hook_verb_deliver(int argc, char **argv);

#endif
