#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What provisioners of Coopr ask for, libexec/coopr/provisioner, as the server calls it: with the token's number and the address in the
# environment.

load case
load provisioner

setup() {
	fresh
	cloud_store
	coopr-token create --provisioner default rack >token
	asker default
}

# As the server tells who has shown that token: asker TENANT [NUMBER]
asker() {
	number=${2-1}
	tenant=$1
}

# Asks: asks CODE COMMAND... <order
asks() {
	local code=$1 found=0

	shift
	COOPR_ASKER=root COOPR_ASKER_LIMIT="provisioner $number read-only $tenant" COOPR_ASKER_FROM="127.0.0.1 provisioner $number" \
		COOPR_SERVING_SINCE=0 "$COOPR_ROOT/libexec/coopr/provisioner" "$@" >out 2>said || found=$?
	[ "$found" = "$code" ] || {
		printf '%s: %s, and not %s\n' "$*" "$found" "$code"
		cat out said
		return 1
	}
}

order() {
	printf '{"provisionerId": "%s", "workerId": "%s", "tenantId": "%s"}' "${1-p1}" "${2-h.1}" "${3-default}"
}

# Makes ready what a worker may take.
begin() {
	echo '{"port": "55056", "capacityTotal": "10"}' | asks 0 register p1
	echo '{"name": "vcloud"}' | asks 0 describe providertypes vcloud
	coopr-create -y --detach -t t -n "${1-1}" shop >job
}

# Ends the task in the file task: finish CODE STATUS [JQ-FILTER]
finish() {
	jq -c --argjson status "$2" "{provisionerId: \"p1\", workerId: \"h.1\", tenantId: \"default\", taskId, status: \$status} | ${3-.}" \
		task | asks "$1" finish
}

@test "a worker takes one task after the other, and the cluster is there" {
	local count=0

	begin 2
	while order | asks 0 take && [ -s out ]; do
		mv out task
		jq -r .taskName task >>names
		case $(jq -r .taskName task) in
			CREATE) finish 0 0 '. + {result: {providerid: "i-1", "ssh-auth": {user: "ubuntu",
				identityfile: "ssh_keys/k1"}}, hostname: null}' ;;
			CONFIRM) same i-1 "$(jq -r .config.providerid task)"
				finish 0 '"0"' '. + {ipaddresses: {access_v4: "203.0.113.4", bind_v4: "10.0.0.4"},
					result: {ssh_host_keys: {rsa: "AAAAB3NzaC1yc2E="}}}' ;;
			*) same '{"rsa":"AAAAB3NzaC1yc2E="}' "$(jq -c .config.ssh_host_keys task)"
				same 203.0.113.4 "$(jq -r .config.ipaddresses.access_v4 task)"
				finish 0 0 ;;
		esac
		count=$((count + 1))
		[ "$count" -lt 20 ]
	done
	same "$(printf '%s\n' BOOTSTRAP CONFIRM CREATE INSTALL START)" "$(sort -u names)"
	same 10 "$count"
	coopr-reconcile -q 2>said || true
	same active "$(coopr-status -o json shop | jq -r .state)"
}

@test "a task has what Coopr's workers read, with the values of secrets; a machine's own facts replace no setting" {
	begin
	order | asks 0 take
	mv out task
	same '["CREATE","00000001-001","00000001","00000001-1000"]' "$(jq -c '[.taskName, .jobId, .clusterId, .nodeId]' task)"
	same '["s3cretpw","vcloud","m1","ami-1","ubuntu",1000]' "$(jq -c '.config | [.provider.provisioner.api_password, .provider.providertype,
		.flavor, .image, .sshuser, .nodenum]' task)"
	same null "$(jq .config.service task)"
	finish 0 0 '. + {result: {providerid: "i-1", flavor: "huge", provider: {providertype: "mine"}}}'
	order | asks 0 take
	mv out task
	same '["CONFIRM","m1","vcloud","i-1"]' "$(jq -c '[.taskName, .config.flavor, .config.provider.providertype, .config.providerid]' task)"
	finish 0 0
	order | asks 0 take
	mv out task
	same '["BOOTSTRAP",["chef-zero"]]' "$(jq -c '[.taskName, .config.automators]' task)"
	finish 0 0
	order | asks 0 take
	mv out task
	same '["INSTALL","web","chef-zero","recipe[web]","s3cretpw"]' "$(jq -c '[.taskName, .config.service.name, .config.service.action.type,
		.config.service.action.fields.run_list, .config.cluster.web.key]' task)"
	same '["web"]' "$(jq -c '.config.nodes["00000001-1000"].services' task)"
	# Nothing of that is kept.
	! grep -r s3cretpw spool state || false
}

@test "a result says what has failed, without the secrets in it; 201 of a provider is a matter of rights" {
	begin
	order | asks 0 take
	mv out task
	finish 0 201 '. + {message: "no: s3cretpw", stdout: "I tried s3cretpw", stderr: "it was\nwrong"}'
	same '[77,"no: [secret pw]"]' "$(coopr-queue show -e "$(cat job)" | jq -c 'select(.event == "fail") | [.result.status, .result.message]')"
	same 'I tried [secret pw]
it was
wrong' "$(cat spool/*/*/log/*)"
}

@test "a result is taken from the worker that has the task, once" {
	begin
	order | asks 0 take
	mv out task
	finish 65 null
	finish 65 '"good"'
	finish 65 0 'del(.taskId)'
	finish 75 0 '.workerId = "h.2"'
	finish 75 0 '.taskId = "00000001-001+t1+2"'
	finish 77 0 '.provisionerId = "p2"'
	finish 77 0 '.tenantId = "superadmin"'
	finish 0 0
	finish 0 0
	finish 75 1
	same 1 "$(coopr-queue show -e "$(cat job)" | jq -r 'select(.event == "done") | .task' | wc -l)"
}

@test "a token has its tenants and its provisioners, and no others" {
	coopr-tenant create qa
	coopr-token create --provisioner qa other >/dev/null
	begin
	order p2 | asks 77 take
	order p1 h.1 qa | asks 77 take
	order p1 h.1 nobody | asks 77 take
	echo '{}' | asks 65 take
	echo '[]' | asks 65 take
	asker qa 2
	order | asks 77 take
	order p1 h.1 qa | asks 77 take
	echo '{"port": 55056, "capacityTotal": 1}' | asks 77 register p1
	echo '{}' | asks 1 heartbeat p1
	asks 0 leave p1
	asker default
	echo '{}' | asks 0 heartbeat p1
	number='1 read-only' asks 77 take </dev/null || true
	run -77 env COOPR_ASKER=root COOPR_ASKER_LIMIT='token 1 admin default' "$COOPR_ROOT/libexec/coopr/provisioner" take <<<"$(order)"
	run -77 "$COOPR_ROOT/libexec/coopr/provisioner" take <<<"$(order)"
}

@test "the tasks of a provisioner that is not heard of for two minutes, or leaves, are ready again" {
	begin
	order | asks 0 take
	mv out task
	echo '{"usage": {"default": 1}}' | asks 0 heartbeat p1
	same running "$(coopr-queue show -o json --tasks "$(cat job)" | jq -r 'select(.action == "create") | .status')"
	sqlite3 state/store.sqlite3 'UPDATE provisioner SET heard_ms = heard_ms - 121000'
	COOPR_SERVING_SINCE=0 "$COOPR_ROOT/libexec/coopr/provisioner" sweep
	same ready "$(coopr-queue show -o json --tasks "$(cat job)" | jq -r 'select(.action == "create") | .status')"
	finish 75 0
	# It was only away.
	echo '{}' | asks 0 heartbeat p1
	order | asks 0 take
	same 00000001-001+t1+2 "$(jq -r .taskId out)"
	asks 0 leave p1
	same ready "$(coopr-queue show -o json --tasks "$(cat job)" | jq -r 'select(.action == "create") | .status')"
	echo '{}' | asks 1 heartbeat p1
	order | asks 77 take
}

@test "a worker that asks for another task has lost the one before" {
	begin
	order | asks 0 take
	mv out task
	order | asks 0 take
	same 00000001-001+t1+2 "$(jq -r .taskId out)"
	finish 75 0
}

@test "a provisioner gets only tasks of providers whose type was described to us, and of actions that it knows" {
	jq '.provisioner.actions.status = .provisioner.actions.start' mine/services/web.json >status.json
	mv status.json mine/services/web.json
	coopr-import -yq mine
	echo '{"port": 55056, "capacityTotal": 1}' | asks 0 register p1
	coopr-create -y --detach -t t -n 1 shop >job
	order | asks 0 take
	[ ! -s out ]
	echo '{}' | asks 0 describe providertypes vcloud
	while order | asks 0 take && [ -s out ]; do
		mv out task
		jq -r .taskName task >last
		finish 0 0
	done
	same START "$(cat last)"
	same status "$(coopr-queue take --job "$(cat job)" | jq -r .action)"
}
