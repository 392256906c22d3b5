/* SPDX-License-Identifier: Apache-2.0
 *
 * Guests: who acts as the owner of the installation's store by sudo(8) or through coopr-serve, and is no superadmin of it. What they
 * ask through an account is answered as it is to them. But the owner's rights over files are theirs as well, of which the store knows
 * nothing: so they may name no file and no folder, but standard input, and use nothing that shows or changes things without asking
 * whose they are. Through a server nobody names a file, but those that come with the request
 * (location_is_sent): it would be another machine's. The commands that ours start in turn for them
 * are not refused.
 */
#ifndef ACCOUNT_GUEST_H
#define ACCOUNT_GUEST_H

struct error;

/* Each 0, or -1 with EX_NOPERM for a guest (or the reason why the store cannot say who is one). what: "the queue". */
int guest_refuse(const char *what, struct error *err);

/* The same where an option that takes a file or a folder was given one; where path is neither NULL nor "-", standard input; and where
 * it is not NULL. */
int guest_refuse_options(struct error *err);
int guest_refuse_file(const char *path, struct error *err);
int guest_refuse_folder(const char *path, struct error *err);

/* From now on what this process does, and starts, was asked for through an account. */
void guest_vouch(void);

#endif
