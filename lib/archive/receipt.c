/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/receipt.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { NOTES_BYTES = 65536 };

int
receipt_begin(struct error *err)
{
	int receipt = memfd_create("receipt", MFD_CLOEXEC);
	char *path = memory_printf("/proc/%ld/fd/%d", (long)getpid(), receipt);

	if (receipt < 0)
		error_errno(err, EX_OSERR, "a receipt of archives");
	else
		setenv(RECEIPT_VARIABLE, path, 1);
	free(path);
	return receipt;
}

int
receipt_note(const char *verb, const char *key, struct error *err)
{
	const char *path = getenv(RECEIPT_VARIABLE);
	int receipt, result;
	char *line;

	if (!path)
		return 0;
	receipt = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (receipt < 0)
		return error_errno(err, EX_IOERR, "%s", path);
	line = memory_printf("%s %s\n", verb, key);
	result = file_write_all(receipt, line, strlen(line));
	if (result < 0)
		error_errno(err, EX_IOERR, "%s", path);
	close(receipt);
	free(line);
	return result;
}

bool
receipt_has(int receipt, const char *verb, const char *key)
{
	struct buffer notes = {0};
	struct error ignored;
	char *line = memory_printf("%s %s\n", verb, key);
	bool has = lseek(receipt, 0, SEEK_SET) == 0 && file_read_fd(receipt, "receipt", NOTES_BYTES, &notes, &ignored) == 0 &&
	    strstr(buffer_string(&notes), line);

	buffer_release(&notes);
	free(line);
	return has;
}
