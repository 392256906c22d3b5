#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Where the secrets of a cluster are, on its machines and on this one, from coopr create to coopr delete: nowhere but where a script
# itself has put them.

load case

setup() {
	fresh
	need_root
	need_program ip ssh sshd
	own_network
	export COOPR_CATALOGUE=$PWD/mine
	unset COOPR_KEY COOPR_ARCHIVES
	mkdir mine/scripts
	jq -n '["install", "configure", "start", "status", "backup", "restore"] | map({key: ., value: {type: "shell", retries: 1, fields: {script: "vault.sh"}}}) |
		{name: "vault", data: ["/root/vault"], provisioner: {actions: from_entries}}' >mine/services/vault.json
	cat >mine/clustertemplates/vault.json <<-'EOT'
		{"name": "vault", "defaults": {"services": ["vault"], "provider": "sandbox", "hardwaretype": "small",
			"imagetype": "debian12", "config": {"vault": {"word": {"secret": "word"}, "port": 1, "own": {"generated_secret": "own"}}}}}
	EOT
	# It writes the secret to no file, looks that it has the right one, and waits where it is told to.
	cat >mine/scripts/vault.sh <<-'EOT'
		#!/bin/sh
		set -eu
		. ./lib.sh
		sum=$(coopr_config vault/word | cksum)
		case $COOPR_ACTION in
		install) echo "$sum" >/root/vault ;;
		configure)
			[ "$sum" = "$(cat /root/vault)" ]
			[ ! -p /root/go ] || read -r _ </root/go
			! [ -e /root/broken ] || { coopr_config vault/word; exit 65; }
			;;
		backup) cat /root/vault ;;
		restore) cat >/root/vault ;;
		esac
	EOT
	canary=canary-$$-$RANDOM
	coopr-store init
	echo "$canary" | coopr-secret set word
	: >begun
}

teardown() {
	[ ! -d "$COOPR_STATE/clusters/00000001" ] || coopr-delete -y --discard-data vault
}

on_node() { # NODENUM COMMAND...
	local node=$1

	shift
	coopr-exec -q "vault/$node" -- "$*" 2>/dev/null | sed 's/^[^ ]* *//'
}

# What has the secret's value, on this machine and on that one: files, but for those of programs, and what processes were started with.
leaks() {
	{
		find "$PWD" -newer begun -type f -print0 | xargs -0 -r grep -lsF -e "$canary"
		find /tmp /var/tmp /run /dev/shm -maxdepth 3 -newer begun -type f -print0 2>/dev/null | xargs -0 -r grep -lsF -e "$canary"
		grep -lsF -e "$canary" /proc/[0-9]*/environ /proc/[0-9]*/cmdline
		for init in $("$COOPR_BIN/../libexec/coopr/provider/sandbox" list </dev/null | jq .pid); do
			nsenter -m -t "$init" grep -rlsF --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr -D skip -e "$canary" /
		done
	} | sort -u
}

@test "from create to delete a secret is in two files in memory, and only while a script runs" {
	coopr create -q vault -t vault -n 2
	same "" "$(leaks)"

	on_node 1000 mkfifo /root/go
	coopr config -q -y vault --set vault.port=2 3>&- &
	job=$!
	until [ "$(leaks | grep -c '^/run/coopr\.[0-9a-f]*/config.json$')" -gt 0 ]; do
		kill -0 "$job"
		sleep 0.05
	done
	same "" "$(leaks | grep -v '^/run/coopr\.[0-9a-f]*/\(config.json\|lib.sh\)$')"
	on_node 1000 'echo >/root/go; rm /root/go'
	wait "$job"
	same "" "$(leaks)"

	coopr backup -q vault
	same "" "$(leaks)"
	coopr restore -q -y --discard-data vault
	same "" "$(leaks)"
	coopr delete -q -y --discard-data vault
	same "" "$(leaks)"
}

@test "neither a plan that is saved, nor a failure, its log and its report, nor a retry keeps a secret" {
	coopr create -q vault -t vault -n 2 --save plan
	run ! grep -qF "$canary" plan
	coopr run -q -y plan
	on_node 1000 touch /root/broken
	run ! coopr config -y vault --set vault.port=2
	contains "$output" "[secret word]"
	run ! grep -rqF "$canary" <(coopr log vault; coopr report vault; coopr history vault -o json; coopr show vault -o json)
	same "" "$(leaks)"
	on_node 1000 rm /root/broken
	coopr retry -q -y vault
	same "" "$(leaks)"
}

@test "nor does a task that is done by hand" {
	coopr create -q vault -t vault -n 1
	coopr config -q -y --detach vault --set vault.port=2
	coopr-queue take >task.json
	run ! grep -qF "$canary" task.json
	coopr-exec -q <task.json | tee result.json | coopr-queue done
	same 0 "$(jq .status result.json)"
	same "" "$(leaks)"
	coopr-work --drain
	coopr reconcile -q
	same "" "$(leaks)"
}

@test "a worker that is killed while a script runs leaves nothing of its secrets" {
	coopr create -q vault -t vault -n 1
	on_node 1000 mkfifo /root/go
	coopr config -q -y --detach vault --set vault.port=2
	coopr-work --drain >work.log 2>&1 3>&- &
	worker=$!
	until [ "$(leaks | grep -c '^/run/coopr\.[0-9a-f]*/config.json$')" -gt 0 ]; do
		kill -0 "$worker"
		sleep 0.05
	done
	kill -KILL "$worker"
	wait "$worker" || true
	until [ -z "$(leaks)" ]; do sleep 0.05; done
	on_node 1000 rm /root/go
	coopr-work --drain
	coopr reconcile -q
	same "" "$(leaks)"
	same active "$(coopr status vault -o json | jq -r .state)"
}
