/* SPDX-License-Identifier: Apache-2.0
 *
 * Who asks, and what they may see and do. All that concerns clusters, members and tenants is asked through an account; what
 * its user may not see does not exist for it.
 *
 *	read-only	sees all clusters of the tenant, and changes nothing
 *	user		sees and acts on the clusters they own, or whose group they are in
 *	admin		of a tenant: all its clusters; its entities and members
 *	superadmin	everything; tenants and quotas. That is an admin of the tenant "superadmin", root, and the owner of the store.
 *
 * Who has become the store's owner by sudo(8) is the user who called it.
 */
#ifndef ACCOUNT_ACCOUNTS_H
#define ACCOUNT_ACCOUNTS_H

#include "account/rights.h"
#include "store/store.h"

struct error;

struct account_ask { /* all may be NULL */
	const char *store;  /* path; location_store */
	const char *tenant; /* $COOPR_TENANT; the only one the user is a member of; "default" */
	const char *user;   /* act as that user: for an admin of the tenant; $COOPR_USER */
	const char *why;    /* for the history; borrowed */
	const char *asker;  /* the server asks for that user, and nothing of its own environment counts; NULL: who runs this process */
	struct rights_limit limit; /* of the asker */
};

struct account { /* release it, also where it could not be opened */
	struct store *store; /* open; its tenant and by are those below */
	char *user, *tenant;
	char *groups; /* JSON: those of the tenant that the user is in */
	enum account_role role;
	bool sees_all; /* clusters of the tenant, and not only their own */
	struct rights_limit limit;
	bool of_tenant; /* it is told of no other tenant: it is limited to one, or an administrator of one acts as its user */
};

/* Opens the store (STORE_CREATE makes it on first use; a command that only reads does not) and says who asks. EX_NO where there
 * is no such tenant, or none that the user is a member of ("default" is open to all); EX_NOPERM where one may not act as
 * another; and where one who only reads opens it for more. A store that was named by ask is the usual one from then on, for this process and those it starts. */
int account_open(struct account *account, const struct account_ask *ask, enum store_mode mode, struct error *err);

/* Looks again at what the user of an account that a server has opened is, and fails as account_open does where that is nobody now. */
int account_renew(struct account *account, struct error *err);

void account_release(struct account *account);

/* Returns the user whose memberships show which other tenants there are; "" where it is told of none. Borrowed. */
const char *account_member(const struct account *account);

/* Returns the database of the account's store, for the folders of the store. */
struct sql *account_sql(const struct account *account);

/* Returns 0 if the account may do more than read, else -1 with EX_NOPERM. */
int account_need_more(const struct account *account, struct error *err);

/* Returns 0 if the account has that role or a higher one, else -1 with EX_NOPERM; what: "tenant qa: changing its quota". */
int account_need(const struct account *account, enum account_role role, const char *what, struct error *err);

#endif
