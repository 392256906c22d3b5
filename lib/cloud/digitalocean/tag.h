/* SPDX-License-Identifier: Apache-2.0
 *
 * Tags of DigitalOcean: words of letters, digits, ":", "-" and "_", one for each of ours, "coopr-node:00000042-1000".
 */
#ifndef CLOUD_DIGITALOCEAN_TAG_H
#define CLOUD_DIGITALOCEAN_TAG_H

struct cloud_machine;
struct cloud_machines;

/* Returns the tag that stands for a name and a value, which the caller frees; what a tag may not have is "_" and a number. */
char *do_tag(const char *name, const char *value);

/* Sets what a tag says of the machine, if it is one of ours. */
void do_read_tag(struct cloud_machines *machines, struct cloud_machine *machine, const char *tag);

#endif
