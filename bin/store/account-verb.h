/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-tenant and coopr-member, and coopr-quota.
 */
#ifndef BIN_STORE_ACCOUNT_VERB_H
#define BIN_STORE_ACCOUNT_VERB_H

int tenant_verb_list(int argc, char **argv);
int tenant_verb_show(int argc, char **argv);
int tenant_verb_create(int argc, char **argv);
int tenant_verb_change(int argc, char **argv);
int tenant_verb_delete(int argc, char **argv);
int tenant_verb_export(int argc, char **argv);
int tenant_verb_import(int argc, char **argv);

int member_verb_list(int argc, char **argv);
int member_verb_set(int argc, char **argv);
int member_verb_delete(int argc, char **argv);
int member_verb_history(int argc, char **argv);

int quota_verb(int argc, char **argv);

#endif
