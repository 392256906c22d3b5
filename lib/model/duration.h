/* SPDX-License-Identifier: Apache-2.0
 *
 * Durations as people write them: "30s", "15m", "12h", "2d".
 */
#ifndef MODEL_DURATION_H
#define MODEL_DURATION_H

#include <stdint.h>

enum { DURATION_NONE = -1, DURATION_TOO_LONG = -2 };

/* Returns milliseconds; DURATION_TOO_LONG beyond a thousand years, DURATION_NONE if the text is no number with a unit behind it. */
int64_t duration_parse(const char *text);

#endif
