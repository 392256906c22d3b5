/* SPDX-License-Identifier: Apache-2.0
 *
 * What clients of Cask's Coopr keep of a user in a tenant: an object that only they understand, coopr-api-v2(7).
 */
#ifndef ACCOUNT_PROFILES_H
#define ACCOUNT_PROFILES_H

struct account;
struct error;

enum { PROFILE_MAX = 64 << 10 }; /* bytes of its text */

/* Gives the profile of the account's user, which the caller frees. EX_NO where there is none. */
int profiles_get(struct account *account, char **document, struct error *err);

/* Sets it to an object, as text; EX_DATAERR where that is too long. */
int profiles_set(struct account *account, const char *document, struct error *err);

/* Deletes it; that there is none is no failure. */
int profiles_delete(struct account *account, struct error *err);

#endif
