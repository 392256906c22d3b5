#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator chef, on sandbox nodes; where this machine has no chef-solo, with a stub of its interface there.

load case
load sandbox
load automator

AUTOMATOR=chef

setup() {
	automator_setup
	command -v chef-solo cinc-solo >/dev/null ||
		node 'cat >/usr/local/bin/chef-solo; chmod 755 /usr/local/bin/chef-solo' <"$BATS_TEST_DIRNAME/chef-solo-stub.rb"
}

teardown() {
	automator_teardown
}

has_tool() {
	command -v chef-solo cinc-solo ruby >/dev/null || "$BATS_TEST_DIRNAME/install-packages" ruby >installed 2>&1 ||
		skip "needs chef-solo, or ruby for its stub, which cannot be installed: $(tail -n 1 installed)"
}

recipe() {
	mkdir -p "catalogue/scripts/$1/recipes"
	case $1 in
	write) echo 'file "/root/made" do content "port #{node["web"]["port"]}\n" end' ;;
	fail) echo 'execute "echo no room >&2; exit 3"' ;;
	wait) echo 'execute "setsid sh -c \"echo >/root/begun; exec sleep 1000\""' ;;
	secret)
		cat <<-'END'
			file "/dev/shm/secret" do content "#{node["db"]["password"]}\n" end
			execute "echo >/root/begun; cat /root/go"
			log "the password is #{node["db"]["password"]}"
		END
		;;
	noise) echo 'execute "/root/noise"' ;;
	esac >"catalogue/scripts/$1/recipes/default.rb"
	echo "{\"run_list\": \"recipe[$1::default]\", \"cookbooks\": \"$1\"}"
}

@test "bootstrap keeps the version of chef as a fact, and changes nothing" {
	looks_for_its_tool
}

@test "where there is no chef-solo, bootstrap says so and the action fails for good, with what to add" {
	says_what_is_missing chef-solo
}

@test "the first run changes the node, the second says that nothing has changed, a new configuration changes it again" {
	changes_once
}

@test "of a run that fails the reason is chef's last fatal error" {
	fails_with_the_reason "FATAL: "
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

@test "attributes are merged as by Coopr: the service's own before the cluster's; nodes, services and the node are below coopr" {
	mkdir -p catalogue/scripts/show/recipes
	echo 'file "/root/made" do content JSON.generate(node) end' >catalogue/scripts/show/recipes/default.rb
	echo '{"name": "base", "run_list": ["recipe[show]"]}' >catalogue/scripts/base.json
	do_task start '{"run_list": "role[base] , recipe[show]", "cookbooks": "show", "roles": "base.json",
		"json_attributes": "{\"web\": {\"port\": 81}, \"coopr\": {\"node\": {\"services\": {\"web\": \"start\"}}}}"}' \
		'{"web": {"port": 80, "name": "a"}}'
	same 0 "$(member .status)"
	node cat /root/made >made
	same '[{"name":"a","port":81},{"name":"a","port":80},{"web":"start"},["web"],"shop42-1000.example.net","00000042","10",["00000042-1000","00000042-1001"],"other"]' \
		"$(jq -c '[.web, .coopr.cluster.web, .coopr.node.services, .coopr.services, .coopr.hostname, .coopr.clusterId,
			.coopr.ipaddresses.access_v4[:2], (.nodes | keys), .coopr.cluster.nodes["00000042-1001"].hostname]' made)"
}

@test "where no field names any, all cookbooks and data bags of the catalogue come along, also of the same name" {
	local folder=catalogue/automator/chef

	mkdir -p $folder/cookbooks/{users,show}/recipes $folder/data_bags/users
	echo '{"id": "anna"}' >$folder/data_bags/users/anna.json
	echo 'file "/root/made" do content File.read("data_bags/users/anna.json") end' >$folder/cookbooks/users/recipes/default.rb
	echo 'log "shown"' >$folder/cookbooks/show/recipes/default.rb
	do_task start '{"run_list": "recipe[users],recipe[show]"}'
	same 0 "$(member .status)"
	same '{"id": "anna"}' "$(made)"
	contains "$(cat log)" shown
	do_task start '{"run_list": "recipe[users]", "cookbooks": ""}'
	contains "$(member .message)" "Cookbook users not found"
	clean_node
}

# How many bytes the node has received.
received() {
	node 'cat /sys/class/net/eth0/statistics/rx_bytes'
}

@test "cookbooks go to a node once, for whatever task and service, and again when they have changed or are damaged there" {
	local folder=catalogue/automator/chef/cookbooks before

	mkdir -p $folder/{a,b}/{recipes,files}
	head -c 1000000 /dev/urandom >$folder/a/files/data
	echo 'file "/root/made" do content "one" end' >$folder/a/recipes/default.rb
	echo 'log "here is b"' >$folder/b/recipes/default.rb
	before=$(received)
	do_task configure '{"run_list": "recipe[a]"}'
	same 0 "$(member .status)"
	[ $(($(received) - before)) -gt 1000000 ]
	before=$(received)
	do_task start '{"run_list": "recipe[a],recipe[b]"}'
	same 0 "$(member .status)"
	contains "$(cat log)" "here is b"
	[ $(($(received) - before)) -lt 200000 ]
	echo 'file "/root/made" do content "two" end' >$folder/a/recipes/default.rb
	do_task configure '{"run_list": "recipe[a]"}'
	same two "$(made)"
	# Somebody writes into what is kept.
	node 'cd /var/cache/coopr/files && stat -c "%a %U %n" . && for file in *; do echo "echo no; exit 0" >$file; done; ls | wc -l' >kept
	same "700 root . 2" "$(paste -sd ' ' kept)"
	node 'rm /root/made'
	do_task configure '{"run_list": "recipe[a]"}'
	same "0 true" "$(member '"\(.status) \(.result.changed)"')"
	same two "$(made)"
	clean_node
}

@test "attributes that are no object, a cookbook that is not there, and the action status are refused" {
	recipe write >fields
	do_task configure "$(jq -c '.json_attributes = "[1]"' fields)"
	same 78 "$(member .status)"
	contains "$(member .message)" "json_attributes: expected an object"
	do_task configure '{"run_list": "recipe[x]", "cookbooks": "x"}'
	same 78 "$(member .status)"
	do_task status "$(cat fields)"
	same 78 "$(member .status)"
	contains "$(member .message)" "let the automator shell do"
}
