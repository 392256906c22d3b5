#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The template web under load: what changes it fails no request.

load case

setup() {
	fresh
	need_root
	need_program wrk
	web_packages
	export COOPR_CATALOGUE=$PWD/mine
}

teardown() {
	[ -z "${load:-}" ] || kill "$load" 2>/dev/null || :
	[ ! -d "$COOPR_STATE" ] || coopr delete -y --discard-data shop
	web_packages_end
}

# under_load COMMAND...: runs it while two clients ask for the page, each again when it has had an answer for 10 ms; where LOAD_ROUNDS is set, at once.
under_load() {
	echo "function delay() return ${LOAD_ROUNDS:+0 *} 10 end" >delay.lua
	nice -n 19 wrk -t1 -c2 -d600s --timeout 10s -s delay.lua "http://$address/" >wrk.out 3>&- &
	load=$!
	"$@" || return
	kill -INT "$load"
	wait "$load"
	load=
	cat wrk.out
	[ "$(sed -n 's/^ *\([0-9]*\) requests in.*/\1/p' wrk.out)" -gt 0 ]
	! grep -E 'Socket errors|Non-2xx' wrk.out
}

did() { # JOB: which services it stopped
	jq -r 'select(.kind == "task" and .action == "stop") | .service' "$COOPR_STATE/clusters/00000001/00000001-$1/plan.ndjson" | sort -u | paste -sd,
}

application() { # the id of a node with php-fpm and nothing that keeps data
	coopr show -o json shop | jq -r 'select(.kind == "node" and .services == ["php-fpm"]) | .id' | head -n 1
}

@test "no request to the template web fails while it is configured, restarted, upgraded, expanded and shrunk, its application stopped and started" {
	coopr create -q -t web -n 4 shop
	address=$(coopr show -o json shop | jq -r 'select(.kind == "node" and .services == ["nginx"]) | .ipaddresses.access_v4')

	under_load coopr config -qy --set 'shop.title=Another title' shop
	contains "$(curl -s "http://$address/")" "Another title"
	same "" "$(did 002)"
	under_load coopr restart -qy shop -s php-fpm -s nginx
	same "" "$(did 003)"
	jq '.provisioner.actions.install.fields.args += " gawk"' mine/services/php-fpm.json >changed
	mv changed mine/services/php-fpm.json
	under_load coopr upgrade -qy shop
	same "" "$(did 004)"
	under_load coopr expand -qy -n 5 shop
	same "" "$(did 005)"
	under_load coopr shrink -qy -n 4 shop
	same php-fpm "$(did 006)"

	# Nor while one of several application servers is stopped, while it stays so, and when it is started again.
	mapfile -t nodes < <(coopr show -o json shop | jq -r 'select(.kind == "node" and (.services | index("php-fpm"))) | .id')
	[ "${#nodes[@]}" -gt 1 ]

	under_load coopr stop -qy "shop/${nodes[0]}/php-fpm"
	same php-fpm "$(did 007)"
	same '["php-fpm"] ["php-fpm"]' "$(coopr show -o json shop | jq -r --arg node "${nodes[0]}" 'select(.id == $node) | "\(.stopped) \(.taken_out)"')"
	under_load coopr config -qy --set 'shop.title=A third title' shop
	under_load coopr restart -qy shop -s nginx
	same '["php-fpm"] ["php-fpm"]' "$(coopr show -o json shop | jq -r --arg node "${nodes[0]}" 'select(.id == $node) | "\(.stopped) \(.taken_out)"')"
	under_load coopr start -qy "shop/${nodes[0]}/php-fpm"
	same 'null null' "$(coopr show -o json shop | jq -r --arg node "${nodes[0]}" 'select(.id == $node) | "\(.stopped) \(.taken_out)"')"
	for node in "${nodes[@]:1}"; do
		under_load coopr stop -qy "shop/$node/php-fpm"
	done
	contains "$(curl -s "http://$address/")" "A third title"
}

@test "no request fails in any of several rounds, in which application nodes are also replaced and services scaled" {
	[ -n "${LOAD_ROUNDS:-}" ] || skip "takes a minute a round: LOAD_ROUNDS, as make torture sets it, says how many"
	coopr create -q -t web -n 4 shop
	address=$(coopr show -o json shop | jq -r 'select(.kind == "node" and .services == ["nginx"]) | .ipaddresses.access_v4')

	for ((round = 1; round <= LOAD_ROUNDS; round++)); do
		under_load coopr config -qy --set "shop.title=Round $round" shop
		contains "$(curl -s "http://$address/")" "Round $round"
		under_load coopr restart -qy shop -s php-fpm -s nginx
		jq --argjson odd $((round % 2)) '.provisioner.actions.install.fields.args = "php-fpm php-mysql" + " gawk" * $odd' mine/services/php-fpm.json >changed
		mv changed mine/services/php-fpm.json
		under_load coopr upgrade -qy shop
		under_load coopr expand -qy -n 5 shop
		under_load coopr replace -qy shop "$(application)"
		under_load coopr shrink -qy -n 4 shop
		under_load coopr scale -qy shop php-fpm=+1
		under_load coopr scale -qy shop php-fpm=-1
		coopr scale -qy shop php-fpm=auto
	done
}
