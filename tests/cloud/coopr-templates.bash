# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The templates that Cask published for Coopr, unchanged, on fakes of the clouds that they name; see machines.py. Needs case and cloud. Providers are
# theirs with an account and the address of the fake; chef-solo and docker are stand-ins, which keep what they are given.
#
#	beside_coopr FAKE    does the words of standard input where the fake answers, and its machines do; all documents are in the store
#	chef_is_elsewhere    skips, with the number of all steps of chef in the lives before
#
# Within these words:
#
#	judged WHAT          what chef-solo was given since the last time, once for each of its tasks, is what Coopr would have given it
#	agrees [NUMBER]      the cloud has the machines that coopr says are there, and as many
#	life TEMPLATE NUMBER GROWN [OPTION]...
#	                     the life of a cluster of NUMBER machines, which grows to GROWN, or cannot (GROWN is -)

setup() {
	need_root
	need_program unshare python3 curl openssl
	need_shared data/coopr-templates
	[ -x /usr/sbin/sshd ] || skip "sshd is not installed"
	fresh
}

beside_coopr() {
	export FAKE_CLOUD=$1
	cat >words.sh
	cat >life.sh <<-'END'
		set -eu -o pipefail
		ip link set lo up
		mount -t tmpfs none /run
		. "$COOPR_ROOT/tests/cloud.bash"
		. "$COOPR_ROOT/tests/cloud/coopr-templates.bash"
		trap coopr_end EXIT
		coopr_begin
		. ./words.sh
	END
	unshare -n -m --propagation private bash life.sh 3>&- || return
	[ ! -e lived ] || cat lived >>"$BATS_FILE_TMPDIR/lived"
}

chef_is_elsewhere() {
	skip "$(awk '{ n += $2 } END { print n + 0 }' "$BATS_FILE_TMPDIR/lived" 2>/dev/null || echo 0) steps of chef, which is not here: what it is given was judged"
}

coopr_begin() {
	ssh-keygen -q -t ed25519 -N '' -f hostkey
	fake_start "$FAKE_CLOUD"
	mkdir programs
	cp "$COOPR_ROOT/tests/chef-solo-recorder" programs/chef-solo
	cp "$COOPR_ROOT/tests/cloud/docker" programs/docker
	mkfifo machines.alive
	python3 "$COOPR_ROOT/tests/cloud/machines.py" "$FAKE" "$PWD/programs" "$PWD/hostkey" <machines.alive >machines.log 2>&1 3>&- 9>&- &
	exec 8<>machines.alive
	cp -r "$SHARED/data/coopr-templates" cat
	"coopr_at_$FAKE_CLOUD"
	coopr-store init >/dev/null
	mkdir -p cat/automator/chef-solo/cookbooks/base/recipes
	echo 'log "base"' >cat/automator/chef-solo/cookbooks/base/recipes/default.rb
	coopr-import -q --force cat >/dev/null
}

coopr_end() {
	exec 8>&- 9>&-
	wait
}

coopr_account() { # PROVIDER MEMBERS
	jq --argjson more "$2" '.provisioner += $more' "cat/providers/$1.json" >changed
	mv changed "cat/providers/$1.json"
}

coopr_at_openstack() {
	fake_set "$(jq -s '{rackspace: true,
		flavors: (map(.providermap.rackspace | {(.flavor): ["f\(.flavor)", (.vcpu | tonumber), (.ram | tonumber * 1024), 80]}) | add)}' cat/hardwaretypes/*.json)"
	fake_set "$(jq -s '{images: (map(.name as $name | .providermap.rackspace // empty | {(.image): $name}) | add)}' cat/imagetypes/*.json)"
	coopr_account rackspace "{\"api_user\": \"svc\", \"api_password\": \"secret-token\", \"endpoint\": \"$FAKE\", \"requests_per_second\": 100, \"poll_s\": 0.2}"
}

coopr_at_ec2() {
	fake_set "$(jq -s '{types: map(.providermap["aws-us-east-1"] // empty | .flavor)}' cat/hardwaretypes/*.json)"
	coopr_account aws-us-east-1 "{\"api_user\": \"AKIDEXAMPLE\", \"api_password\": \"secret/key+EXAMPLE\", \"endpoint\": \"$FAKE\", \"requests_per_second\": 100, \"poll_s\": 0.2}"
}

coopr_at_google() {
	openssl genrsa -out key.pem 2048 2>/dev/null
	fake_set "{\"modulus\": \"$(openssl rsa -in key.pem -noout -modulus | sed 's/.*=//')\"}"
	fake_set "$(jq -s '{types: (map(.providermap.google | {(.flavor): [(.vcpu | tonumber), (.ram | tonumber * 1024 | floor)]}) | add)}' cat/hardwaretypes/*.json)"
	coopr_account google "$(jq -n --rawfile key key.pem --arg fake "$FAKE" '{google_project: "my-project-42", endpoint: $fake, poll_s: 0.2,
		google_client_email: "robot@my-project-42.iam.gserviceaccount.com", requests_per_second: 100, api_key: ({type: "service_account",
			project_id: "my-project-42", private_key_id: "d34db33f", private_key: $key, client_email: "robot@my-project-42.iam.gserviceaccount.com",
			client_id: "1", token_uri: "\($fake)/token"} | tojson)}')"
}

agrees() {
	coopr show -o json shop | jq -r 'select(.kind == "node") | .hostname' | sort >said
	curl -sS -f "$FAKE/_machines" | jq length >there
	[ "$(wc -l <said)" = "$(cat there)" ]
	[ -z "${1-}" ] || [ "$(cat there)" = "$1" ]
}

judged() {
	local node job

	rm -rf runs
	job=$(coopr-queue ls -o name | tail -n 1)
	coopr-queue show --layout "$job" >shop.ndjson
	for node in $(jq -r 'select(.kind == "node").id' shop.ndjson); do
		mkdir -p "runs/$node"
		coopr ssh "shop/${node#*-}" 'cd /var/log/chef-solo && [ "$(id -u)" = 0 ] || as=sudo; $as tar c . && $as find . -mindepth 1 -delete' | tar x -C "runs/$node"
	done
	python3 "$COOPR_ROOT/tests/cloud/coopr-judge.py" "$SHARED/data/coopr-templates/services" shop.ndjson runs >judged.now
	[ "$(awk '{ n += $3 } END { print n + 0 }' judged.now)" = \
		"$(coopr-queue show --plan "$job" | jq -s 'map(select(.kind == "task" and .type == "chef-solo" and .service)) | length')" ]
	sed "s/^/$1: /" judged.now >>judged
}

life() {
	local template=$1 number=$2 grown=$3

	shift 3
	coopr create -q shop -t "$template" -n "$number" "$@"
	agrees "$number"
	judged create
	coopr config -q -y shop --set coopr_test=1
	judged configure
	coopr stop -q -y shop
	judged stop
	coopr start -q -y shop
	judged start
	if [ "$grown" = - ]; then
		! coopr expand -q -y shop -n "$((number + 1))" 2>refused
		agrees "$number"
	else
		coopr expand -q -y shop -n "$grown"
		agrees "$grown"
		judged grow
	fi
	coopr delete -q -y shop --discard-data
	[ "$(machines)" = 0 ]
	echo "$template $(awk '{ n += $4 } END { print n + 0 }' judged)" >lived
}
