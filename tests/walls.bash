# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Who attacks the walls of coopr-security(7), and how it is seen that nothing of the host was touched:
#
#	load case
#	load walls
#
#	walls_tenant                    a store with the tenant qa and the catalogue mine
#	walls_setup                     a store with tenants qa (admin ann, user bob) and dev (admin eve); the host's file canary
#	nothing_was_touched [FOLDER...] fails where a call of the kernel in the file trace has named a canary, or where its content is
#	                                in out, the store, the state or the folders

walls_tenant() {
	coopr-store init
	coopr-tenant create qa
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa bob
	coopr-store import -T qa mine >/dev/null 2>&1
	unset COOPR_CATALOGUE
}

walls_setup() {
	need_root
	need_program strace jq
	fresh
	export COOPR_STORE=$PWD/store ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	unset COOPR_USER SUDO_USER
	echo content-of-the-host >canary
	ln -s canary canary-link
	ln canary canary-hard
	coopr-store init
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa bob
	coopr-member set -T dev -r admin eve
}

nothing_was_touched() {
	same "" "$(grep -E '"[^"]*canary[^"]*"' trace | grep -v execve | head -5)"
	same "" "$(grep -rl content-of-the-host out store state "$@" | head -5)"
}
