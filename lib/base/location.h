/* SPDX-License-Identifier: Apache-2.0
 *
 * Where things are. For what a person may place: option over environment over the files of coopr-config(5) over default; the
 * default is below XDG_STATE_HOME or XDG_CONFIG_HOME for a person, and in /var/spool, /var/lib
 * and /etc for root. What was installed is found relative to the running program, so a checkout
 * and an installation work alike.
 * All strings returned are the caller's to free.
 */
#ifndef BASE_LOCATION_H
#define BASE_LOCATION_H

#include <stdbool.h>

struct error;

/* Returns option, the preference, /var/spool/coopr or $XDG_STATE_HOME/coopr/spool */
char *location_spool(const char *option);

/* Returns option, the preference, or what location_installed("share/coopr/catalogue") gives */
char *location_catalogue(const char *option);

/* Returns option, the preference, or "store.sqlite3" in what location_state() gives */
char *location_store(const char *option);

/* Returns the preference, /var/lib/coopr or $XDG_STATE_HOME/coopr: keys, sandbox nodes, clusters of the front */
char *location_state(void);

/* Returns whether name is SCHEME://...; scheme NULL: whether it is a path, which has none. */
bool location_has_scheme(const char *name, const char *scheme);

/* Refuses, with EX_NOPERM and the remedy, what another user keeps at path and this one may not open, or could but must not:
 * what root makes there is closed to the owner. Returns 0 where nothing is there yet. */
int location_check_owner(const char *path, struct error *err);

/* Returns the kind of the network file system that path is on, as "nfs"; NULL where it is on none, or does not exist. There,
 * mapped files, locks that children inherit and SQLite's log are not what they are on a disk of this host. */
const char *location_network(const char *path);

/* Refuses, with EX_CONFIG and the remedy, a path to be written that is on a network file system. */
int location_check_local(const char *path, struct error *err);

/* Returns whether path is, or leads into or around, what coopr keeps for all: state, spool, store, settings of the
 * system. Documents of tenants may not name such. */
bool location_is_own(const char *path);

/* Returns a short path for sockets, private to this user (made 0700): $XDG_RUNTIME_DIR/coopr, /run/coopr if that is ours, or
 * /tmp/coopr-UID, or where somebody else took that, or could take it away, a fresh /tmp/coopr-UID.XXXXXX. NULL with errno where none can be made. */
char *location_runtime(void);

/* Returns a folder private to this user (0700) whose files are in memory, not on a disk: what location_runtime() gives, if it is such,
 * else one in /dev/shm. NULL with errno where there is none. */
char *location_memory(void);

/* Returns the path of an installed file, as "share/coopr/schema": below the root that holds the bin/ or
 * libexec/coopr/ that this program runs from. */
char *location_installed(const char *relative);

/* Returns the executable of a plugin, as ("provider", "sandbox"): in the folders of $COOPR_PLUGINS (colons
 * between), then in the installation's libexec/coopr. NULL where there is none. */
char *location_plugin(const char *kind, const char *name);

/* Returns the path of a script, or of a file that one needs: name itself where it is absolute, else what there is of that name in scripts/
 * or files/ of the catalogue (NULL: there is none), in a folder of the plugin there ("automator/itamae"; NULL: it has none), or in
 * share/coopr/services. NULL with EX_CONFIG, which says where it was looked for. */
char *location_script(const char *catalogue, const char *plugin, const char *name, struct error *err);

/* Returns whether a name, which is relative, stays below the folder where it starts: no part of it is empty, . or .. */
bool location_is_inside(const char *name);

/* Returns whether a name may be that of something outside of the folder where it starts. */
bool location_leads_out(const char *name);

/* Returns whether a file of that name, where there is one, was sent by who calls the command from another machine: the command runs in a
 * folder of such files, as $COOPR_SENT says, which only the server sets. */
bool location_is_sent(const char *name);

/* Returns where the file or folder of that name, which was sent, is at the other machine, as "laptop:/home/ann/clusters"; or the name. */
char *location_sent_from(const char *name);

/* Returns the next path of a list with colons between, and moves list behind it; NULL at its end. Empty ones are passed over,
 * and list may be NULL. */
char *location_next(const char **list);

#endif
