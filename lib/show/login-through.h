/* SPDX-License-Identifier: Apache-2.0
 *
 * Logging in to nodes through a server, from a machine that has nothing of the installation: the server shows the nodes, it signs a key
 * that is made here, and it makes the connection (libexec/coopr/ssh-tunnel). The files are in a folder in memory.
 */
#ifndef SHOW_LOGIN_THROUGH_H
#define SHOW_LOGIN_THROUGH_H

struct arguments;
struct buffer;
struct cluster_status;
struct error;
struct memory_folder;
struct node;
struct status_options;

/* The variable in which libexec/coopr/remote tells a command through which server it logs in, and coopr-show which one knows the clusters. */
#define LOGIN_THROUGH "COOPR_THROUGH"

struct login_through { /* release it */
	const char *server, *cluster; /* as the user calls them */
	const struct status_options *places;
	char *key, *known_hosts; /* paths of files: the private key, and the host keys that were pinned */
	char *config;            /* ... and all of that for ssh(1), where it was written; or NULL */
};

/* Returns the server through which nodes are entered; NULL: they are entered from here. */
const char *login_through_server(void);

/* Fills in the layout of the cluster, as the server shows it, and makes a key, in the folder, which is open. */
int login_through_open(struct login_through *through, const struct status_options *places, const char *cluster,
    const struct memory_folder *folder, struct cluster_status *status, struct error *err);

/* Returns the path of the certificate for a node, which the caller frees. */
char *login_through_certificate(const struct login_through *through, const struct node *node);

/* Has the key signed for a node. */
int login_through_certify(const struct login_through *through, const struct node *node, struct error *err);

/* Appends a line for the shell that does the same at any time later. */
void login_through_print_renewal(const struct login_through *through, const struct node *node, struct buffer *out);

/* Writes a configuration into the folder, for programs that run ssh with it. */
int login_through_write_config(struct login_through *through, const struct memory_folder *folder, const struct buffer *config,
    struct error *err);

/* Appends the value of ProxyCommand for a node. */
void login_through_print_proxy(const struct login_through *through, const struct node *node, struct buffer *out);

void login_through_release(struct login_through *through);

#endif
