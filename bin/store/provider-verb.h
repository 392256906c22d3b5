/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-provider.
 */
#ifndef BIN_STORE_PROVIDER_VERB_H
#define BIN_STORE_PROVIDER_VERB_H

/* Returns where else a provider may be that the store does not have: in a catalogue's folder, if one is set; "" if none is. */
const char *provider_verb_elsewhere(void);

int provider_verb_list(int argc, char **argv);
int provider_verb_describe(int argc, char **argv);
int provider_verb_test(int argc, char **argv);
int provider_verb_import_flavors(int argc, char **argv);

#endif
