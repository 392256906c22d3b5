/* SPDX-License-Identifier: Apache-2.0
 *
 * What providers of laboratories have in common: their machines are made by a daemon on a host of one's own, where whoever asks for one may take
 * all. So only the installation writes such a provider, and its fields say what a machine of a flavor takes of the host.
 */
#ifndef CLOUD_LABORATORY_H
#define CLOUD_LABORATORY_H

#include "cloud/cloud.h"

struct laboratory_size { /* of machines of a flavor; 0: without a bound of its own */
	const char *name;
	double cpu;
	double memory;    /* MiB */
	double disk;      /* MiB */
	double processes;
};

struct laboratory { /* the first member of the cloud's state */
	struct laboratory_size *sizes; /* in the arena of the cloud */
	size_t count;                  /* 0: any flavor will do, and bounds nothing */
	const char *public_key;        /* for clusters without a key of their own; or NULL */
	const char *base;              /* of the URLs of a daemon that is asked over HTTP; else NULL */
};

#define LABORATORY_PROPERTIES \
	"\"flavors\":{\"type\":\"object\",\"of\":\"installation\",\"description\":\"What machines of a flavor take of the host at most; * is any other flavor\"," \
	"\"additionalProperties\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" \
	"\"cpu\":{\"type\":\"number\",\"minimum\":0.05,\"description\":\"Processors\"}," \
	"\"memory\":{\"type\":\"number\",\"minimum\":16,\"description\":\"MiB\"}," \
	"\"disk\":{\"type\":\"number\",\"minimum\":16,\"description\":\"MiB\"}," \
	"\"processes\":{\"type\":\"number\",\"minimum\":16}}}}," \
	"\"public_key\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The public key that opens machines of clusters without a key of their own\"}"

/* Those of a daemon that is asked over HTTP. */
#define LABORATORY_DAEMON_PROPERTIES \
	"\"client_certificate\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"A file of PEM with the certificate by which a daemon at a URL knows us\"}," \
	"\"client_key\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The file of its private key\"}"

/* Reads the fields, with problems for what is wrong, and for a provider that a tenant has written. */
void laboratory_open(struct cloud *cloud, struct laboratory *laboratory);

/* Reads those of a daemon that is asked over HTTP, and returns the base of its URLs: it is at the field endpoint, a socket of this host or a URL, or
 * else at the usual one. */
const char *laboratory_read_daemon(struct cloud *cloud, struct client_settings *settings, const char *usual);

/* Returns the size of a flavor; NULL with EX_CONFIG where the fields have none. */
const struct laboratory_size *laboratory_find_size(const struct cloud *cloud, const char *flavor, struct error *err);

/* Adds the flavors that the fields have, as struct cloud_api has it. */
int laboratory_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err);

#endif
