#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-reconcile(1), with machines and services that are not real; and its EXAMPLES.

load case
load examples

setup() {
	fresh
	own_catalogue
	machines=$COOPR_STATE/dummy/dummy
	coopr create -o json blog -t lamp -n 4 >records 2>log
}

recorded() { # COLUMN of the first cluster
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT $1 FROM cluster WHERE id = 1"
}

operations() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM operation WHERE job IS NOT NULL"
}

# What is in a folder, on one line.
inside() {
	find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | paste -sd' '
}

# The lease ends now.
end_lease() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE cluster SET expires_ms = 1 WHERE id = 1"
}

# What is to be found down: a machine, or NODE.SERVICE; see automator/dummy.
down() {
	mkdir -p "$COOPR_STATE/dummy-down"
	(cd "$COOPR_STATE/dummy-down" && touch "$@")
}

# The drift, on one line.
drift() {
	jq -r '[.node, .service, .what, .mended] | map(select(.)) | join(" ")' <<<"$output" | paste -sd,
}

# All that was done, as long ago as that.
age_operations() { # MILLISECONDS
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE operation SET begun_ms = begun_ms - $1, ended_ms = ended_ms - $1"
}

# The lease has begun so many hours ago, and ends so many from now.
lease() { # BEGAN ENDS
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE cluster SET created_ms = (unixepoch() - $1 * 3600) * 1000,
		expires_ms = (unixepoch() + $2 * 3600) * 1000 WHERE id = 1"
}

@test "of a lease that is about to end it reminds, once for each end, and hooks are told" {
	mkdir -p "$HOME/.config/coopr/hooks"
	cat >"$HOME/.config/coopr/hooks/tell" <<-'EOT'
		#!/bin/sh
		[ "$1" != reminder ] || { echo "$*"; cat; echo; } >>"$COOPR_STATE/told"
	EOT
	chmod 755 "$HOME/.config/coopr/hooks/tell"

	lease 10 30
	run --separate-stderr -0 coopr reconcile -o json
	same "" "$stderr"
	lease 10 20
	run --separate-stderr -0 coopr reconcile -o json
	same "" "$stderr"
	lease 30 20
	run --separate-stderr -0 coopr reconcile -o json --remind 0
	same "" "$stderr"
	run --separate-stderr -0 coopr reconcile -o json
	same "" "$output"
	contains "$stderr" "coopr-reconcile: blog of $(id -un), tenant default: its lease ends at 20"
	contains "$stderr" "coopr lease -T default blog TIME"
	run --separate-stderr -0 coopr reconcile -o json
	same "" "$stderr"
	same "reminder lease" "$(head -1 "$COOPR_STATE/told")"
	same "reminder lease blog 4 null" "$(tail -n +2 "$COOPR_STATE/told" | jq -r '[.event, .operation, .cluster.name,
		(.nodes | length), .job] | map(tostring) | join(" ")')"

	lease 30 30
	run --separate-stderr -0 coopr reconcile -o json --remind 2d
	contains "$stderr" "its lease ends"
	same 4 "$(wc -l <"$COOPR_STATE/told")"
	lease 0 1
	end_lease
	run --separate-stderr -0 coopr reconcile -o json --work
	same 4 "$(wc -l <"$COOPR_STATE/told")"
}

@test "reminded, and killed before that is recorded, it reminds again, under the same id" {
	lease 30 20
	coopr reconcile 2>once
	[ -s once ]
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE cluster SET reminded_ms = 0 WHERE id = 1"
	coopr reconcile 2>again
	cmp once again
}

long_ago() {
	touch -d '1 hour ago' "$@"
}

@test "where all agrees it says nothing, and does nothing" {
	for _ in 1 2; do
		run --separate-stderr -0 coopr reconcile -o json --repair --delete-orphaned
		same "" "$output$stderr"
	done
	same 1 "$(operations)"
}

@test "without any cluster there is nothing to do; a cluster that is not there is told, and options that make no sense" {
	run --separate-stderr -1 coopr reconcile -o json nonsuch
	contains "$stderr" "no cluster named \"nonsuch\""
	run --separate-stderr -64 coopr reconcile --max-gone half
	run --separate-stderr -64 coopr reconcile --timeout 0
	run --separate-stderr -64 coopr reconcile --replace-unreachable 10m
	run --separate-stderr -64 coopr reconcile --probe --repair --replace-unreachable soon
	export COOPR_STATE=$PWD/empty
	run --separate-stderr -0 coopr reconcile -o json
	same "" "$output$stderr"
}

@test "the examples" {
	{
		commands_of "$COOPR_ROOT/man/man1/coopr-reconcile.1"
		help_of coopr-reconcile
	} >examples
	[ -s examples ]
	while read -r line; do
		run -0 bash -c "$line"
	done <examples
}

@test "a machine that vanished is named; --repair replaces it, and only it" {
	rm "$machines/00000001-1001"
	run --separate-stderr -1 coopr reconcile -o json
	same '{"cluster":"00000001","kind":"drift","name":"blog","node":"00000001-1001","tenant":"default","what":"vanished"}' "$output"
	run -1 coopr reconcile -o table
	contains "$output" vanished
	same 1 "$(operations)"
	run --separate-stderr -1 coopr reconcile -o json --repair --detach
	same "00000001-002 running" "$(jq -r '.mended + " " + .repair' <<<"$output")"
	same pending "$(recorded status)"
	run --separate-stderr -1 coopr reconcile -o json --repair --detach
	same "" "$output$stderr"
	coopr-work --drain
	run --separate-stderr -0 coopr reconcile -o json --repair
	same "active 4 2" "$(recorded status) $(recorded nodes) $(operations)"
	same "00000001-1000 00000001-1002 00000001-1003 00000001-1004" "$(inside "$machines")"
}

@test "--repair --work is done when it returns" {
	rm "$machines/00000001-1000" "$machines/00000001-1002"
	run --separate-stderr -0 coopr reconcile -o json --repair --work
	same "00000001-1000 00000001-1002" "$(jq -r .node <<<"$output" | paste -sd' ')"
	run --separate-stderr -0 coopr reconcile -o json
	same "active 4 2" "$(recorded status) $(recorded nodes) $(operations)"
}

@test "an orphaned machine is named, and deleted only with --delete-orphaned" {
	echo '{}' >"$machines/00000077-1000"
	echo '{}' >"$machines/00000001-1999"
	run --separate-stderr -1 coopr reconcile -o json --repair
	same "00000001 00000001-1999 unowned,null 00000077-1000 unowned" \
		"$(jq -r '"\(.cluster) \(.node) \(.what)"' <<<"$output" | paste -sd,)"
	run --separate-stderr -1 coopr reconcile -o table
	contains "$output" "orphaned"
	run --separate-stderr -64 coopr reconcile --delete-unowned
	contains "$stderr" "--delete-orphaned"
	[ -e "$machines/00000077-1000" ]
	run --separate-stderr -0 coopr reconcile -o json --delete-orphaned
	same "deleted deleted" "$(jq -r .mended <<<"$output" | paste -sd' ')"
	run --separate-stderr -0 coopr reconcile -o json
	same "00000001-1000 00000001-1001 00000001-1002 00000001-1003" "$(inside "$machines")"
}

@test "a provider that fails says nothing: nothing of its clusters has vanished" {
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	printf '#!/bin/sh\nexit 69\n' >plugins/provider/dummy
	chmod 755 plugins/provider/dummy
	run --separate-stderr -69 coopr reconcile -o json --repair
	same "" "$output"
	contains "$stderr" "provider dummy of tenant default: cannot be compared: provider/dummy list ended with exit code 69"
	printf '#!/bin/sh\nkill -9 $$\n' >plugins/provider/dummy
	run --separate-stderr -69 coopr reconcile -o json --repair
	contains "$stderr" "cannot be compared: provider/dummy list was killed by signal 9"
	printf '#!/bin/sh\nprintf "{\\"kind\\":\\"node\\",\\"id\\":\\"000"\n' >plugins/provider/dummy
	run --separate-stderr -65 coopr reconcile -o json --repair
	same "" "$output"
	same 1 "$(operations)"
}

@test "a provider that needs a secret to list gets it, and it appears nowhere" {
	coopr delete -y blog
	echo swordfish | coopr-secret set token
	jq '.provisioner = {auth: {secret: "token"}}' mine/providers/dummy.json >provider.json && mv provider.json mine/providers/dummy.json
	coopr create shop -t lamp -n 4 >/dev/null
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	# It says all that it was told, and claims a machine that nobody knows.
	cat >plugins/provider/dummy <<-END
		#!/bin/sh
		entity=\$(cat)
		case \$entity in
		*swordfish*) ;;
		*) exit 77 ;;
		esac
		echo "asked with \$entity" >&2
		printf 'sword' >&2
		printf 'fish was it\n' >&2
		printf '%s\n' '{"kind":"node","id":"99999999-1000","facts":{"note":"by swordfish"}}'
	END
	chmod 755 plugins/provider/dummy
	run --separate-stderr coopr reconcile -o json --repair
	echo "$output$stderr" >said
	contains "$stderr" 'asked with {'
	contains "$stderr" '[secret token] was it'
	contains "$output" 99999999-1000
	run -1 grep -r --exclude-dir=plugins swordfish .
}

@test "a cluster that something is under way on is passed over" {
	coopr expand --detach blog
	rm "$machines/00000001-1001"
	echo '{}' >"$machines/00000001-1004"
	run --separate-stderr -0 coopr reconcile -o json --repair --delete-orphaned --detach
	same "" "$output"
	same "pending 2" "$(recorded status) $(operations)"
}

@test "a cluster that somebody works on is passed over" {
	rm "$machines/00000001-1001"
	run --separate-stderr -0 flock "$COOPR_STATE/clusters/00000001" coopr reconcile -o json --repair
	same "" "$output$stderr"
}

@test "what is over is settled; with --work what is not is worked off" {
	coopr expand --detach blog
	coopr-work --drain --job 00000001-002
	same pending "$(recorded status)"
	run --separate-stderr -0 coopr reconcile -o json
	same "active 5" "$(recorded status) $(recorded nodes)"
	coopr expand --detach blog
	run --separate-stderr -0 coopr reconcile -o json --work
	same "active 6" "$(recorded status) $(recorded nodes)"
}

@test "a cluster whose lease has ended is deleted, once" {
	coopr expand --detach blog
	end_lease
	run --separate-stderr -0 coopr reconcile -o json
	contains "$stderr" "blog: its lease has ended; job 00000001-003 deletes it"
	run --separate-stderr -0 coopr reconcile -o json
	same "" "$output$stderr"
	run --separate-stderr -0 coopr reconcile -o json --work
	same "terminated 3" "$(recorded status) $(operations)"
	same "" "$(inside "$machines")"
}

@test "many at once do each thing once" {
	coopr create -o json shop -t lamp -n 4 >records 2>log
	end_lease
	rm "$machines/00000002-1000"
	for _ in 1 2 3 4 5 6; do
		coopr reconcile --repair --work >/dev/null 2>&1 &
	done
	wait
	run --separate-stderr -0 coopr reconcile -o json --repair --work
	same "00000001 create 1,00000001 delete 1,00000002 create 1,00000002 replace 1" "$(sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" \
		"SELECT printf('%08d', cluster), action, count(*) FROM operation WHERE job IS NOT NULL GROUP BY 1, 2" | paste -sd,)"
	same terminated "$(recorded status)"
}

@test "--probe: where all answers and runs it says nothing, and nothing is left behind" {
	run --separate-stderr -0 coopr reconcile -o json --probe --repair
	same "" "$output$stderr"
	same 1 "$(operations)"
	same 0 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM observation WHERE answer <> 'healthy'")"
}

@test "--probe: a service that does not run is named, and started with --repair; without --probe nobody knows" {
	down 00000001-1000.mysql 00000001-1001.apache
	run --separate-stderr -0 coopr reconcile -o json
	run --separate-stderr -1 coopr reconcile -o json --probe
	same "00000001-1000 mysql stopped,00000001-1001 apache stopped" "$(drift)"
	contains "$(jq -r .message <<<"$output")" "mysql does not run"
	same 1 "$(operations)"
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same "00000001-1000 mysql stopped 00000001-002,00000001-1001 apache stopped 00000001-002" "$(drift)"
	contains "$(coopr-queue show 00000001-002 --tasks -o json | jq -r '.action + " " + .node + " " + .service')" "start 00000001-1001 apache"
	run --separate-stderr -0 coopr reconcile -o json --probe
	same active "$(recorded status)"
}

@test "of a service that has no action start is said that nothing repairs it" {
	jq 'del(.provisioner.actions.start)' mine/services/haproxy.json >changed && mv changed mine/services/haproxy.json
	coopr create -o json shop -t lamp -n 4 >records 2>log
	down 00000001-1000.mysql 00000002-1000.mysql 00000002-1003.haproxy
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
	contains "$stderr" "-1003.haproxy; not repaired: the service has no action start"
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
	same "00000002-1003 haproxy stopped" "$(drift)"
	same "start" "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT action FROM operation WHERE cluster = 2 ORDER BY begun_ms LIMIT -1 OFFSET 1")"
}

@test "of a requirement whose machine does not answer is not said that it is repaired" {
	down 00000001-1000 00000001-1001.apache
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
	contains "$(jq -r 'select(.service == "apache") | .message' <<<"$output")" ", which has to be healthy first"
}

@test "a service whose requirement is down is repaired after that, in the same run" {
	down 00000001-1000.mysql 00000001-1001.mod-php 00000001-1001.apache 00000001-1003.haproxy
	run --separate-stderr -1 coopr reconcile -o json --probe
	contains "$(jq -r 'select(.service == "haproxy") | .message' <<<"$output")" "; it needs apache, which is repaired first"
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same "00000001-1000 mysql stopped 00000001-002,00000001-1001 apache stopped 00000001-002,00000001-1003 haproxy stopped 00000001-003" "$(drift)"
	same "" "$(coopr-queue show 00000001-002 --tasks -o json | jq -r 'select(.service == "haproxy") | .action')"
	run --separate-stderr -0 coopr reconcile --probe
}

@test "services that are down on a machine that vanished and on others are repaired in one run" {
	rm "$COOPR_STATE/dummy/dummy/00000001-1001"
	down 00000001-1000.mysql 00000001-1003.haproxy
	run --separate-stderr -0 coopr reconcile -o json --probe --repair
	contains "$(drift)" "00000001-1001 vanished 00000001-002"
	run --separate-stderr -0 coopr reconcile --probe
}

@test "coopr status --probe names what does not answer or run, and changes nothing" {
	run --separate-stderr -0 coopr status --probe -o json blog
	same "clusterstatus active" "$(jq -r '.kind + " " + .status' <<<"$output")"
	down 00000001-1000.mysql 00000001-1001
	run --separate-stderr -0 coopr status -q blog
	run --separate-stderr -1 coopr status --probe blog
	contains "$output" unreachable
	run --separate-stderr -1 coopr status --probe -o json blog
	output=$(jq -c 'select(.kind == "drift")' <<<"$output")
	same "00000001-1001 unreachable,00000001-1000 mysql stopped" "$(drift)"
	run --separate-stderr -64 coopr status --probe -j 0 blog
	same 1 "$(operations)"
}

@test "--probe: what an administrator has stopped is not asked, and stays so" {
	coopr stop -o json blog apache >now 2>log
	down 00000001-1001.apache 00000001-1003.haproxy
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same "" "$output"
	coopr start -o json blog >now 2>log
	down 00000001-1001.apache
	run --separate-stderr -1 coopr reconcile -o json --probe
	same "00000001-1001 apache stopped" "$(drift)"
}

@test "--probe: a machine that does not answer is named, since when, and replaced only after the time given" {
	down 00000001-1002 00000001-1002.apache
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
	same "00000001-1002 unreachable" "$(drift)"
	since=$(jq -r .since <<<"$output")
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work --replace-unreachable 10m
	same "00000001-1002 unreachable" "$(drift)"
	same "$since" "$(jq -r .since <<<"$output")"
	same 1 "$(operations)"
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE observation SET since_ms = 1000 WHERE node = '00000001-1002'"
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work --replace-unreachable 10m
	same "00000001-1002 unreachable 00000001-002" "$(drift)"
	same "00000001-1000 00000001-1001 00000001-1003 00000001-1004" "$(inside "$machines")"
	run --separate-stderr -0 coopr reconcile -o json --probe
	same 0 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM observation WHERE answer <> 'healthy'")"
}

# An automator dummy of one's own, by a script.
automator() {
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/automator
	cat >plugins/automator/dummy
	chmod 755 plugins/automator/dummy
}

@test "--probe: what cannot be asked is unknown, and left alone" {
	automator <<-EOT
		#!/bin/sh
		[ "\$1" != describe ] || { echo '{"status":true}'; exit; }
		task=\$(cat)
		case \$1\$task in
		status*'"service":"mysql"'*) echo '{"kind":"result","status":78}'; exit 78 ;;
		esac
		printf '%s\n' "\$task" | "$COOPR_BIN/../libexec/coopr/automator/dummy" "\$1"
	EOT
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
	same "00000001-1000 mysql unknown" "$(drift)"
	same 1 "$(operations)"
}

@test "--probe: an automator that dies, or breaks its rules, says nothing of the machines; one that cannot be asked is not" {
	automator <<-'EOT'
		#!/bin/sh
		[ "$1" = describe ] || kill -9 $$
		echo '{"stream":true,"status":true}'
	EOT
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --replace-unreachable 0s
	same unknown "$(jq -r .what <<<"$output" | sort -u)"
	contains "$output" "automator/dummy was killed by signal 9"
	automator <<-'EOT'
		#!/bin/sh
		[ "$1" != describe ] || echo '{"status":true}'
	EOT
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --replace-unreachable 0s
	same unknown "$(jq -r .what <<<"$output" | sort -u)"
	automator <<-'EOT'
		#!/bin/sh
		exit 1
	EOT
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --replace-unreachable 0s
	same "" "$output"
	same 1 "$(operations)"
}

# A provider dummy whose list is changed by a script of sed.
list_through() {
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	cat >plugins/provider/dummy <<-EOT
		#!/bin/sh
		[ "\$1" = list ] || exec "$COOPR_BIN/../libexec/coopr/provider/dummy" "\$@"
		"$COOPR_BIN/../libexec/coopr/provider/dummy" list | sed '$1'
	EOT
	chmod 755 plugins/provider/dummy
}

@test "a machine that is not listed but answers is not replaced" {
	list_through /00000001-1001/d
	run --separate-stderr -1 coopr reconcile -o json --repair --work
	same "00000001-1001 vanished" "$(drift)"
	contains "$output" "its provider does not list it, but it answers"
	same 1 "$(operations)"
	down 00000001-1001
	run --separate-stderr -1 coopr reconcile -o json --probe
	same "00000001-1001 vanished" "$(drift)"
}

@test "a machine that its provider says is dead has vanished" {
	list_through '/00000001-1001/s/"kind"/"state":"dead",&/'
	down 00000001-1001
	run --separate-stderr -0 coopr reconcile -o json --repair --work
	same "00000001-1001 vanished 00000001-002" "$(drift)"
	contains "$output" "its provider says that it is dead"
	run --separate-stderr -0 coopr reconcile -o json
}

@test "what keeps one thing after the other from being done, as a full disk, is told once" {
	need_root
	mkdir full
	rm "$machines/00000001-1001"
	run -74 unshare --mount bash -c 'mount -t tmpfs -o size=8m none full && cp -a state full/state && export COOPR_STATE=$PWD/full/state &&
		{ cat /dev/zero >full/fill || true; } 2>/dev/null && exec coopr reconcile --probe'
	contains "$output" "full/state/store.sqlite3: No space left on device; make room on"
	same "" "$(sort <<<"$output" | uniq -d)"
}

@test "more than --max-gone is neither replaced nor deleted at a time" {
	rm "$machines/00000001-1000" "$machines/00000001-1001" "$machines/00000001-1003"
	run --separate-stderr -1 coopr reconcile -o json --repair --work
	same "00000001-1000 vanished,00000001-1001 vanished,00000001-1003 vanished" "$(drift)"
	contains "$stderr" "blog: 3 of its 4 machines are gone"
	contains "$stderr" "--max-gone=100%"
	same 1 "$(operations)"
	run --separate-stderr -0 coopr reconcile -o json --repair --work --max-gone 3
	same "active 4 2" "$(recorded status) $(recorded nodes) $(operations)"
	echo '{}' | tee "$machines"/00000077-{1000,1001,1002,1003,1004,1005} >/dev/null
	run --separate-stderr -1 coopr reconcile -o json --delete-orphaned
	contains "$stderr" "6 of its 10 machines are orphaned"
	same 6 "$(inside "$machines" | tr ' ' '\n' | grep -c 00000077)"
	run --separate-stderr -0 coopr reconcile -o json --delete-orphaned --max-gone=60%
	same 4 "$(inside "$machines" | wc -w)"
}

@test "--max-gone is also of all machines at a provider" {
	for name in one two three; do
		coopr create -o json "$name" -t lamp -n 4 >records 2>log
	done
	rm "$machines"/0000000[1234]-1000
	run --separate-stderr -1 coopr reconcile -o json --repair --work --max-gone 3
	contains "$stderr" "4 of the 16 machines at the provider dummy are gone"
	same 4 "$(operations)"
	run --separate-stderr -0 coopr reconcile -o json --repair --work two
	same "00000003-1000 vanished 00000003-002" "$(drift)"
	run --separate-stderr -0 coopr reconcile -o json --repair --work
	run --separate-stderr -0 coopr reconcile -o json
}

@test "what was mended three times in a row has to wait; not once somebody else has done something" {
	for _ in 1 2 3; do
		down 00000001-1000.mysql
		run --separate-stderr -0 coopr reconcile -o json --probe --repair --work -m "it is monday"
		contains "$output" mended
	done
	same "reconcile: it has stopped: it is monday" "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT DISTINCT why FROM operation WHERE action = 'start'")"
	down 00000001-1000.mysql
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
	contains "$stderr" "it was repaired a short time ago"
	same "00000001-1000 mysql stopped" "$(drift)"
	age_operations 130000
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same "00000001-1000 mysql stopped 00000001-005" "$(drift)"
	down 00000001-1000.mysql
	age_operations 130000
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
	contains "$stderr" "it was repaired a short time ago"
	coopr restart -o json blog haproxy >now 2>log
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same "00000001-1000 mysql stopped 00000001-007" "$(drift)"
}

@test "a cluster whose last operation failed is named; --retry goes on with it, after a rest" {
	jq '.provisioner.actions.start.fields = {fail_percent: "100", fail_status: "65"}' mine/services/memcached.json >new
	cp new mine/services/memcached.json
	run --separate-stderr -1 coopr create shop -t lamp -n 4
	run --separate-stderr -1 coopr reconcile -o json --repair
	same failed "$(drift)"
	same "00000002 shop" "$(jq -r '.cluster + " " + .name' <<<"$output")"
	contains "$(jq -r .message <<<"$output")" memcached
	run --separate-stderr -1 coopr reconcile -o json --retry --work shop
	contains "$stderr" "it was tried a short time ago"
	age_operations 100000
	run --separate-stderr coopr reconcile -o json --retry --work shop
	[ "$status" -ne 0 ]
	contains "$stderr" memcached
	same 2 "$(operations)"
}

@test "named clusters are looked at, and nothing else" {
	coopr create -o json shop -t lamp -n 4 >records 2>log
	rm "$machines/00000001-1001" "$machines/00000002-1001"
	echo '{}' | tee "$machines"/{00000077-1000,00000002-1999,00000001-1999} >/dev/null
	down 00000002-1002 00000001-1002
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work --delete-orphaned shop 00000002
	same "00000002-1001 vanished 00000002-002,00000002-1002 unreachable,00000002-1999 unowned deleted" "$(drift)"
	run --separate-stderr -1 coopr reconcile -o json
	same "00000001-1001 vanished,00000001-1999 unowned,00000077-1000 unowned" "$(drift)"
}

@test "a reconciliation that is interrupted while it asks tells no drift that it does not know, and leaves no process" {
	mkfifo arrived gate
	export WHERE=$PWD
	automator <<-'EOT'
		#!/bin/sh
		[ "$1" != describe ] || exec echo '{"stream":true,"status":true}'
		echo $$ >"$WHERE/arrived"
		exec cat "$WHERE/gate"
	EOT
	coopr-reconcile -o json --probe --repair --timeout 5000 >found 2>told &
	hear arrived plugin
	kill -TERM $!
	code=0
	wait $! || code=$?
	same 143 "$code"
	same "" "$(cat found)"
	contains "$(cat told)" interrupted
	run ! kill -0 "$plugin"
	same 1 "$(operations)"
}

@test "folders of no cluster are removed unless a process has them locked, those of dry runs once they are old" {
	mkdir "$COOPR_STATE/clusters/00000099" "$COOPR_STATE/clusters/00000098" "$COOPR_STATE/clusters/00000097" \
		"$COOPR_STATE/clusters/.try-abcdef" "$COOPR_STATE/clusters/.try-ghijkl" "$COOPR_STATE/clusters/notes" \
		"$COOPR_STATE/clusters/.00000096" "$COOPR_STATE/clusters/.00000095"
	cd "$COOPR_STATE/clusters"
	long_ago 00000099 00000098 .try-abcdef notes 00000001
	run --separate-stderr -0 flock 00000098 flock .00000095 coopr reconcile -o json
	same ".00000095 .try-ghijkl 00000001 00000098 notes" "$(find . -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | paste -sd ' ')"
}

@test "only superadmins may" {
	coopr-member set -T default bob
	run --separate-stderr -77 coopr reconcile -o json -T default --as bob
	contains "$stderr" "superadmin"
}

@test "killed at any call, the next run settles all" {
	make_shim
	coopr create -o json shop -t lamp -n 4 >records 2>log
	coopr expand --detach shop
	coopr-work --drain
	end_lease
	rm "$machines/00000002-1000"
	mkdir "$COOPR_STATE/clusters/00000099"
	down 00000002-1003.haproxy
	cp -R "$COOPR_STATE" before
	cp -R "$COOPR_SPOOL" spool-before
	for ((at = 1; at < 600; at += ${CRASH_STEP:-9})); do
		rm -rf "$COOPR_STATE" "$COOPR_SPOOL" calls
		cp -aR before "$COOPR_STATE"
		cp -aR spool-before "$COOPR_SPOOL"
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at \
			CRASH_COUNT=$PWD/calls coopr-reconcile --probe --repair >/dev/null 2>&1 || true
		for _ in 1 2 3; do
			coopr reconcile --probe --repair --work >/dev/null 2>&1 || [ $? -eq 1 ]
		done
		run --separate-stderr -0 coopr reconcile -o json --probe
		same "" "$output$stderr"
		same "1 terminated,2 active" "$(sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "SELECT id, status FROM cluster" | paste -sd,)"
		same 5 "$(inside "$machines" | wc -w)"
		[ ! -e "$COOPR_STATE/clusters/00000099" ]
		coopr-store fsck
		coopr-queue fsck
		[ ! -e calls ] || return 0
	done
	return 1
}
