/* SPDX-License-Identifier: Apache-2.0
 *
 * A provider plugin made of the API of a cloud: one task, or many in one process, each in a thread of its own, where they share
 * connections, rate and lists.
 */
#ifndef CLOUD_PLUGIN_H
#define CLOUD_PLUGIN_H

struct cloud_api;

/* Members of the description that all providers of clouds have: of the plugin, and of its fields. */
#define CLOUD_DESCRIBES "\"cluster_key\":true,\"installation\":true,\"bastion\":true,\"stream\":true,\"stream_secrets\":true,\"test\":true,"
#define CLOUD_PROPERTIES \
	"\"ca_file\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"A file of certificates that are trusted in place of the system's\"}," \
	"\"proxy\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The URL of a proxy; by default as the environment says\"}," \
	"\"tls_unverified\":{\"type\":\"boolean\",\"default\":false,\"of\":\"installation\",\"description\":\"Take TLS from whoever answers\"}," \
	"\"requests_per_second\":{\"type\":\"number\",\"description\":\"How many requests are sent in a second at most, by one worker\"}," \
	CLOUD_TIME_PROPERTIES

/* Those of them that have nothing to do with HTTP. */
#define CLOUD_TIME_PROPERTIES \
	"\"consistency_s\":{\"type\":\"number\",\"minimum\":0,\"description\":\"For how long a machine that was made may be missing in the cloud's lists\"}," \
	"\"poll_s\":{\"type\":\"number\",\"default\":2,\"description\":\"How many seconds are between two lists while machines start\"}"

/* Of those whose machines get user data. */
#define CLOUD_CONFIG_PROPERTY \
	"\"cloud_config\":{\"type\":\"string\",\"description\":\"What cloud-init does on each machine: a document\"}"

/* Does all of a plugin's main. Returns the exit code. */
int cloud_plugin_main(const struct cloud_api *api, int argc, char **argv);

#endif
