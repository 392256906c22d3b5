#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Random lives of clusters at each of the clouds, see chaos.py, for $CLOUD_SECONDS in all; other ones with another $SEED. Where a cloud is real, it is one
# of the test's own.

load ../case
load ../cloud
load ../podman
load ../lxd
load ../openstack

setup() {
	need_root
	need_program unshare ip python3 openssl ssh-keygen
	[ -x /usr/sbin/sshd ] || skip "sshd is not installed"
	fresh
	unset http_proxy https_proxy
}

teardown() {
	daemon_end
}

# lives_at CLOUD [MODULE PACKAGE]: looked at by a client of Python's, too, where it can be had. What was counted is shown where all is well, too. Where
# no client of others could look, nobody but ourselves says that all is well, and the test is counted as skipped.
lives_at() {
	PYTHON=python3
	[ $# -eq 1 ] || python_with "$2" "$3" || true
	"${BY[@]}" unshare -m --propagation private "$PYTHON" "$COOPR_ROOT/tests/cloud/chaos.py" "$1" "${SEED:-1}" "$((${CLOUD_SECONDS:-540} / 9))" 3>&- >told ||
		{ cat told; return 1; }
	tail -n 4 told | sed 's/^/# /' >&3
	! grep -q 'has looked: never' told || skip "all is well, as coopr and the fake say, but $(sed -n 's/ has looked: never.*//p' told) is not installed"
}

BY=(unshare -n)

# At the one that was started.
lives_at_real() {
	BY=(inside)
	COOPR_TEST_DAEMON=$DAEMON lives_at "$@"
}

@test "digitalocean: whatever is killed, the cloud has what coopr says, as a client of others sees it, and coopr counts what the cloud charges" {
	lives_at digitalocean digitalocean python3-digitalocean
}

@test "ec2: the same, with volumes" {
	lives_at ec2 boto3 python3-boto3
}

@test "google: the same, with volumes" {
	node_has @google-cloud/compute || true
	lives_at google
}

@test "joyent: the same" {
	node_has triton || true
	lives_at joyent
}

@test "opennebula: the same" {
	lives_at opennebula
}

@test "openstack: the same, with volumes and floating addresses" {
	lives_at openstack openstack python3-openstacksdk
}

@test "a real podman: the same, with volumes, as the podman command sees it" {
	need_podman
	podman_start
	lives_at_real podman
}

@test "a real OpenStack: the same, with floating addresses, as openstacksdk sees it" {
	need_openstack
	STACK_MOST=50 openstack_start
	lives_at_real openstack openstack python3-openstacksdk
}

@test "a real LXD: the same, as the lxc command sees it" {
	need_lxd
	lxd_start
	lives_at_real lxd
}
