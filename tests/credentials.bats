#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Passwords and keys in clear: who is warned of them, and who may not see them. The configuration as services get it.

load case

setup() {
	fresh
	need_program jq
	own_catalogue
	unset COOPR_USER
}

# A store with entities that have credentials in clear; bob is a plain user, ann an administrator.
stored() {
	jq '.defaults.config.app_password = "open-1414"' mine/clustertemplates/lamp.json >lamp.json
	mv lamp.json mine/clustertemplates/
	jq '.provisioner.actions.start.fields.app_key = "key-2718"' mine/services/apache.json >apache.json
	mv apache.json mine/services/
	unset COOPR_CATALOGUE
	coopr store init
	coopr import mine >imported 2>&1
	jq '.provisioner.api_token = "tok-3141"' mine/providers/dummy.json | coopr store put -k provider >put 2>&1
	coopr member set bob >log 2>&1
	coopr member set -r admin ann >log 2>&1
}

@test "import says which passwords are in clear, and what to write" {
	stored
	contains "$(cat imported)" '/defaults/config/app_password: a password or key in clear; write {"secret": "NAME"} in its place'
	contains "$(cat imported)" "/provisioner/actions/start/fields/app_key: a password or key in clear"
}

@test "who is no administrator sees no password in clear of an entity; one who is, does" {
	stored
	for read in "get provider dummy" "get service apache" "get clustertemplate lamp" "get -r clustertemplate lamp" export \
		"export out" "get -o yaml provider dummy" "diff provider dummy"; do
		rm -rf out
		# shellcheck disable=SC2086 # several words
		coopr store $read --as bob >read 2>&1 || [ "$read" = "diff provider dummy" ]
		[ -d out ] && cat out/*/*.json >>read
		run ! grep -E 'tok-3141|key-2718|open-1414' read
		contains "$(cat read)" "[hidden]"
	done
	contains "$(coopr store get --as ann provider dummy)" tok-3141
	contains "$(coopr export --as ann)" open-1414
}

@test "what was hidden does not come back as a value" {
	stored
	coopr store get --as bob provider dummy >dummy.json
	run -65 coopr store put -k provider dummy.json
	contains "$output" "/provisioner/api_token: this value was hidden from you"
	coopr create shop -t lamp -n 4 >log 2>&1
	run -65 coopr config --set app_password='[hidden]' shop
	contains "$output" "this value was hidden from you"
}

@test "previews and records of a plain user's operations show no password in clear; the provider gets it nevertheless" {
	stored
	coopr create --as bob --dry-run -o json shop -t lamp -n 4 >read 2>log
	run ! grep -E 'tok-3141|key-2718' read
	contains "$(cat read)" '"api_token":"[hidden]"'
	coopr create --as bob -o json shop -t lamp -n 4 >read 2>log
	run ! grep -E 'tok-3141|key-2718' read
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT wish FROM cluster_document" >wish
	contains "$(cat wish)" tok-3141
}

@test "a plan that is saved with passwords in clear warns of them; without any it does not" {
	stored
	run --separate-stderr -0 coopr create --save plan -o json shop -t lamp -n 4
	contains "$(cat plan)" tok-3141
	contains "$stderr" "plan: warning: it contains passwords or keys in clear (/request/"
	run ! grep tok-3141 <<<"$stderr"
	same 600 "$(stat -c %a plan)"
	run --separate-stderr -0 coopr create -C "$COOPR_ROOT/share/coopr/catalogue" --save other -o json shop -t lamp -n 4
	[[ $stderr != *"in clear"* ]]
}

@test "the owner of a cluster and administrators see its passwords, others of its group do not" {
	stored
	coopr member set -g web bob >log 2>&1
	coopr member set -g web cid >log 2>&1
	coopr create --as bob --group web shop -t lamp -n 4 >log 2>&1
	same open-1414 "$(coopr config --as bob shop | jq -r .app_password)"
	same open-1414 "$(coopr config --as ann shop | jq -r .app_password)"
	same "[hidden]" "$(coopr config --as cid shop | jq -r .app_password)"
	same "[hidden]" "$(coopr config --as cid --expanded shop/1000 | jq -r .config.app_password)"
}

@test "neither previews nor the history have a password that is set" {
	stored
	coopr create shop -t lamp -n 4 >log 2>&1
	coopr config --dry-run --set app_password=swordfish shop >read 2>&1
	contains "$(cat read)" "[hidden]"
	coopr config --set app_password=swordfish --set db='{"user": "me", "password": "swordfish"}' shop >>read 2>&1
	coopr history shop >>read 2>&1
	coopr history -o json shop >>read 2>&1
	coopr history --diff 2 shop >>read 2>&1
	run ! grep swordfish read
	same "swordfish swordfish" "$(coopr config shop | jq -r '"\(.app_password) \(.db.password)"')"
	coopr config --set app_password=halibut shop >read 2>&1
	same halibut "$(coopr config shop | jq -r .app_password)"
}

@test "config --expanded prints the configuration as the services of each node get it, secrets by name" {
	stored
	echo swordfish | coopr secret set database
	coopr create shop -t lamp -n 4 >log 2>&1
	coopr config --no-restart --set 'me=%host.self%' --set 'web=%host.service.apache%' --set 'none=%host.service.apache[99]%' \
		--set 'pass={"secret": "database"}' shop >log 2>&1
	coopr config --expanded -o json shop >read
	same 4 "$(wc -l <read)"
	same "$(jq -r .hostname read)" "$(jq -r .config.me read)"
	same "$(sed -n 1p read | jq -r .config.web)" "$(sed -n 4p read | jq -r .config.web)"
	run ! grep -F '%host.s' <(jq -r .config.web read)
	same '%host.service.apache[99]% /none {"secret":"database"}' \
		"$(sed -n 1p read | jq -r '"\(.config.none) \(.unexpanded[0].pointer) \(.config.pass)"')"
	node=$(sed -n 2p read | jq -r .node)
	same "$node" "$(coopr config --expanded "shop/$node" | jq -r .node)"
	same "$node" "$(coopr config --expanded -N "$node" shop | jq -r .node)"
	contains "$(coopr config --expanded -o yaml "shop/$node")" "pass:"
	run -1 coopr config --expanded shop/4711
	run -64 coopr config --expanded --set a=b shop
	run -64 coopr config -N 1000 shop
}

@test "doctor names passwords in clear, and clusters whose plugins, scripts or macros are wrong" {
	stored
	mkdir -p plugins/automator
	printf '#!/bin/sh\ncat >/dev/null\necho "{\\"kind\\":\\"result\\",\\"status\\":0}"\n' >plugins/automator/mine
	chmod +x plugins/automator/mine
	export COOPR_PLUGINS=$PWD/plugins
	coopr store get service apache | jq '.provisioner.actions.start.type = "mine" | .provisioner.actions.start.fields = {}' |
		coopr store put -k service >log 2>&1
	coopr create one -t lamp -n 4 >log 2>&1
	coopr create two -t lamp -n 4 >log 2>&1
	coopr doctor -o json >read || true
	same "" "$(jq -r 'select(.name == "clusters") | .text' read)"
	contains "$(jq -r 'select(.name == "passwords") | .text' read)" "provider dummy (/provisioner/api_token)"
	contains "$(jq -r 'select(.name == "passwords") | .remedy' read)" 'write {"secret": "NAME"} in its place'
	sqlite3 state/store.sqlite3 "UPDATE cluster_document SET wish = json_set(wish, '\$.cluster.config.x', '%host.service.%') WHERE cluster = 2"
	coopr doctor -o json >read || true
	contains "$(jq -r 'select(.name == "clusters") | .text' read)" "two: /cluster/config/x: %host.service.%: this is not a macro"
	rm plugins/automator/mine
	coopr doctor -o json >read || true
	contains "$(jq -r 'select(.name == "clusters") | .text' read)" 'one: its plugins: '
}
