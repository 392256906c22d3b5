/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-volume.
 */
#ifndef BIN_STORE_VOLUME_VERB_H
#define BIN_STORE_VOLUME_VERB_H

int volume_verb_list(int argc, char **argv);
int volume_verb_snapshot(int argc, char **argv);
int volume_verb_restore(int argc, char **argv);
int volume_verb_delete(int argc, char **argv);

#endif
