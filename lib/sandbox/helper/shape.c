/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/helper/shape.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define ID LETTERS DIGITS "_.-"

enum { ID_MOST = 100, NAME_MOST = 200, TOKEN_MOST = 255, HOST_MOST = 253, LABEL_MOST = 63, PATH_MOST = 1024, NUMBER_MOST = 15,
	NUMBER_LARGEST = 1000000000, WHOLE_MOST = 9, MARK_LENGTH = 8, KEY_LENGTH = 68 };

static bool
shape_has_only(const char *text, const char *allowed, size_t most)
{
	size_t length = strspn(text, allowed);

	return length > 0 && length <= most && !text[length];
}

bool
shape_is_id(const char *text)
{
	return shape_has_only(text, ID, ID_MOST) && *text != '.';
}

bool
shape_is_name(const char *text)
{
	return shape_has_only(text, ID, NAME_MOST) && *text != '.';
}

bool
shape_is_token(const char *text)
{
	return shape_has_only(text, ID ":", TOKEN_MOST);
}

bool
shape_is_mark(const char *text)
{
	return shape_has_only(text, DIGITS "abcdef", MARK_LENGTH) && strlen(text) == MARK_LENGTH;
}

bool
shape_is_hostname(const char *text)
{
	size_t label = strcspn(text, ".");

	return shape_has_only(text, LETTERS DIGITS ".-", HOST_MOST) && label > 0 && label <= LABEL_MOST && *text != '-';
}

bool
shape_is_network(const char *text)
{
	size_t address = strspn(text, DIGITS "."), prefix = text[address] == '/' ? strspn(text + address + 1, DIGITS) : 0;

	return address >= strlen("1.1.1.1") && address <= strlen("255.255.255.255") && prefix >= 1 && prefix <= 2 &&
	    !text[address + 1 + prefix];
}

/* Returns whether the first length bytes are an absolute path. */
static bool
shape_is_path_of(const char *text, size_t length)
{
	if (length == 0 || length > PATH_MOST || *text != '/')
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == ':')
			return false;
	return true;
}

bool
shape_is_path(const char *text)
{
	return shape_is_path_of(text, strlen(text));
}

bool
shape_is_paths(const char *text)
{
	for (;;) {
		size_t length = strcspn(text, ":");

		if (!shape_is_path_of(text, length))
			return false;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

bool
shape_is_image(const char *text)
{
	size_t path = strcspn(text, ":");

	return strcmp(text, "host") == 0 || (shape_is_path_of(text, path) && (!text[path] || shape_is_id(text + path + 1)));
}

bool
shape_is_yes(const char *text)
{
	return strcmp(text, "yes") == 0;
}

static bool
shape_is_number(const char *text, double least)
{
	char *end;
	double number = strtod(text, &end);

	return shape_has_only(text, DIGITS ".", NUMBER_MOST) && number >= least && number <= NUMBER_LARGEST && !*end;
}

bool
shape_is_cpu(const char *text)
{
	return shape_is_number(text, 0.05);
}

bool
shape_is_size(const char *text)
{
	return shape_is_number(text, 32);
}

bool
shape_is_count(const char *text)
{
	return shape_has_only(text, DIGITS, WHOLE_MOST) && shape_is_number(text, 32);
}

bool
shape_is_key(const char *text)
{
	static const char type[] = "ssh-ed25519 ";

	return strncmp(text, type, strlen(type)) == 0 && shape_has_only(text + strlen(type), LETTERS DIGITS "+/=", KEY_LENGTH) &&
	    strlen(text) == strlen(type) + KEY_LENGTH;
}
