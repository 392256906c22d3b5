/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

static const char *
text_of(int number, const char *object)
{
	static struct error err;

	errno = number;
	error_errno(&err, EX_IOERR, "%s", object);
	return err.text;
}

static void
test_full(void)
{
	struct error err;

	tap_is_text(text_of(EIO, "/proc/here: write"), "/proc/here: write: Input/output error", "a failure is told with the text of errno");
	tap_is_text(text_of(ENOSPC, "/proc/self/none/x: write"), "/proc/self/none/x: write: No space left on device; make room on /proc",
	    "where a file system is full, it is named, also for a file that is not there yet");
	tap_is_text(text_of(EDQUOT, "/none"), "/none: Disk quota exceeded; make room on /", "a quota is told in the same way");
	tap_is_text(text_of(ENOSPC, "standard output"), "standard output: No space left on device; make room on its file system",
	    "what is no path has a file system all the same");
	errno = ENOSPC;
	error_errno(&err, EX_IOERR, "%0*d", (int)sizeof err.text - 30, 0);
	tap_is_text(err.text + strlen(err.text) - 3, "...", "a remedy that does not fit is cut");
	tap_is_number(errno, ENOSPC, "errno stays");
}

static void
test_prefix(void)
{
	struct error err;

	error_set(&err, EX_IOERR, "read: nothing there");
	error_prefix(&err, "job %d", 7);
	tap_is_text(err.text, "job 7: read: nothing there", "what a failure is about is put before it");
	error_prefix(&err, "job %d", 7);
	tap_is_text(err.text, "job 7: read: nothing there", "and is not said twice");
	error_prefix(&err, "job");
	tap_is_text(err.text, "job: job 7: read: nothing there", "what is only the beginning of a name is another");
}

int
main(void)
{
	test_full();
	test_prefix();
	return tap_end();
}
