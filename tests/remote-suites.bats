#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-remote(7): what the tests of commands say holds as well where a server does these commands, see through-server.

load case

# Runs a file of tests with a server, of which so many are to pass: through FILE COUNT
through() {
	need_program curl
	set -o pipefail
	# The servers hold the pipe: it ends when the last of them has.
	COOPR_TEST_SERVER=1 bats --tap "$BATS_TEST_DIRNAME/$1" 7>&1 >said | cat || {
		cat said
		return 1
	}
	[ "$(grep -c '^ok' said)" -ge "$2" ]
}

@test "tenants, members and quotas" {
	through coopr-tenant.bats 20
}
