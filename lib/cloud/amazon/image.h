/* SPDX-License-Identifier: Apache-2.0
 *
 * Which image a word means: that of an id, or the newest of a name, which its owner gives. A name alone is one of the account's own, since anybody may
 * publish an image of any name.
 */
#ifndef CLOUD_AMAZON_IMAGE_H
#define CLOUD_AMAZON_IMAGE_H

struct arena;
struct cloud;
struct error;
struct stop;

/* Returns the id of an image, in the arena: of "ami-0123456789abcdef0", "golden", "136693071363/debian-12-amd64-*"; NULL with an error. What was found
 * is kept until the process ends. */
const char *ec2_image(const struct cloud *cloud, const char *image, const struct stop *stop, struct arena *arena, struct error *err);

#endif
