/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-ssh-certificate: signs a public key of ssh with the key of a cluster, whose nodes admit it for five minutes then. Exits with 0; 1
 * where there is no such cluster or node; 64 on misuse; 65 where there is no public key; 75 where the node cannot be reached; 77 where the
 * account may only read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/guest.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/message.h"
#include "base/option.h"
#include "json/json.h"
#include "model/show/output.h"
#include "operation/target.h"
#include "show/login-certificate.h"
#include "status/status.h"

enum { PUBLIC_KEY_MAX = 16 << 10 };

static struct status_options places;
static struct target_options chosen;

static const struct option_spec options[] = {TARGET_OPTIONS(&chosen), STATUS_FORMATS(&places, OUTPUT_TEXT), STATUS_PLACES(&places), OPTION_END};

static const struct command command = {
	"coopr-ssh-certificate", "[OPTION]... CLUSTER[/NODE|/@SERVICE] FILE", "Sign a public key of ssh for the nodes of a cluster.", options,
	"  coopr-ssh-certificate shop ~/.ssh/id_ed25519.pub >~/.ssh/id_ed25519-cert.pub\n"
	"  coopr-ssh-certificate shop/1000 - <key.pub\n"};

/* Reads the public key, one line. */
static int
certificate_read_key(const char *path, struct buffer *public, struct error *err)
{
	int result = guest_refuse_file(path, err);

	if (result == 0 && strcmp(path, "-") == 0)
		result = file_read_fd(STDIN_FILENO, "standard input", PUBLIC_KEY_MAX, public, err);
	else if (result == 0)
		result = file_read(AT_FDCWD, path, PUBLIC_KEY_MAX, public, err);
	return result;
}

static void
certificate_print(jv record)
{
	struct output output = output_open(places.format, places.colour);
	char *certificate = json_get_string(record, "certificate");

	if (output_is_records(&output))
		output_value(&output, record);
	else
		puts(certificate);
	free(certificate);
}

int
main(int argc, char **argv)
{
	struct cluster_status status = {0};
	struct buffer public = {0};
	struct target target;
	const struct node *node;
	struct error err;
	int result = -1;
	jv record;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || !argv[1] || argv[2])
		return option_misuse(&command, !argv[0] ? "missing argument CLUSTER" : !argv[1] ? "missing argument FILE" : "unexpected argument '%s'",
		    argv[0] && argv[1] ? argv[2] : "");
	target_operand_nodes(&command, argv[0], &chosen, &target);

	if (certificate_read_key(argv[1], &public, &err) == 0 && status_open(&status, &places, target.cluster, &err) == 0 &&
	    account_need_more(&status.account, &err) == 0 && status_layout(&status, &err) == 0 && (node = target_first(&target, &status.layout, &err)))
		result = login_certificate(&status, node, &public, &record, &err);
	if (result == 0) {
		certificate_print(record);
		jv_free(record);
	}
	status_release(&status);
	buffer_release(&public);
	target_release(&target);
	return message_end(result < 0 ? message_error(&err) : 0);
}
