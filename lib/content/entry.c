/* SPDX-License-Identifier: Apache-2.0 */
#include "content/entry.h"

#include <archive_entry.h>
#include <string.h>

bool
entry_is_inside(const char *path)
{
	if (!*path || strlen(path) > ENTRY_PATH_MAX)
		return false;
	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 0 || (length <= 2 && strspn(path, ".") >= length))
			return false;
		path += length + (path[length] == '/');
	}
	return true;
}

bool
entry_is_plain(struct archive_entry *entry)
{
	mode_t type = archive_entry_filetype(entry);

	return (type == AE_IFREG || type == AE_IFDIR) && !archive_entry_hardlink(entry) && !archive_entry_symlink(entry);
}
