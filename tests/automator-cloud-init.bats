#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator cloud-init, on sandbox nodes; tests/cloud has what it has in common with others.

load case
load sandbox
load automator
load cloud-init

setup() {
	automator_setup
}

teardown() {
	automator_teardown
}

@test "the first run changes the node, the second says that nothing has changed, a new configuration changes it again" {
	changes_once
}

@test "of a run that fails the reason is what failed" {
	fails_with_the_reason "cloud-init: runcmd exited with 3"
	printf '%s\n' '#cloud-config' 'write_files: [{path: /proc/none/x, content: x}]' >catalogue/scripts/wrong.yaml
	do_task configure '{"documents": "wrong.yaml"}'
	same 1 "$(member .status)"
	contains "$(member .message)" "cloud-init: module write-files: "
	contains "$(member .message)" "/proc/none"
}

@test "documents are merged as by cloud-init, which runs what they ask for and nothing else" {
	printf '%s\n' '#cloud-config' 'write_files: [{path: /root/one, content: "1"}]' 'runcmd: ["echo first >/root/ran"]' >catalogue/scripts/one.yaml
	printf '%s\n' '#cloud-config' 'merge_how: dict(recurse_list)+list(append)' 'write_files: [{path: /root/two, content: "2", defer: true}]' \
		'groups: [shop]' >catalogue/scripts/two.yaml
	do_task configure '{"documents": "one.yaml two.yaml", "cloud_config": "#cloud-config\nruncmd: [[sh, -c, \"echo last >/root/ran\"]]\n"}'
	cat log
	same 0 "$(member .status)"
	same "1 2 last" "$(node 'echo $(cat /root/one) $(cat /root/two) $(cat /root/ran)')"
	node getent group shop
	same "module write-files
module users-groups
module write-files-deferred" "$(grep ^module log)"
}

@test "no document takes away who may enter, or the keys by which the node is known" {
	cat >catalogue/scripts/greedy.yaml <<-'END'
		#cloud-config
		merge_how: dict(replace)+list()
		disable_root: true
		ssh_deletekeys: true
		ssh_authorized_keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGreedygreedygreedygreedygreedygreedygreed greedy"]
		write_files:
		- {path: /root/.ssh/authorized_keys, content: "ssh-ed25519 AAAA other\n"}
		runcmd: ["rm -f /etc/ssh/ssh_host_*", "ls /etc/ssh"]
	END
	keys=$(node cat /root/.ssh/authorized_keys)
	hosts=$(node 'sha256sum /etc/ssh/ssh_host_*' 2>/dev/null || true)
	do_task configure '{"documents": "greedy.yaml"}'
	cat log
	same 0 "$(member .status)"
	same "$keys" "$(node cat /root/.ssh/authorized_keys | grep -xF "$keys")"
	contains "$(node cat /root/.ssh/authorized_keys)" "AAAA other"
	same "$hosts" "$(node 'sha256sum /etc/ssh/ssh_host_*' 2>/dev/null || true)"
	for document in 'ssh_keys: {ed25519_private: x}' 'power_state: {mode: reboot}' 'cloud_final_modules: [runcmd]'; do
		do_task configure "$(jq -cn --arg text "#cloud-config
$document" '{cloud_config: $text}')"
		same 78 "$(member .status)"
		contains "$(member .message)" "${document%%:*}"
	done
	clean_node
}

@test "what is no document, or an invalid one, is refused before anything runs, and so is status" {
	for text in '#!/bin/sh
touch /root/ran' '#cloud-config
- runcmd' '## template: jinja
#cloud-config
runcmd: [[touch, /root/ran]]
{% if' '#cloud-config
runcmd: [[touch, /root/ran]]
write_files: 3'; do
		do_task configure "$(jq -cn --arg text "$text" '{cloud_config: $text}')"
		same 78 "$(member .status)"
	done
	contains "$(member .message)" "write_files"
	do_task configure '{}'
	same 78 "$(member .status)"
	contains "$(member .message)" "documents or cloud_config is required"
	do_task status "$(recipe write)"
	same 78 "$(member .status)"
	contains "$(member .message)" "let the automator shell do"
	run ! node test -e /root/ran
	clean_node
}
