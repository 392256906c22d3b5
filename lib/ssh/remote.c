/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/remote.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "event/supervise.h"
#include "model/take/task.h"
#include "ssh/archive-pipe.h"
#include "ssh/payload.h"
#include "ssh/ssh.h"

/* A closed standard error does not stop the task. */
static void
remote_show(void *to, const char *bytes, size_t length)
{
	(void)to;
	file_write_all(STDERR_FILENO, bytes, length);
}

enum { REMOTE_PIECE = 65536, REMOTE_AHEAD = 16 * REMOTE_PIECE, REMOTE_PAUSE_MS = 20 };

struct remote {
	struct supervisor supervisor;
	struct child child;
	struct response response;
	struct archive_pipe archive;
	bool gives; /* the archive, to the node */
	bool failed; /* the archive has: err says why */
};

/* Gives the node the next piece of the archive; behind the last one the end, if all of it was proven. */
static void
remote_give(struct remote *remote, struct error *err)
{
	char piece[REMOTE_PIECE], length[16];
	ssize_t n = read(remote->archive.fd, piece, sizeof piece);

	if (n < 0 && errno == EINTR)
		return;
	if (n > 0) {
		supervise_feed(&remote->supervisor, &remote->child, length, (size_t)snprintf(length, sizeof length, "%zd\n", n));
		supervise_feed(&remote->supervisor, &remote->child, piece, (size_t)n);
		return;
	}
	supervise_unwatch(&remote->supervisor, remote->archive.fd);
	remote->gives = false;
	remote->failed = archive_pipe_close(&remote->archive, err) < 0;
	if (remote->failed)
		supervise_ask(&remote->supervisor, &remote->child, RESPONSE_END_MS);
	else
		supervise_feed(&remote->supervisor, &remote->child, "0\n", 2);
}

/* Waits for the next event. While the node has much to take still, it is given no more. */
static enum supervise_event
remote_next(struct remote *remote)
{
	bool waits = remote->gives && remote->child.fed.length - remote->child.fed_used > REMOTE_AHEAD;
	enum supervise_event event;
	struct child *which;

	if (waits)
		supervise_unwatch(&remote->supervisor, remote->archive.fd);
	event = supervise_next(&remote->supervisor, waits ? REMOTE_PAUSE_MS : -1, &which);
	if (waits)
		supervise_watch(&remote->supervisor, remote->archive.fd, EPOLLIN);
	return event;
}

/* Reads the response until ssh has ended, which it is told to do once the response is complete. Returns the signal at which ssh
 * was told to end when the script has ended on the node, or 0. */
static int
remote_read(struct remote *remote, struct error *err)
{
	int signal = 0;

	for (;;) {
		enum supervise_event event = remote_next(remote);
		bool complete = response_read(&remote->response, &remote->supervisor, &remote->child);

		if (event == SUPERVISE_ENDED)
			return signal;
		if (event == SUPERVISE_SIGNAL)
			signal = remote->supervisor.signal;
		if (event == SUPERVISE_READY && remote->gives)
			remote_give(remote, err);
		if (complete)
			supervise_stop(&remote->supervisor, &remote->child);
		else if (signal)
			supervise_ask(&remote->supervisor, &remote->child, RESPONSE_END_MS);
	}
}

/* Runs the payload over ssh. */
static int
remote_go(struct remote *remote, const struct ssh *ssh, struct error *err)
{
	int signal, failed = -1;

	remote->child.argv = ssh->argv.list;
	if (supervise_init(&remote->supervisor, err) == 0 && supervise_start(&remote->supervisor, &remote->child, err) == 0) {
		if (remote->gives)
			supervise_watch(&remote->supervisor, remote->archive.fd, EPOLLIN);
		signal = remote_read(remote, err);
		if (signal)
			error_set(err, EX_TEMPFAIL, "stopped by %s", strsignal(signal));
		else if (!remote->failed)
			failed = response_finish(&remote->response, &remote->child, err);
	}
	supervise_release(&remote->supervisor);
	return failed;
}

int
remote_run(const struct machine *machine, struct payload *payload, bool become_root, const struct remote_archive *archive,
    struct remote_answer *answer, struct error *err)
{
	struct remote remote = {.response = {.log = remote_show}, .archive = {.fd = -1}, .gives = archive && archive->gives,
	    .child = {.input = payload->script.data, .input_length = payload->script.length,
	    .hold_input = true, .out_limit = RESPONSE_FACTS_BYTES, .tell_out = 1, .capture_err = true,
	    .die_with_us = true}};
	struct buffer command = {0};
	struct ssh ssh = {0};
	int failed = -1;

	response_begin(&remote.response, machine, payload, answer);
	if (ssh_prepare(machine, &ssh, err) < 0 ||
	    (archive && archive_pipe_open(&remote.archive, archive->key, archive->gives, err) < 0))
		goto out;
	if (archive && !archive->gives)
		remote.response.archive = remote.archive.fd;
	ssh_share(machine, &ssh);
	ssh_address(machine, &ssh);
	payload_command(payload, become_root, &command);
	arguments_push(&ssh.argv, command.data);
	failed = remote_go(&remote, &ssh, err);
	/* Only what a script has printed that said in the end that it is all is kept; what is not taken any more has a reason. */
	if ((failed == 0 && answer->status == 0 && remote.response.archive >= 0) ||
	    remote.response.archived == RESPONSE_ARCHIVE_FAILED)
		failed = archive_pipe_close(&remote.archive, err);
	archive_pipe_abandon(&remote.archive);
	child_release(&remote.child);
out:
	buffer_release(&command);
	response_release(&remote.response);
	ssh_release(&ssh);
	return failed;
}
