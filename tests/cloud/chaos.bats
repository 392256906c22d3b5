#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Random lives of clusters at each of the clouds, see chaos.py, for $CLOUD_SECONDS in all; other ones with another $SEED.

load ../case

setup() {
	need_root
	need_program unshare ip python3 openssl ssh-keygen
	[ -x /usr/sbin/sshd ] || skip "sshd is not installed"
	fresh
}

# What was counted is shown where all is well, too.
lives_at() {
	unshare -n -m --propagation private python3 "$COOPR_ROOT/tests/cloud/chaos.py" "$1" "${SEED:-1}" "$((${CLOUD_SECONDS:-360} / 6))" 3>&- >told || { cat told; return 1; }
	tail -n 3 told | sed 's/^/# /' >&3
}

@test "digitalocean: whatever is killed, the cloud has what coopr says, and coopr counts what the cloud charges" {
	lives_at digitalocean
}

@test "ec2: the same, with volumes, and as boto3 sees it" {
	lives_at ec2
}

@test "google: the same, with volumes" {
	lives_at google
}

@test "joyent: the same" {
	lives_at joyent
}

@test "opennebula: the same" {
	lives_at opennebula
}

@test "openstack: the same, with volumes and floating addresses" {
	lives_at openstack
}
