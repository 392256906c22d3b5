#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator itamae, on sandbox nodes.

load case
load sandbox
load automator

AUTOMATOR=itamae

setup() {
	automator_setup
}

teardown() {
	automator_teardown
}

has_tool() {
	command -v itamae >/dev/null || "$BATS_TEST_DIRNAME/install-packages" itamae >installed 2>&1 ||
		skip "needs itamae, which cannot be installed: $(tail -n 1 installed)"
}

recipe() {
	case $1 in
	write) echo 'file "/root/made" do content "port #{node[:web][:port]}\n" end' ;;
	fail) echo 'execute "echo no room >&2; exit 3"' ;;
	wait) echo 'execute "setsid sh -c \"echo >/root/begun; exec sleep 1000\""' ;;
	secret)
		cat <<-'END'
			file "/dev/shm/secret" do content "#{node[:db][:password]}\n" end
			execute "echo >/root/begun; cat /root/go"
			puts "the password is #{node[:db][:password]}"
		END
		;;
	noise) echo 'execute "/root/noise"' ;;
	esac >"catalogue/scripts/$1.rb"
	echo "{\"recipes\": \"$1.rb\"}"
}

@test "bootstrap keeps the version of itamae as a fact, and changes nothing" {
	looks_for_its_tool
}

@test "where there is no itamae, bootstrap says so and the action fails for good, with what to add" {
	says_what_is_missing itamae
}

@test "the first run changes the node, the second says that nothing has changed, a new configuration changes it again" {
	changes_once
}

@test "a recipe is found in the folder that a catalogue has for itamae, too, as coopr export writes it" {
	local fields

	fields=$(recipe write)
	mkdir -p catalogue/automator/itamae/recipes
	mv catalogue/scripts/write.rb catalogue/automator/itamae/recipes
	do_task "$ACTION" "$fields" '{"web": {"port": 80}}'
	cat log
	same 0 "$(member .status)"
	same "port 80" "$(made)"
	clean_node
}

@test "status compares the node with the recipe and changes nothing" {
	status_says_whether_it_would_change
}

@test "of a run that fails the reason is itamae's last error" {
	fails_with_the_reason "ERROR : "
}

@test "a run that is killed leaves nothing behind, also of commands in sessions of their own" {
	leaves_nothing_when_killed
}

@test "output of 100 MB, NUL and escape sequences harm nobody" {
	bears_hostile_output
}

@test "a secret is nowhere but where the recipe puts it" {
	keeps_secrets
}

@test "recipes run in their order, find their files, and know what coopr knows" {
	mkdir -p catalogue/scripts/kit/templates
	echo 'hello <%= node[:coopr][:nodes]["00000042-1001"][:hostname] %>' >catalogue/scripts/kit/templates/hello.erb
	echo 'template "/root/hello" do source "templates/hello.erb" end' >catalogue/scripts/kit/first.rb
	echo 'execute "cp /root/hello /root/second"' >catalogue/scripts/second.rb
	do_task configure '{"recipes": "kit/first.rb second.rb", "files": "kit/templates"}'
	same "0 true" "$(member '"\(.status) \(.result.changed)"')"
	same "hello other" "$(node cat /root/second)"
	do_task configure '{"recipes": "nowhere.rb"}'
	same 78 "$(member .status)"
}
