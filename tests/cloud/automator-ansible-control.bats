#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator ansible-control, which runs here and enters sandbox nodes.

load ../case
load ../sandbox
load ../automator
load ../ansible

AUTOMATOR=ansible-control

setup() {
	automator_setup
	# As a worker has it.
	COOPR_SSH_SOCKETS=$(mktemp -d /dev/shm/coopr-test.XXXXXX)
	export COOPR_SSH_SOCKETS
}

teardown() {
	automator_teardown
	rm -rf "$COOPR_SSH_SOCKETS"
}

# Nothing of a task is left on either side.
clean_here() {
	clean_node
	same "" "$(ls -A "$COOPR_SSH_SOCKETS")"
	same "" "$(node 'ls -d /dev/shm/ansible* /root/.ansible 2>/dev/null')"
}

@test "bootstrap keeps the version of the ansible that is here, and changes nothing" {
	looks_for_its_tool ansible
	clean_here
}

@test "the first run changes the node, the second says that nothing has changed, a new configuration changes it again" {
	changes_once
	clean_here
}

@test "status compares the node with the playbook and changes nothing" {
	status_says_whether_it_would_change
	clean_here
}

@test "a run that fails says so, and ansible why" {
	fails_with_the_reason "fatal: "
	clean_here
}

@test "a run that is stopped leaves nothing here" {
	local fields

	fields=$(recipe wait)
	task "$ACTION" "$fields" >task.json
	ends_once_begun TERM
	same 75 "$(member .status)"
	until same "" "$(ls -A "$COOPR_SSH_SOCKETS")"; do sleep 0.1; done
}

@test "a secret is nowhere but where the playbook puts it, and on no disk" {
	keeps_secrets
	clean_here
	COOPR_SSH_SOCKETS=$PWD task configure "$(recipe secret)" '{"db": {"password": {"secret": "db"}}}' >task.json
	COOPR_SSH_SOCKETS=$PWD coopr-exec -q <task.json >result.json || true
	same 78 "$(member .status)"
	contains "$(member .message)" "is not in memory"
}

@test "what is delegated to localhost runs here, no other node is entered, and facts come back" {
	mkdir -p here home/.config/coopr
	printf '%s\n' '[plugin ansible-control]' "write = $PWD/here" >home/.config/coopr/config
	cat >catalogue/scripts/both.yml <<-END
		- hosts: web
		  gather_facts: yes
		  tasks:
		  - copy: {dest: /root/given, content: "{{ text }} {{ ansible_facts.hostname }} {{ hostvars['other'].coopr_node.nodenum }}\n"}
		  - shell: "echo here >$PWD/here/made; ! echo x >$PWD/made; ! cat $PWD/state/sandbox/* >$PWD/here/read"
		    delegate_to: localhost
		  - set_stats: {data: {answer: 42}}
	END
	do_task configure '{"playbook": "both.yml"}' '{"text": "{{ lookup(\"pipe\", \"id -u\") }}"}'
	cat log
	same '[0,true,"42"]' "$(member '[.status, .result.changed, .result.answer] | tojson')"
	same '{{ lookup("pipe", "id -u") }} shop42-1000 1001' "$(node cat /root/given)"
	same here "$(cat here/made)"
	[ ! -s here/read ] && [ ! -e made ]
	node "! test -e $PWD/here/made"
	printf '%s\n' '- hosts: web' '  gather_facts: no' '  tasks: [{command: id, delegate_to: other}]' >catalogue/scripts/other.yml
	do_task configure '{"playbook": "other.yml"}'
	same 1 "$(member .status)"
	contains "$(cat log)" UNREACHABLE
	clean_here
}

@test "a service that a tenant has written runs nothing here" {
	task configure "$(recipe write)" '{"web": {"port": 80}}' | jq -c '.of = "tenant"' >task.json
	coopr-exec -q <task.json >result.json || true
	same 77 "$(member .status)"
	contains "$(member .message)" 'only documents that a superadmin has stored have the type "ansible-control"'
	"$COOPR_BIN/../libexec/coopr/automator/ansible-control" configure <task.json >result.json || true
	same 77 "$(member .status)"
	contains "$(member .message)" "only services that a superadmin has stored have it"
	run ! made
}
