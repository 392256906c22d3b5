/* SPDX-License-Identifier: Apache-2.0
 *
 * The shapes of values: all that a value of a request, or of the installation's file, can be. They are printable ASCII without blanks
 * (the key has one), and short.
 */
#ifndef SANDBOX_HELPER_SHAPE_H
#define SANDBOX_HELPER_SHAPE_H

#include <stdbool.h>

bool shape_is_id(const char *text);       /* A-Z a-z 0-9 _ . -, not first a dot, at most 100 */
bool shape_is_name(const char *text);     /* the same, at most 200: of a machine */
bool shape_is_token(const char *text);    /* the same and ":", at most 255 */
bool shape_is_mark(const char *text);     /* eight hexadecimal digits */
bool shape_is_hostname(const char *text); /* A-Z a-z 0-9 . -, a first label of at most 63 */
bool shape_is_network(const char *text);  /* digits and dots, "/", one or two digits */
bool shape_is_path(const char *text);     /* absolute, without a colon */
bool shape_is_paths(const char *text);    /* such, with colons between */
bool shape_is_image(const char *text);    /* "host", a path, or a path and ":" and an id */
bool shape_is_yes(const char *text);      /* "yes" */
bool shape_is_cpu(const char *text);      /* a decimal number, 0.05 or more */
bool shape_is_size(const char *text);     /* a decimal number, 32 or more */
bool shape_is_count(const char *text);    /* a whole number, 32 or more */
bool shape_is_key(const char *text);      /* "ssh-ed25519 " and its 68 characters */

#endif
