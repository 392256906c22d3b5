/* SPDX-License-Identifier: Apache-2.0
 *
 * One machine, two machines: messages choose the form of a word here.
 */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

/* Returns one where the count, of any type, is 1, else many. */
#define plural(count, one, many) ((count) == 1 ? (one) : (many))

#endif
