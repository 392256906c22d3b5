#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the template redis-sentinel.

load ../case
load ../sandbox
load ../debian

# A command of Redis: redis NODE COMMAND
redis() {
	on "$1" "REDISCLI_AUTH=\$(sed -n 's/^requirepass \"\\(.*\\)\"\$/\\1/p' /etc/redis/coopr.conf) redis-cli $2"
}

primary() {
	for node in $(coopr-show -o json r | jq -r 'select(.kind == "node" and .nodenum != 0).nodenum'); do
		! redis "r/$node" 'info replication' 2>/dev/null | grep -q role:master || echo "$node"
	done
}

@test "a primary and two replicas keep a row through the primary's death, whose replacement follows the new one, a fourth server, and a restore" {
	debian_catalogue redis-sentinel
	coopr-create r -t redis-sentinel -n 3
	unchanged r
	is_well r
	same 1000 "$(primary)"
	same OK "$(redis r/1000 'set row first')"
	soon eval 'same first "$(redis r/1002 "get row")"'
	coopr-backup r
	# Nobody without the password.
	contains "$(on r/1001 'redis-cli get row')" NOAUTH
	on r/1001 "ps -ef" >processes
	run -1 grep -F "$(on r/1001 "sed -n 's/^requirepass \"\(.*\)\"/\1/p' /etc/redis/coopr.conf")" processes

	kill_machine 1000
	soon eval '[ -n "$(primary)" ]'
	now=$(primary)
	soon redis "r/$now" 'set row second'
	coopr-reconcile --repair --work || true
	is_well r
	same "$now" "$(primary)"
	soon eval 'same second "$(redis r/1003 "get row")"'

	coopr-expand -y -n 4 r
	is_well r
	soon eval 'same second "$(redis r/1004 "get row")"'
	same "$now" "$(primary)"

	# Settings change, and servers are restarted, with the same primary or another one, and all rows.
	coopr-config -y r --set redis-sentinel.down-after-s=7 --set redis.min-replicas=0
	same 0 "$(redis "r/$now" 'config get min-replicas-to-write' | tail -n 1)"
	same 7000 "$(redis "r/$now" '-p 26379 sentinel masters' | grep -A 1 '^down-after-milliseconds$' | tail -n 1)"
	coopr-restart -y r
	is_well r
	soon eval '[ "$(primary | wc -l)" -eq 1 ]'
	now=$(primary)
	soon eval 'same second "$(redis "r/$now" "get row")"'

	coopr-restore -y --discard-data r
	same first "$(redis "r/$now" 'get row')"
	soon eval 'same first "$(redis r/1004 "get row")"'
	unchanged r
}
