#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Nobody waits for a machine that is on record as gone: coopr-clusters(7), "Machines that are gone".

load case

setup() {
	fresh
	own_catalogue
	stubborn_service
	jq '.provisioner.actions += {backup: .provisioner.actions.start, restore: .provisioner.actions.start}' mine/services/mysql.json >service.json
	mv service.json mine/services/mysql.json
	coopr create -q blog -t lamp -n 4
	machines=$COOPR_STATE/dummy/dummy
	database=$(node_of mysql)
	web=$(node_of mod-php)
}

# The number of the first node with a service.
node_of() {
	coopr show -o json blog | jq -r --arg service "$1" 'select(.kind == "node" and (.services | index($service))) | .nodenum' | head -n 1
}

lose() { # NODENUM...
	local node

	for node; do
		rm "$machines/00000001-$node"
	done
	run -1 coopr reconcile
	for node; do
		same gone "$(coopr show -o json blog | jq -r --arg node "00000001-$node" 'select(.kind == "observation" and .node == $node and .service == null).answer')"
	done
}

# The tasks of the last operation: "1000 stop", one a line.
tasks() {
	coopr-queue show --plan "$(coopr history -o json blog | jq -rs 'map(.job | strings) | max')" |
		jq -r 'select(.kind == "task") | "\(.node[9:]) \(.action)"' | sort -u
}

@test "what is done on the cluster as it is leaves the machine out, and says so" {
	lose "$web"
	for words in restart stop start; do
		run --separate-stderr -0 coopr $words blog
		contains "$stderr" "blog: the machine of node $web is gone, as seen "
		contains "$stderr" " ago, and is left out; coopr replace --dead blog $web replaces it"
		same "" "$(tasks | grep "^$web ")"
		contains "$(tasks)" "$database "
	done
	# What is not known to be there is not said to be healthy.
	same gone "$(coopr show -o json blog | jq -r --arg node "00000001-$web" 'select(.kind == "observation" and .node == $node).answer' | sort -u)"
	run -1 coopr restart "blog/$web"
	contains "$output" "blog: the machine of node $web is gone, as seen "
	contains "$output" " ago; coopr replace --dead blog $web replaces it"
	run --separate-stderr -0 coopr delete -y --graceful --dry-run blog
}

@test "a machine stays gone until it answers: who asks it, and not its provider, learns no more" {
	cp "$machines/00000001-$web" kept
	lose "$web"
	run -1 coopr status --probe blog
	same gone "$(coopr show -o json blog | jq -r --arg node "00000001-$web" 'select(.kind == "observation" and .node == $node).answer' | sort -u)"
	cp kept "$machines/00000001-$web"
	coopr status --probe blog
	run --separate-stderr -0 coopr restart blog
	[[ $stderr != *gone* ]]
	contains "$(tasks)" "$web "
}

@test "a backup and a restore say at once that the only machine is gone, and are made of the others" {
	lose "$web"
	run --separate-stderr -0 coopr backup --dry-run blog
	same "" "$stderr" # it has nothing that is backed up
	lose "$database"
	for words in backup restore 'backup -s mysql' "backup -N $database"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -1 coopr $words -y blog
		contains "$stderr" "blog: the machine of node $database is gone, as seen "
		contains "$stderr" " ago; coopr replace --dead blog $database replaces it"
	done
}

@test "a change that has something to do on the machine is refused until it is replaced; one that has not is made" {
	lose "$web"
	run --separate-stderr -1 coopr config -y blog --set x=1
	contains "$stderr" "blog: the machine of node $web is gone, as seen "
	contains "$stderr" " ago; coopr replace --dead blog $web replaces it"
	same 1 "$(coopr history -o json blog | jq -s 'map(select(.job)) | length')"
	coopr replace -q --dead -y blog "$web"
	coopr config -q -y blog --set x=1
}

@test "a machine that leaves the cluster is only deleted, as with --dead" {
	lose "$web"
	coopr replace -q -y blog "$web"
	same "$web delete" "$(tasks | grep "^$web ")"
	run -0 coopr reconcile
}

@test "who uses all of the quota, or more, has machines replaced that are gone; one that is there needs room for another" {
	coopr tenant change -q --nodes 4 -r cpu=0 default
	run -1 coopr replace -y blog "$web"
	contains "$output" "the tenant's quota of nodes is 4: 4 are in use, this would need 1 more"
	lose "$web"
	coopr reconcile -q --repair
	same 4 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT nodes FROM cluster")"
	# It counts again what is there.
	run -1 coopr expand -y blog -n 5
	contains "$output" "4 are in use, this would need 1 more"
	coopr tenant change -q --nodes 1 default
	web=$(node_of mod-php)
	lose "$web"
	coopr replace -q -y --dead blog "$web"
}

@test "a retry is refused while it has something to do on a machine that is gone; the same command is planned anew" {
	touch broken
	run -1 coopr add blog stubborn
	rm broken
	lose "$web"
	run --separate-stderr -1 coopr retry blog
	contains "$stderr" "blog: the machine of node $web is gone, as seen "
	contains "$stderr" " ago; coopr replace --dead blog $web replaces it"
	run --separate-stderr -1 coopr add blog stubborn
	contains "$stderr" "it is planned anew"
	contains "$stderr" " ago; coopr replace --dead blog $web replaces it"
	coopr replace -q --dead -y blog "$web"
	coopr add -q blog stubborn
	same active "$(coopr list -o json | jq -r .status)"

	# What may leave machines out does.
	web=$(node_of mod-php)
	touch broken
	run -1 coopr restart -y blog
	rm broken
	lose "$web"
	run --separate-stderr -1 coopr retry blog
	contains "$stderr" "blog: the machine of node $web is gone, as seen "
	run --separate-stderr -0 coopr restart -y blog
	contains "$stderr" "it is planned anew"
	contains "$stderr" " ago, and is left out; coopr replace --dead blog $web replaces it"
}
