/* SPDX-License-Identifier: Apache-2.0
 *
 * Tags of DigitalOcean: words of letters, digits, ":", "-" and "_", one for each of ours, "coopr-provider:ocean". The account keeps a word until it is
 * deleted, so that what is of one machine alone is one word: "coopr-machine:00000042-1000:TOKEN".
 */
#ifndef CLOUD_DIGITALOCEAN_TAG_H
#define CLOUD_DIGITALOCEAN_TAG_H

struct cloud_machine;
struct cloud_machines;

/* Returns the tag that stands for a name and a value, which the caller frees; what a tag may not have is "_" and a number. */
char *do_tag(const char *name, const char *value);

/* Returns that of a machine, whose node says of which cluster it is; the caller frees it. */
char *do_machine_tag(const char *node, const char *token);

/* Sets what a tag says of the machine, if it is one of ours. */
void do_read_tag(struct cloud_machines *machines, struct cloud_machine *machine, const char *tag);

#endif
