/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/preference.h"

bool
terminal_colour(const char *option, FILE *stream)
{
	const char *refused = getenv("NO_COLOR"), *term = getenv("TERM"), *where;
	enum preference_source source = PREFERENCE_OPTION;

	if (!option)
		option = preference_find(PREFERENCE_COLOR, NULL, &source, &where);
	if (option && refused && *refused && (source == PREFERENCE_USER || source == PREFERENCE_SYSTEM))
		return false;
	if (option && strcmp(option, "always") == 0)
		return true;
	if (option && strcmp(option, "never") == 0)
		return false;
	if ((refused && *refused) || !term || strcmp(term, "dumb") == 0)
		return false;
	return isatty(fileno(stream));
}

size_t
terminal_width(FILE *stream)
{
	struct winsize size;

	if (ioctl(fileno(stream), TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

size_t
terminal_height(FILE *stream)
{
	struct winsize size;

	if (ioctl(fileno(stream), TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return 24;
	return size.ws_row;
}
