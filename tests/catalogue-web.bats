#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# needs: network
#
# The template web of share/coopr/catalogue, with real packages on sandbox machines: through the life of a site.

load case

setup() {
	fresh
	need_root
	web_packages
	export COOPR_CATALOGUE=$PWD/mine
}

teardown() {
	[ ! -d "$COOPR_STATE" ] || coopr-list -o name | while read -r one; do coopr-delete -y --discard-data "$one" </dev/null; done
	web_packages_end
}

# Which nodes answer, when the site is asked many times.
answering() {
	for _ in $(seq 12); do curl -sS -f -m 10 "$site"; done | grep -o 'shop1-[0-9]*' | sort -u | grep -vx "$database" | paste -sd ' '
}

@test "a site is made, scaled while it is asked, its text changed without losing a request, a dead machine of it replaced, and its database restored" {
	coopr-create shop -t web -n 4
	site=http://$(coopr-show -o json shop | jq -r 'select(.kind == "node" and .services == ["nginx"]).ipaddresses.access_v4')/
	database=$(coopr-show -o json shop | jq -r 'select(.kind == "node" and .services == ["mariadb"]).hostname | split(".")[0]')
	same 2 "$(answering | wc -w)"
	coopr-backup -q shop

	mkfifo stop
	while ! read -r -t 0.01 _ <>stop; do curl -sS -f -m 10 -o /dev/null "$site" || true; done >lost 2>&1 3>&- &
	coopr-expand -y -q -n 5 shop
	coopr-config -y -q shop --set shop.greeting="Good evening"
	echo >stop
	wait $!
	same "" "$(cat lost)"
	same 3 "$(answering | wc -w)"
	contains "$(curl -sS -f -m 10 "$site")" "Good evening"

	dead=$(coopr-show -o json shop | jq -nr 'first(inputs | select(.kind == "node" and .services == ["php-fpm"])).id')
	pid=$("$COOPR_ROOT/libexec/coopr/provider/sandbox" list <mine/providers/sandbox.json | jq --arg id "$dead" 'select(.id == $id).pid')
	kill -KILL "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
	run -0 coopr-reconcile --repair --work
	same 3 "$(answering | wc -w)"
	run -1 grep "${dead##*-}" <<<"$(answering)"

	coopr-restore -y -q --discard-data shop
	contains "$(curl -sS -f -m 10 "$site")" "Good morning"
	coopr-delete -y -q --discard-data shop
	same "" "$("$COOPR_ROOT/libexec/coopr/provider/sandbox" list <mine/providers/sandbox.json)"
}
