#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The life of a cluster on a cloud, from the store: machines of the fake are addresses of 127.0.0.0/8 where a real sshd answers, in a network of
# the test's own.

load case
load cloud

setup() {
	need_root
	need_program unshare python3 curl
	[ -x /usr/sbin/sshd ] || skip "sshd is not installed"
	fresh
}

# Does the words in a network namespace where a fake cloud and an sshd answer.
beside_a_cloud() {
	cat >life.sh <<-'END'
		set -eu
		ip link set lo up
		trap 'exec 9>&-; kill "$SSHD"; wait' EXIT
		ssh-keygen -q -t ed25519 -N '' -f hostkey
		[ -d /run/sshd ] || mount -t tmpfs none /run && mkdir -p /run/sshd
		/usr/sbin/sshd -D -e -f /dev/null -h "$PWD/hostkey" -o ListenAddress=0.0.0.0:22 -o PidFile=none 2>sshd.log 3>&- &
		SSHD=$!
		. "$COOPR_ROOT/tests/cloud.bash"
		fake_start digitalocean
		mkdir -p cat/{providers,hardwaretypes,imagetypes,services,clustertemplates}
		jq -n --arg endpoint "$FAKE" '{name: "ocean", providertype: "digitalocean", provisioner: {api_token: {secret: "ocean-token"},
			endpoint: $endpoint, poll_s: 0.2, consistency_s: 1, requests_per_second: 100}}' >cat/providers/ocean.json
		echo '{"name":"small","providermap":{"ocean":{"flavor":"s-1vcpu-1gb","cost":0.00893}}}' >cat/hardwaretypes/small.json
		echo '{"name":"debian12","providermap":{"ocean":{"image":"debian-12-x64","sshuser":"root"}}}' >cat/imagetypes/debian12.json
		echo '{"name":"app","provisioner":{"actions":{"install":{"type":"dummy","fields":{}},"start":{"type":"dummy","fields":{}}}}}' >cat/services/app.json
		echo '{"name":"tpl","defaults":{"services":["app"],"provider":"ocean","hardwaretype":"small","imagetype":"debian12"},
			"compatibility":{"services":["app"],"hardwaretypes":["small"],"imagetypes":["debian12"]},"constraints":{"size":{"min":1,"max":10}}}' >cat/clustertemplates/tpl.json
		coopr-store init >/dev/null
		coopr-import cat >/dev/null
		printf secret-token | coopr-secret set ocean-token
		. ./words.sh
	END
	cat >words.sh
	unshare -n -m bash life.sh 3>&-
}

@test "a cluster is created, grows, loses a machine, is looked at and deleted; what the cloud has is what coopr says" {
	beside_a_cloud <<-'END'
		agrees() {
			curl -sS "$FAKE/_machines" | jq -r '.[] | .tags[] | select(startswith("coopr-machine:")) | split(":")[1]' | sort >there
			coopr show -o json shop | jq -r 'select(.kind == "node") | .id' | sort | diff - there
		}
		coopr create -q shop -t tpl -n 2
		agrees
		coopr expand -q shop -n 3
		agrees
		[ "$(wc -l <there)" = 3 ]
		# Its host key, and the key of the cluster in its user data.
		[ "$(coopr show -o json shop | jq -r 'select(.kind == "node") | .facts.ssh_host_keys.ed25519' | sort -u)" = "$(cut -d ' ' -f 1,2 hostkey.pub)" ]
		curl -sS "$FAKE/_machines" | jq -e 'all(.user_data | contains("ssh-ed25519"))' >/dev/null
		id=$(curl -sS "$FAKE/_machines" | jq '.[0].id')
		curl -sS -X DELETE -H 'Authorization: Bearer secret-token' "$FAKE/v2/droplets/$id"
		coopr reconcile --repair >told 2>&1 || true
		grep "its provider does not list it" told || { cat told; false; }
		coopr delete -q -y shop
		[ "$(machines)" = 0 ]
		[ -z "$(find state/digitalocean -name '0*')" ]
		# The token is nowhere but in the store, sealed.
		! grep -rlF secret-token state spool home told
	END
}

@test "a cluster that loses a machine before its creation is complete is completed with another one" {
	beside_a_cloud <<-'END'
		export COOPR_PLUGINS=$PWD/plugins COOPR_PLUGIN_WRITE=$PWD WHERE=$PWD
		mkdir -p plugins/automator
		cat >plugins/automator/moody <<-'EOT'
			#!/bin/sh
			cat >/dev/null
			[ -e "$WHERE/well" ] && echo '{"kind":"result","status":0}' || echo '{"kind":"result","status":65,"message":"not now"}'
		EOT
		chmod 755 plugins/automator/moody
		coopr-store get service app | jq '.provisioner.actions.start.type = "moody"' | coopr-store put -q -k service -
		! coopr create -q shop -t tpl -n 2 2>told
		grep 'not now' told
		id=$(curl -sS "$FAKE/_machines" | jq '.[0].id')
		curl -sS -X DELETE -H 'Authorization: Bearer secret-token' "$FAKE/v2/droplets/$id"
		touch well
		coopr reconcile --repair >told 2>&1 || true
		grep 'its machine is gone; repaired by job 00000001-002' told || { cat told; false; }
		[ "$(coopr list -o json | jq -r '"\(.status) \(.nodes) \(.ready)"')" = 'active 2 2' ]
		[ "$(machines)" = 2 ]
		coopr delete -q -y shop
		[ "$(machines)" = 0 ]
	END
}

# Other clouds, and for longer: tests/cloud/chaos.bats.
@test "requests that go wrong and commands that are killed: the cloud has what coopr knows, and nothing when all is deleted" {
	unshare -n -m --propagation private python3 "$COOPR_ROOT/tests/cloud/chaos.py" digitalocean "${SEED:-1}" 15 3>&-
}

@test "where there is no room, a cluster gets what its template allows beside; it costs what it is, and the quota is checked before anything is asked for" {
	beside_a_cloud <<-'END'
		coopr-store get provider ocean | jq '.zones = ["nyc3", "ams3"]' | coopr-store put -q -k provider -
		echo '{"name":"bigger","providermap":{"ocean":{"flavor":"s-2vcpu-4gb","cost":0.03571}}}' | coopr-store put -q -k hardwaretype -
		coopr-store get clustertemplate tpl | jq '.name = "any" | .constraints.fallback = ["zone", "hardwaretype"] | .compatibility.hardwaretypes += ["bigger"] |
			del(.defaults.hardwaretype) | .objective = ["cost"]' | coopr-store put -q -k clustertemplate -
		coopr create --dry-run -o json shop -t any -n 1 | jq -c 'select(.kind == "node") | .choices' >choices
		[ "$(cat choices)" = '[{"zone":"ams3"},{"flavor":"s-2vcpu-4gb","hardwaretype":"bigger","zone":"nyc3"},{"flavor":"s-2vcpu-4gb","hardwaretype":"bigger","zone":"ams3"}]' ]
		# 0.00893 would do, but it may come to 0.03571 an hour.
		coopr tenant change -q --cost 0.03 default
		! coopr create -q shop -t any -n 1 2>refused
		grep 'cost an hour' refused
		[ "$(machines)" = 0 ]
		[ -z "$(coopr-queue ls -o name)" ]
		coopr tenant change -q --cost 0.05 default
		fake_set '{"full":[["*","s-1vcpu-1gb"],["nyc3","*"]]}'
		coopr create -q shop -t any -n 1
		[ "$(coopr show -o json shop | jq -r 'select(.kind == "node") | "\(.hardwaretype) \(.flavor) \(.zone)"')" = 'bigger s-2vcpu-4gb ams3' ]
		[ "$(coopr quota -o json | jq .amounts.cost.use)" = 0.03571 ]
		coopr delete -q -y shop
		[ "$(machines)" = 0 ]
	END
}

@test "usage counts a machine from the request that made it, and not from one that the cloud has refused" {
	beside_a_cloud <<-'END'
		fake_set '{"full":[["*","s-1vcpu-1gb"]]}'
		coopr create -q shop -t tpl -n 2 &
		until [ "$(requests 'POST /v2/droplets')" -ge 2 ]; do kill -0 $!; sleep 0.1; done
		sleep 3
		before=$EPOCHREALTIME
		fake_set '{"full":[]}'
		wait $!
		coopr usage -o json >usage
		jq -e --argjson before "$before" --argjson now "$EPOCHREALTIME" '.node_hours * 3600 <= 2 * ($now - $before) and .node_hours > 0' usage >/dev/null ||
			{ echo "$before"; cat usage; false; }
		coopr show -o json shop | jq -es 'map(select(.kind == "node").facts.asked_at) | length == 2 and all(startswith("20"))' >/dev/null
		coopr delete -q -y shop
	END
}

@test "where a creation ended before it was known whether a machine is there, its use is corrected once that is known" {
	beside_a_cloud <<-'END'
		fake_fault '{"match":"POST /v2/droplets","do":"drop","count":1000}'
		coopr create -q shop -t tpl -n 2 2>told &
		until [ "$(requests 'POST /v2/droplets')" -ge 4 ]; do kill -0 $!; sleep 0.1; done
		coopr abort -q -y shop
		! wait $!
		[ "$(machines)" = 0 ]
		coopr usage -o json >guessed
		[ "$(jq .nodes guessed)" = 2 ] # they may be there
		curl -sS -X DELETE "$FAKE/_fault" >/dev/null
		coopr retry -q -y shop
		[ "$(machines)" = 2 ]
		coopr usage -o json >known
		[ "$(jq .nodes known)" = 2 ]
		coopr show -o json shop | jq -r 'select(.kind == "node").facts.asked_at' | sort >asked
		[ "$(jq -r .start known)" = "$(head -n 1 asked)" ] || { cat guessed known asked; false; }
		[[ $(jq -r .start known) > $(jq -r .start guessed) ]]
		coopr delete -q -y shop
	END
}
