/* SPDX-License-Identifier: Apache-2.0
 *
 * One machine, two machines: messages choose the form of a word here, and what stands between things that they name one after the other.
 */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

/* Returns one where the count, of any type, is 1, else many. */
#define plural(count, one, many) ((count) == 1 ? (one) : (many))

/* Returns what is told before number i, from 0, of count things: ", " or nothing, and last, such as " and ", before the last one. */
#define plural_before(i, count, last) ((i) == 0 ? "" : (i) + 1 < (count) ? ", " : (last))

#endif
