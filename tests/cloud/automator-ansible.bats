#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator ansible, on sandbox nodes.

load ../case
load ../sandbox
load ../automator
load ../ansible

AUTOMATOR=ansible

setup() {
	automator_setup
}

teardown() {
	automator_teardown
}

@test "bootstrap keeps the version of ansible as a fact, and changes nothing" {
	looks_for_its_tool
}

@test "where there is no ansible, bootstrap says so and the action fails for good, with what to add" {
	says_what_is_missing ansible-playbook
}

@test "the first run changes the node, the second says that nothing has changed, a new configuration changes it again" {
	changes_once
}

@test "status compares the node with the playbook and changes nothing" {
	status_says_whether_it_would_change
}

@test "of a run that fails the reason is ansible's last fatal error" {
	fails_with_the_reason "fatal: "
}

@test "a run that is killed leaves nothing behind, also of commands in sessions of their own" {
	leaves_nothing_when_killed
}

@test "output of 100 MB, NUL and escape sequences harm nobody" {
	bears_hostile_output
}

@test "a secret is nowhere but where the playbook puts it" {
	keeps_secrets
}

@test "roles, files, groups of services, hosts of the layout and facts are as ansible has them" {
	mkdir -p catalogue/scripts/hello/{tasks,templates,defaults}
	echo 'word: default' >catalogue/scripts/hello/defaults/main.yml
	echo '{{ word }} {{ groups.app | join(",") }} {{ hostvars["other"].ansible_host }} {{ hostvars["other"].coopr_node.nodenum }} {{ coopr.action }}' \
		>catalogue/scripts/hello/templates/hello.j2
	cat >catalogue/scripts/hello/tasks/main.yml <<-'END'
		- template: {src: hello.j2, dest: /root/hello}
		- set_stats: {data: {answer: 42, words: "two words", list: [1, 2], changed: never}}
	END
	mkdir -p catalogue/scripts/kit
	echo 'from a file' >catalogue/scripts/kit/page
	cat >catalogue/scripts/site.yml <<-'END'
		- hosts: all
		  gather_facts: yes
		  roles: [hello]
		  tasks:
		  - copy: {src: kit/page, dest: /root/page}
		  - copy: {dest: /root/given, content: "{{ text }} {{ ansible_facts.hostname }}\n"}
		- hosts: app
		  gather_facts: no
		  tasks:
		  - copy: {dest: /root/wrong, content: "not for this node"}
	END
	do_task configure '{"playbook": "site.yml", "roles": "hello", "files": "kit"}' '{"word": "given", "text": "{{ lookup(\"pipe\", \"id -u\") }}"}'
	cat log
	same '[0,true,"42","two words","[1, 2]"]' "$(member '[.status, .result.changed, .result.answer, .result.words, .result.list] | tojson')"
	same "given other 10.0.0.9 1001 configure" "$(node cat /root/hello)"
	same "from a file" "$(node cat /root/page)"
	same '{{ lookup("pipe", "id -u") }} shop42-1000' "$(node cat /root/given)"
	node '! test -e /root/wrong'
	clean_node
}

@test "a playbook that is not there, or for other hosts alone, is refused" {
	do_task configure '{"playbook": "nowhere.yml"}'
	same 78 "$(member .status)"
	printf '%s\n' '- hosts: app' '  tasks: [{command: touch /root/wrong}]' >catalogue/scripts/others.yml
	do_task configure '{"playbook": "others.yml"}'
	same 78 "$(member .status)"
	contains "$(member .message)" "no play of others.yml is for this node"
	node '! test -e /root/wrong'
}

@test "what a playbook delegates to the control host runs on the node, and no playbook runs anywhere else" {
	echo "$PWD" | node 'cat >/root/place'
	cat >catalogue/scripts/escape.yml <<-'END'
		- hosts: localhost
		  gather_facts: no
		  tasks:
		  - shell: "hostname >/root/by-localhost"
		- hosts: web
		  gather_facts: no
		  vars:
		    piped: "{{ lookup('pipe', 'hostname') }}"
		  tasks:
		  - shell: "hostname >/root/by-delegate"
		    delegate_to: localhost
		  - shell: "hostname >/root/by-other"
		    delegate_to: other
		  - copy: {dest: /root/piped, content: "{{ piped }}"}
	END
	do_task configure '{"playbook": "escape.yml"}'
	cat log
	same 0 "$(member .status)"
	same "shop42-1000 shop42-1000 shop42-1000" "$(node 'cat /root/by-delegate /root/by-other /root/piped' | tr '\n' ' ' | sed 's/ $//')"
	[ ! -e /root/by-delegate ] && [ ! -e /root/by-localhost ]
}
