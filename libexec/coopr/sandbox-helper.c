/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox-helper: makes sandbox machines for users who are not root, coopr-sandbox(7). It is started as root by whoever listens at
 * its socket, for each connection, which is its standard input: coopr-sandbox@.service. It reads one request, answers and ends; its
 * log is stderr. Its operand is the file that says what users may ask for. 0: it has answered, 64 misuse, 71 it could not, 74 nobody
 * took the answer, 77 not root, or a file that others may change, 78 a setting in it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "sandbox/helper/allowance.h"
#include "sandbox/helper/serve.h"

static const struct option_spec options[] = {OPTION_END};

static const struct command command = {
	"sandbox-helper",
	"FILE",
	"makes sandbox machines for the user at its socket, which is standard input",
	options,
	"  systemd-socket-activate -a --inetd -l /run/coopr-sandbox.socket sandbox-helper /etc/coopr/sandbox\n",
};

/* Keeps nothing of who started this but the socket, which it returns: what is run later shall not have it. */
static int
helper_detach(struct error *err)
{
	int socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (socket < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || clearenv() != 0 ||
	    setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1) < 0 || chdir("/") < 0)
		return error_errno(err, EX_OSERR, "socket");
	close(null);
	umask(022);
	signal(SIGPIPE, SIG_IGN);
	return socket;
}

/* Has the library keep its state where root's file says. */
static int
helper_settle(const struct allowance *allowance, struct error *err)
{
	char *state = allowance_state(allowance);
	int result = setenv("COOPR_STATE", state, 1);

	free(state);
	return result < 0 ? error_errno(err, EX_OSERR, "environment") : 0;
}

int
main(int argc, char **argv)
{
	struct allowance allowance;
	struct error err;
	int socket, result;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || argv[1])
		return option_misuse(&command, "missing argument FILE");
	if (geteuid() != 0) {
		error_set(&err, EX_NOPERM, "only root can help");
		return message_error(&err);
	}
	socket = helper_detach(&err);
	if (socket < 0)
		return message_error(&err);

	result = allowance_read(argv[0], &allowance, &err);
	if (result == 0)
		result = helper_settle(&allowance, &err);
	if (result == 0)
		result = serve_request(socket, &allowance, &err);
	allowance_release(&allowance);
	return result < 0 ? message_error(&err) : EX_OK;
}
